import type { Tx } from '../../platform/db/pool.ts'
import { record } from '../../platform/events.ts'
import type { RateState } from '../../platform/http/rate-limit.ts'
import { type EmailAddress, maskEmail, requireEmail } from '../../platform/mail/address.ts'
import { queueMail } from '../../platform/mail/outbox.ts'
import {
  assertDoorOpen,
  assertMaySignIn,
  completeMailboxLogin,
  countMail,
  findSignInFacts,
  type Identity,
  identify,
  type LoginContext,
  loginErrors,
  nothingSent,
  type SessionAnswer,
  type SignInFacts,
} from '../login/login.ts'
import {
  claimOtpAttempt,
  consumeOtp,
  findLiveOtp,
  issueOtp,
  type OtpAttempt,
  type OtpSettings,
  otpSettings,
} from '../otp/otp.ts'
import { signInMail } from './emails.ts'
import { otpLoginErrors } from './errors.ts'

export { SentCodeReply, toSentCode } from './schema.ts'
export { verifyCodeAs, verifyCodeRoute } from './verify-route.ts'

export type SignInPurpose = 'login' | 'signup'

export interface SendCode {
  purpose: SignInPurpose
  email: string
  /** Makes the user when there is none; in the transaction that makes the code. Returns the user's id. */
  provision: ((tx: Tx, address: EmailAddress) => Promise<string>) | null
}

export interface SentCode {
  otpId: string
  expiresAt: Date
  deliveryHint: string
  rate: RateState
}

/**
 * Mails a word pair to the address, if somebody has it. Known and unknown addresses take the same path through the
 * same statements: the unknown one gets a decoy code and a mail that is dropped instead of sent (ASVS 6.3.8).
 * Throws `invalid_request`, `rate_limited`, `organization_suspended`.
 */
export async function sendSignInCode(context: LoginContext, send: SendCode): Promise<SentCode> {
  const { platform, directory } = context
  const who = identify(platform, requireEmail(send.email))
  const settings = await otpSettings(platform, directory)
  if (!settings.channel_email) throw loginErrors.methodDisabled({ detail: 'Codes may not leave by e-mail here.' })
  await assertDoorOpen(context, who)
  const rate = await countMail(context, who, sendLimits(settings))
  const deliveryHint = maskEmail(who.address.email)
  const which = { purpose: send.purpose, identity: who.hash, newerThanSeconds: settings.resend_interval_seconds }
  // A double click, or a retry after a lost answer: the code that is on its way stays the one that counts.
  const live = await findLiveOtp(platform.db, directory, which)
  if (live) return { ...live, deliveryHint, rate }
  const facts = await findSignInFacts(context, platform.db, who)
  const otp = await platform.tx((tx) => issueAndMail(tx, context, send, { who, settings, facts }))
  return { ...otp, deliveryHint, rate }
}

interface Recipient {
  who: Identity
  settings: OtpSettings
  facts: SignInFacts | null
}

async function issueAndMail(tx: Tx, context: LoginContext, send: SendCode, recipient: Recipient) {
  const { platform, directory, origin } = context
  const { who, settings, facts } = recipient
  const { address, hash: identity } = who
  const { purpose, provision } = send
  const existing = facts?.active ? facts.user_id : null
  const userId = facts === null && provision ? await provision(tx, address) : existing
  const otp = await issueOtp(tx, platform, directory, { purpose, userId, identity, settings })
  const mail = signInMail(facts?.email ?? address.email, purpose, otp)
  await queueMail(tx, platform, directory, { ...mail, decoy: userId === null }, otp.ttlSeconds)
  await record(
    tx,
    directory,
    origin,
    userId === null ? nothingSent('otp', facts) : codeSent(purpose, userId, otp.otpId),
  )
  return { otpId: otp.otpId, expiresAt: otp.expiresAt }
}

function codeSent(purpose: SignInPurpose, userId: string, otpId: string) {
  return {
    type: 'auth.otp.sent',
    target: { type: 'user', id: userId },
    data: { otp_id: otpId, purpose, channel: 'email' },
  }
}

export interface VerifyCode {
  purpose: SignInPurpose
  email: string
  otpId: string
  code: string
}

/**
 * Exchanges a word pair for a session. The attempt is counted, and stays counted, before it is judged.
 * Throws `otp_invalid`, `otp_expired` (only for the right code), `otp_too_many_attempts`, and what the door throws.
 */
export async function verifySignInCode(context: LoginContext, verify: VerifyCode): Promise<SessionAnswer> {
  const { platform, directory } = context
  const { purpose, code } = verify
  const who = identify(platform, requireEmail(verify.email))
  const otpId = verify.otpId.toLowerCase()
  const [attempt, facts] = await Promise.all([
    claimOtpAttempt(platform, directory, { purpose, otpId, identity: who.hash, code }),
    findSignInFacts(context, platform.db, who),
  ])
  if (attempt.outcome !== 'match' || facts === null || attempt.userId !== facts.user_id)
    throw await refusal(context, attempt, facts)
  assertMaySignIn(facts)
  const answer = await signInWith(context, facts, purpose, otpId)
  // Another request with the same right code was faster.
  if (!answer) throw await refusal(context, { ...attempt, outcome: 'used' }, facts)
  return answer
}

function signInWith(context: LoginContext, facts: SignInFacts, purpose: SignInPurpose, otpId: string) {
  const { directory } = context
  return completeMailboxLogin(context, facts, {
    method: purpose === 'signup' && facts.pending ? 'signup' : 'otp',
    amr: ['otp'],
    consume: (db) => consumeOtp(db, directory, otpId, purpose),
  })
}

async function refusal(context: LoginContext, attempt: OtpAttempt, facts: SignInFacts | null) {
  const { platform, directory, origin } = context
  await record(platform.db, directory, origin, {
    type: 'auth.login.failed',
    ...(facts ? { target: { type: 'user', id: facts.user_id } } : {}),
    data: { method: 'otp', reason: attempt.outcome === 'match' ? 'unknown' : attempt.outcome },
  })
  switch (attempt.outcome) {
    case 'expired':
      return otpLoginErrors.otpExpired({ detail: 'The code has expired: ask for a new one.' })
    case 'spent':
      return otpLoginErrors.tooManyAttempts({ detail: 'Too many wrong codes: ask for a new one later.' })
    default:
      return otpLoginErrors.otpInvalid({ detail: 'The code is wrong, was used before, or is not the newest one.' })
  }
}

function sendLimits(settings: OtpSettings) {
  return [
    { bucket: 'otp.send.minute', limit: settings.rate_limit_per_minute, windowSeconds: 60 },
    { bucket: 'otp.send.hour', limit: settings.rate_limit_per_hour, windowSeconds: 3600 },
  ]
}
