import type { Directory } from '../../platform/http/directory.ts'
import type { ServiceId } from '../../platform/http/route.ts'
import { type Platform, perPlatform } from '../../platform/platform.ts'
import { findServiceConfigRow } from './store.ts'

/** Every service, in the order in which the configuration lists them. */
export const serviceIds: readonly ServiceId[] = [
  'auth',
  'otp',
  'password',
  'magic_link',
  'social',
  'passkeys',
  'sso',
  'mfa',
  'rbac',
  'scim',
  'webhooks',
  'sessions',
  'admin_portal',
]

/** Refused without Auth. */
export const authDependents: readonly ServiceId[] = ['otp', 'password', 'magic_link', 'social', 'passkeys', 'sso', 'mfa']

export const enabledServices = perPlatform((platform) =>
  platform.caches.define<ReadonlySet<string>>('services', async (directoryId) => {
    const row = await findServiceConfigRow(platform.db, directoryId)
    return new Set<string>(row?.enabled_app_ids ?? serviceIds)
  }),
)

/** Whether a service, and Auth where it depends on it, is on in this directory. */
export async function isServiceEnabled(platform: Platform, directory: Directory, service: ServiceId): Promise<boolean> {
  const enabled = await enabledServices(platform).get(directory.id)
  return enabled.has(service) && (!authDependents.includes(service) || enabled.has('auth'))
}
