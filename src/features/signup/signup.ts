import { type AuthSettings, authSettings, type LoginContext, loginErrors } from '../login/login.ts'
import { type SentCode, sendSignInCode } from '../otp-login/otp-login.ts'
import { provisionPendingUser } from '../users/users.ts'

/**
 * Whether an unknown address becomes a user: as the request says, else as the setting does.
 * Throws `signup_disabled` whenever `allow_sign_up` is off.
 */
export async function readSignupSettings(
  { platform, directory }: LoginContext,
  openSignup?: boolean,
): Promise<{ settings: AuthSettings; open: boolean }> {
  const settings = await authSettings.effective(platform, directory)
  if (!settings.allow_sign_up) throw loginErrors.signupDisabled({ detail: 'allow_sign_up is off here.' })
  return { settings, open: openSignup ?? settings.open_signup_default }
}

/**
 * Mails a code that proves the mailbox. With open sign-up an unknown address becomes a pending user: nothing can be
 * attached to it before the proof, and it is gone after a day without one. Otherwise the answer is the generic one.
 * Throws `signup_disabled`, and what sendSignInCode throws.
 */
export async function sendSignupCode(
  context: LoginContext,
  body: { email: string; openSignup?: boolean },
): Promise<SentCode> {
  const { directory, origin } = context
  const { open } = await readSignupSettings(context, body.openSignup)
  return sendSignInCode(context, {
    purpose: 'signup',
    email: body.email,
    provision: open ? async (tx, address) => (await provisionPendingUser(tx, directory, origin, address)).id : null,
  })
}
