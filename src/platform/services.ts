import type { ServiceId } from '../contract.ts'
import type { Awaitable } from './awaitable.ts'
import type { Directory } from './http/directory.ts'
import { handedIn } from './platform.ts'
import type { Work } from './work.ts'

/** Tells whether a service is on in a directory. */
export const serviceSwitches =
  handedIn<(directory: Directory, service: ServiceId) => Awaitable<boolean>>('the switches of the services')

/** Whether a service, and Auth if it depends on it, is on in this directory. */
export function isServiceEnabled(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  service: ServiceId,
): Awaitable<boolean> {
  return serviceSwitches.of(platform)(directory, service)
}
