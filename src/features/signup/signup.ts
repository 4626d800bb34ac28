import type { ValuesOf } from '../../platform/settings.ts'
import type { Work } from '../../platform/work.ts'
import { authSettings, loginErrors, type SignInMethod } from '../login/login.ts'
import { type SentCode, sendSignInCode } from '../otp/otp.ts'
import { provisionPendingUser } from '../users/users.ts'

export type SignupSettings = ValuesOf<typeof authSettings>

/** A sign-up, whatever proves it. */
export const signupMethod: SignInMethod = { id: 'signup', offer: null }

/**
 * Whether an unknown address becomes a user: as the request says, or else the setting.
 * Throws `signup_disabled` whenever `allow_sign_up` is off.
 */
export async function readSignupSettings(
  work: Work,
  openSignup?: boolean,
): Promise<{ settings: SignupSettings; open: boolean }> {
  const settings = await authSettings.effective(work)
  if (!settings.allow_sign_up) throw loginErrors.signupDisabled({ detail: 'allow_sign_up is off here.' })
  return { settings, open: openSignup ?? settings.open_signup_default }
}

/**
 * Mails a code that proves the mailbox. With open sign-up an unknown address becomes a pending user: nothing can be
 * attached to it before the proof, and it is deleted after a day without one. The response is always the same.
 * Throws `signup_disabled`, and what sendSignInCode throws.
 */
export async function sendSignupCode(work: Work, body: { email: string; openSignup?: boolean }): Promise<SentCode> {
  const { open } = await readSignupSettings(work, body.openSignup)
  return sendSignInCode(work, {
    purpose: 'signup',
    email: body.email,
    provision: open ? async (work, address) => (await provisionPendingUser(work, address)).id : null,
  })
}
