import type { Work } from '../../../platform/work.ts'
import { doorSettings, loginErrors, type SignInMethod } from '../../access/login/login.ts'
import { signupSettings } from './settings.ts'

/** The method of a sign-up, whatever proves the address. */
export const signupMethod: SignInMethod = { id: 'signup', offer: null }

/**
 * Whether an unknown address becomes a user. The request decides, or else the setting.
 * Throws `signup_disabled` whenever `allow_sign_up` is off.
 */
export async function assertSignupAllowed(work: Work, openSignup?: boolean): Promise<{ open: boolean }> {
  const { allow_sign_up: isAllowed } = await doorSettings.effective(work)
  if (!isAllowed) throw loginErrors.signupDisabled({ detail: 'The setting allow_sign_up is off.' })
  return { open: openSignup ?? (await signupSettings.effective(work)).open_signup_default }
}
