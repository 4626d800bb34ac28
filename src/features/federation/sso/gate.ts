import type { ApiError } from '../../../platform/errors.ts'
import { type Gate, loginErrors } from '../../access/login/login.ts'
import { assertSsoNotRequired, type SsoOnly } from '../../access/login/sso-only/sso-only.ts'
import { connectionToStart, ssoAccessOf } from './connection-to-start.ts'
import { enforcementSettings } from './settings.ts'

/**
 * Where single sign-on is enforced, refuses every other sign-in method, and refreshes of sessions from other methods.
 * Exempt users may use other methods, in case the provider fails. Throws `sso_required`.
 */
export const ssoGate: Gate = {
  async evaluate(work, { method, facts }) {
    if (method !== 'sso') await assertSsoNotRequired(work, facts)
    return null
  },
}

/** The error for every other sign-in method. It names the connection to start, if there is one. */
export function ssoRequired(connectionId: string | null): ApiError {
  return loginErrors.ssoRequired(connectionId === null ? {} : { extra: { connection_id: connectionId } })
}

/** Which users must use single sign-on, whether they can, and the error they get otherwise. */
export const ssoOnlyRule: SsoOnly = {
  async enforcement(work, person) {
    const { enforce_sso, sso_exempt_user_ids } = await enforcementSettings.effective(work)
    if (!enforce_sso) return 'off'
    const ids = [person?.user_id, person?.auth_account_id]
    const exempt = sso_exempt_user_ids.map((id) => id.toLowerCase())
    return ids.some((id) => id && exempt.includes(id)) ? 'exempt' : 'bound'
  },
  async refusal(work, { email }) {
    const connectionId = await connectionToStart(work, email.toLowerCase())
    return ssoRequired(connectionId)
  },
  way: ssoAccessOf,
}
