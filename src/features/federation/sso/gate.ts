import { type Gate, loginErrors } from '../../access/login/login.ts'
import { enforcementSettings } from './settings.ts'

/**
 * Where single sign-on is enforced, whoever comes by another way is refused, also at a refresh of a session from before,
 * except for those who may come when the provider fails. Throws `sso_required`.
 */
export const ssoGate: Gate = {
  async judge(work, { method, facts }) {
    if (method === 'sso') return null
    const { enforce_sso, sso_exempt_user_ids } = await enforcementSettings.effective(work)
    const isExempt = [facts.user_id, facts.auth_account_id].some((id) =>
      sso_exempt_user_ids.some((exempt) => exempt.toLowerCase() === id),
    )
    if (enforce_sso && !isExempt) throw loginErrors.ssoRequired()
    return null
  },
}
