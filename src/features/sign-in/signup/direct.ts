import { type Identity, identify } from '../../../platform/crypto/identity.ts'
import type { HashedPassword } from '../../../platform/crypto/password-format.ts'
import { record } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import type { RateLimit, RateState } from '../../../platform/limits/rate-limit.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import { countMail } from '../../../platform/mail/limits.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { assertDoorOpen, doorSettings, loginErrors, type SessionReply } from '../../access/login/login.ts'
import { createSignup, findUserByEmail, type SignupProfile, userErrors } from '../../directory/users/users.ts'
import { mailVerification } from '../email-verification/email-verification.ts'
import { getPasswordSettings, hashNewPassword, type PasswordSettings, storePassword } from '../password/password.ts'
import { startFirstSession } from './first-session.ts'
import { assertSignupAllowed, signupMethod } from './policy.ts'

// Limited, because the response reveals whether a user has the address.
const limits: RateLimit[] = [{ bucket: 'signup.minute', limit: 10, windowSeconds: 60 }]

export interface SignUp extends SignupProfile {
  email: string
  openSignup?: boolean
  /** Absent if the user will sign in by mail. */
  password?: string
}

/**
 * Creates a user and their first session. The mailbox is unproved, so only a user created by this call gets a session.
 * The mail that asks for the proof is queued in the same transaction.
 * Throws `signup_disabled`, `method_disabled`, `verification_required` if the mailbox must be proved first,
 * `email_exists`, `weak_password`, `password_breached`, `rate_limited`, `unavailable`, and what the gates throw.
 */
export async function signUp(work: Work, sent: SignUp): Promise<{ answer: SessionReply; rate: RateState }> {
  const { open } = await assertSignupAllowed(work, sent.openSignup)
  const settings = sent.password === undefined ? null : await getPasswordSettings(work)
  if ((await doorSettings.effective(work)).require_email_verification) throw proofRequired()
  const who = identify(work.platform, requireEmail(sent.email))
  const { person } = await assertDoorOpen(work, who)
  // Only a user created here gets a mail.
  const rate = await countMail(work, who, limits, { leaves: open && person === null, byAnyone: true })
  await assertAddressFree(work, who)
  if (!open)
    throw loginErrors.signupDisabled({
      detail:
        'No user has this address, and new users are allowed neither by openSignup nor by the setting open_signup_default.',
    })
  const chosen = await hashPasswordOf(work, settings, sent)
  const answer = await inTx(work, (work) => makeUser(work, { who, profile: sent, chosen }))
  if (answer) return { answer, rate }
  // Another request signed up with the same address first.
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
    detail: 'The mailbox is not verified. Use POST /v1/auth/signup/otp/send.',
  })
}

/** The chosen password, and the number of passwords that the user's history keeps. */
interface Chosen {
  hashed: HashedPassword
  historyKept: number
}

async function hashPasswordOf(work: Work, settings: PasswordSettings | null, sent: SignUp): Promise<Chosen | null> {
  const { email, password, firstName = null, lastName = null } = sent
  if (password === undefined || !settings) return null
  const owner = { id: newId(), email, first_name: firstName, last_name: lastName, display_name: null }
  const hashed = await hashNewPassword(work, settings, owner, password)
  return { hashed, historyKept: settings.password_history }
}

/** @returns null if the address was taken meanwhile. */
async function makeUser(
  work: TxWork,
  input: { who: Identity; profile: SignupProfile; chosen: Chosen | null },
): Promise<SessionReply | null> {
  const { who, profile, chosen } = input
  const made = await createSignup(work, { ...profile, ...who.address }, {})
  if (!made) return null
  const { user, created } = made
  await record(work, created)
  if (chosen) await storePassword(work.db, work.directory, { userId: user.id, ...chosen, mustChange: false })
  await mailVerification(work, user, { signup: true })
  const amr = chosen ? ['pwd'] : []
  return startFirstSession(work, { who, user, proof: { method: signupMethod, amr, spends: [] } })
}
