import type { ServiceId } from '../contract.ts'
import type { Awaitable } from './awaitable.ts'
import type { Directory } from './http/directory.ts'
import { handedIn } from './platform.ts'
import type { Work } from './work.ts'

/** Tells whether a service is on in a directory. */
export const serviceSwitches =
  handedIn<(directory: Directory, service: ServiceId) => Awaitable<boolean>>('the switches of the services')

type Tenant = Pick<Work, 'platform' | 'directory'>

/** Whether a service, and Auth if it depends on it, is on in this directory. */
export async function isServiceEnabled(work: Tenant, service: ServiceId): Promise<boolean> {
  return readServiceSwitch(work, service)
}

/** The same for the way of every request. */
export function readServiceSwitch({ platform, directory }: Tenant, service: ServiceId): Awaitable<boolean> {
  return serviceSwitches.of(platform)(directory, service)
}
