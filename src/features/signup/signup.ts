import type { Work } from '../../platform/work.ts'
import { doorSettings, loginErrors, type SignInMethod } from '../login/login.ts'
import { type SentCode, sendSignInCode } from '../otp/otp.ts'
import { provisionPendingUser } from '../users/users.ts'
import { signupSettings } from './settings.ts'

/** A sign-up, whatever proves it. */
export const signupMethod: SignInMethod = { id: 'signup', offer: null }

/**
 * Whether an unknown address becomes a user: as the request says, or else the setting.
 * Throws `signup_disabled` whenever `allow_sign_up` is off.
 */
export async function judgeSignup(work: Work, openSignup?: boolean): Promise<{ open: boolean }> {
  const { allow_sign_up: isAllowed } = await doorSettings.effective(work)
  if (!isAllowed) throw loginErrors.signupDisabled({ detail: 'allow_sign_up is off here.' })
  return { open: openSignup ?? (await signupSettings.effective(work)).open_signup_default }
}

/**
 * Mails a code that proves the mailbox. With open sign-up an unknown address becomes a pending user: nothing can be
 * attached to it before the proof, and it is deleted after a day without one. The response is always the same.
 * Throws `signup_disabled`, and what sendSignInCode throws.
 */
export async function sendSignupCode(work: Work, body: { email: string; openSignup?: boolean }): Promise<SentCode> {
  const { open } = await judgeSignup(work, body.openSignup)
  return sendSignInCode(work, {
    purpose: 'signup',
    email: body.email,
    provision: open ? async (work, address) => (await provisionPendingUser(work, address)).id : null,
  })
}
