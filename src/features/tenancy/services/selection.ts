import { authDependents, type ServiceId } from '../../../contract/contract.ts'
import { serviceErrors } from './errors.ts'

/** All services, in the order of the configuration's list. */
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
 * The enabled services after `asked` replaces `enabled`. Removing Auth also removes the services that depend on it,
 * listed or not. Adding one of these without Auth is refused. Throws `auth_required`.
 */
export function selectServices(enabled: readonly string[], asked: readonly string[]): ServiceId[] {
  const kept = serviceIds.filter((id) => asked.includes(id))
  if (kept.includes('auth')) return kept
  const added = authDependents.filter((id) => kept.includes(id) && !enabled.includes(id))
  if (added.length)
    throw serviceErrors.authRequired({ detail: `${added.join(', ')} requires auth. Add auth to enabledAppIds.` })
  return kept.filter((id) => !authDependents.includes(id))
}
