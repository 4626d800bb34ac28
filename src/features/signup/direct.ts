import { type Identity, identify } from '../../platform/crypto/identity.ts'
import type { HashedPassword } from '../../platform/crypto/password-format.ts'
import { record } from '../../platform/events.ts'
import type { RateLimit, RateState } from '../../platform/http/rate-limit.ts'
import { newId } from '../../platform/ids.ts'
import { requireEmail } from '../../platform/mail/address.ts'
import { countMail } from '../../platform/mail/limits.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { mailVerification } from '../email-verification/email-verification.ts'
import {
  assertDoorOpen,
  completeLogin,
  findSignInFacts,
  loginErrors,
  loginEvents,
  type SessionReply,
} from '../login/login.ts'
import { hashNewPassword, passwordSettings, storePassword } from '../password/password.ts'
import { createSignup, findUserByEmail, type SignupProfile, type UserRow, userErrors } from '../users/users.ts'
import { readSignupSettings, type SignupSettings, signupMethod } from './signup.ts'

// The response tells whether a user has the address.
const limits: RateLimit[] = [{ bucket: 'signup.minute', limit: 10, windowSeconds: 60 }]

export interface SignUp extends SignupProfile {
  email: string
  openSignup?: boolean
  /** Absent when the user will sign in by mail. */
  password?: string
}

/**
 * Creates a user and their first session. The mailbox is unproved, so only a user that this very call creates gets one;
 * the mail that asks for the proof is queued with it.
 * Throws `signup_disabled`, `method_disabled`, `verification_required` where a proof has to come first, `email_exists`,
 * `weak_password`, `password_breached`, `rate_limited`, `unavailable`, and what the door throws.
 */
export async function signUp(work: Work, sent: SignUp): Promise<{ answer: SessionReply; rate: RateState }> {
  const { settings, open } = await readSignupSettings(work, sent.openSignup)
  if (sent.password !== undefined) await passwordSettings(work)
  if (settings.require_email_verification) throw proofRequired()
  const who = identify(work.platform, requireEmail(sent.email))
  await assertDoorOpen(work, who)
  const rate = await countMail(work, who, limits)
  await assertAddressFree(work, who)
  if (!open)
    throw loginErrors.signupDisabled({
      detail: 'No user has this address, and neither openSignup nor the setting open_signup_default opens sign-up.',
    })
  const hashed = await hashPasswordOf(work, settings, sent)
  const answer = await inTx(work, (work) => makeUser(work, settings, { who, profile: sent, hashed }))
  if (answer) return { answer, rate }
  // Another request with the same address was faster.
  await assertAddressFree(work, who)
  throw userErrors.emailExists()
}

/** Throws `email_exists`, and `verification_required` for a user who has never signed in. */
async function assertAddressFree(work: Work, who: Identity): Promise<void> {
  const user = await findUserByEmail(work, who.address.norm)
  if (user) throw user.auth_account_id === null ? proofRequired() : userErrors.emailExists()
}

function proofRequired() {
  return userErrors.verificationRequired({
    detail: 'The mailbox must be proved first: use POST /v1/auth/signup/otp/send.',
  })
}

async function hashPasswordOf(work: Work, settings: SignupSettings, sent: SignUp): Promise<HashedPassword | null> {
  const { email, password, firstName = null, lastName = null } = sent
  if (password === undefined) return null
  const owner = { id: newId(), email, first_name: firstName, last_name: lastName, display_name: null }
  return hashNewPassword(work, settings, owner, password)
}

/** @returns null when the address was taken meanwhile. */
async function makeUser(
  work: TxWork,
  settings: SignupSettings,
  input: { who: Identity; profile: SignupProfile; hashed: HashedPassword | null },
): Promise<SessionReply | null> {
  const { who, profile, hashed } = input
  const user = await createSignup(work, { ...profile, ...who.address }, false)
  if (!user) return null
  const { password_history: historyKept } = settings
  if (hashed) await storePassword(work.db, work.directory, { userId: user.id, hashed, historyKept, mustChange: false })
  await mailVerification(work, user)
  const amr = hashed ? ['pwd'] : []
  return startFirstSession(work, { who, user, proof: { method: signupMethod, amr, spends: [] } })
}

/** The session of a user whom this transaction created. Returns null when the proof was already consumed. */
export async function startFirstSession(
  work: TxWork,
  { who, user, proof }: { who: Identity; user: UserRow; proof: Parameters<typeof completeLogin>[2] },
): Promise<SessionReply | null> {
  const facts = await findSignInFacts(work, who)
  if (facts?.user_id !== user.id) throw new Error('The user of a sign-up is missing')
  const target = { type: 'user', id: user.id }
  await record(work, loginEvents.signedUp({ target, data: { method: proof.method.id } }))
  return completeLogin(work, facts, proof)
}
