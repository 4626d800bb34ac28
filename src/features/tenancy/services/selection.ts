import { authDependents, type ServiceId } from '../../../contract/contract.ts'
import { serviceErrors } from './errors.ts'

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

/**
 * What is enabled once `asked` replaces `enabled`. Removing Auth removes its dependents, listed or not; adding a
 * dependent without it is refused. Throws `auth_required`.
 */
export function selectServices(enabled: readonly string[], asked: readonly string[]): ServiceId[] {
  const kept = serviceIds.filter((id) => asked.includes(id))
  if (kept.includes('auth')) return kept
  const added = authDependents.filter((id) => kept.includes(id) && !enabled.includes(id))
  if (added.length)
    throw serviceErrors.authRequired({ detail: `${added.join(', ')} needs auth: list auth in enabledAppIds as well.` })
  return kept.filter((id) => !authDependents.includes(id))
}
