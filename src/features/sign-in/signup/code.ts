import type { Identity } from '../../../platform/crypto/identity.ts'
import { canonicalLocale } from '../../../platform/messages/locale.ts'
import type { Work } from '../../../platform/work.ts'
import { completeMailboxLogin, type SessionReply, type SignInMethod } from '../../access/login/login.ts'
import { otpMethod, type SentCode, type SignUpCode, sendSignInCode } from '../otp/sign-in-codes/sign-in-codes.ts'
import { signUpByMailbox } from './first-session.ts'
import { enqueueProvisioning } from './pending.ts'
import { assertSignupAllowed, signupMethod } from './policy.ts'

/**
 * Mails a code that proves the mailbox. With open sign-up, an unknown address soon becomes a pending user, who can get
 * nothing else before the proof and is deleted after a day without it. The same statements run for known and unknown
 * addresses, and the response is always the same.
 * Throws `signup_disabled`, and what `sendSignInCode` throws.
 */
export async function sendSignupCode(
  work: Work,
  body: { email: string; openSignup?: boolean; locale?: string | null },
): Promise<SentCode> {
  const { open } = await assertSignupAllowed(work, body.openSignup)
  return sendSignInCode(work, {
    purpose: 'signup',
    email: body.email,
    locale: canonicalLocale(body.locale ?? ''),
    provision: open ? enqueueProvisioning : null,
  })
}

/**
 * Creates a user and a session, in exchange for the right code of an address that has no user yet. `method` is used if
 * a user got the address meanwhile. Throws `signup_disabled`, and what the gates throw. Returns null if the code was
 * already consumed.
 */
export function signUpByCode(
  work: Work,
  who: Identity,
  { spends, locale = null }: SignUpCode,
  method: Pick<SignInMethod, 'id'> = otpMethod,
): Promise<SessionReply | null> {
  const by = { amr: ['otp'], spends }
  const signUp = { who, profile: { locale }, proof: { ...by, method: signupMethod } }
  return signUpByMailbox(work, signUp, (facts) =>
    completeMailboxLogin(work, facts, { ...by, locale, method: facts.pending ? signupMethod : method }),
  )
}
