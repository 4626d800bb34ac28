import { type Identity, identify } from '../../../../platform/crypto/identity.ts'
import { record } from '../../../../platform/events/events.ts'
import { recordFailure } from '../../../../platform/events/failures.ts'
import type { UsedProof } from '../../../../platform/joined/proofs.ts'
import type { RateState } from '../../../../platform/limits/rate-limit.ts'
import { maskEmail, requireEmail } from '../../../../platform/mail/address.ts'
import { countMail } from '../../../../platform/mail/limits.ts'
import { queueMail } from '../../../../platform/mail/outbox.ts'
import { decoyReasonOf } from '../../../../platform/outbox/decoy.ts'
import { inTx, type TxWork, type Work } from '../../../../platform/work.ts'
import {
  assertDoorOpen,
  assertMaySignIn,
  completeLogin,
  completeMailboxLogin,
  loginEvents,
  type SessionReply,
  type SignInFacts,
  type SignInMethod,
} from '../../../access/login/login.ts'
import {
  type Enforcement,
  enforcementFor,
  type SignInAccess,
  signInAccessUnder,
} from '../../../access/login/sso-only/sso-only.ts'
import { signInMail, singleSignOnMail } from '../emails.ts'
import { signInCodeErrors } from '../errors.ts'
import { codeSent, describeNothingSent } from '../events.ts'
import { mailedCodeSettings, type OtpSettings, otpSettings, sendLimits } from '../settings.ts'
import { codeProof } from '../store.ts'
import { findLiveOtp, issueOtp, type OwnPurpose, type SignInPurpose, type TriedOtp, tryOtp } from './issued-codes.ts'

export const otpMethod: SignInMethod = {
  id: 'otp',
  offer: { label: 'Email code', service: 'otp', isOn: async (work) => (await otpSettings(work)).channel_email },
  stepsUp: async () => true,
}

export interface CodeRequest {
  purpose: SignInPurpose
  email: string
  /** The language for an address without a user, for the mail and for the user that the code creates. */
  locale?: string | null
  /**
   * Set if an address without a user also gets a code, which signs the person up. Starts creating the user. Also
   * called for known addresses, so that both take the same time.
   */
  provision: ((work: TxWork, code: { otpId: string; email: string }) => Promise<void>) | null
}

export interface SentCode {
  otpId: string
  expiresAt: Date
  deliveryHint: string
  channel?: 'sms'
  rate: RateState
}

/**
 * Mails a word pair to the address, if a user has it. The same statements run for known and unknown addresses: an
 * unknown address gets a decoy code and a mail that is dropped instead of sent (ASVS 6.3.8).
 * Throws `invalid_request`, `rate_limited`, `organization_suspended`, `account_locked`, `method_disabled`.
 */
export async function sendSignInCode(work: Work, send: CodeRequest): Promise<SentCode> {
  const who = identify(work.platform, requireEmail(send.email))
  const settings = await mailedCodeSettings(work)
  const { person: facts } = await assertDoorOpen(work, who)
  const enforcement = await enforcementFor(work, facts)
  const way = await signInAccessUnder(work, enforcement, who.address.norm)
  const deliveryHint = maskEmail(who.address.email)
  const which = { purpose: send.purpose, identity: who.hash, newerThanSeconds: settings.resend_interval_seconds }
  // For a double click or a retry after a lost response, the code that was already sent stays valid.
  const live = await findLiveOtp(work, which)
  const isForSomebody = facts ? facts.active : send.provision !== null
  const sending = { leaves: live === null && isForSomebody, byAnyone: true }
  const rate = await countMail(work, who, sendLimits(settings), sending)
  if (live) return { ...live, deliveryHint, rate }
  const otp = await inTx(work, (work) => issueAndMail(work, send, { who, settings, facts, enforcement, way }))
  return { ...otp, deliveryHint, rate }
}

interface SendContext {
  who: Identity
  settings: OtpSettings
  facts: SignInFacts | null
  enforcement: Enforcement
  way: SignInAccess
}

async function issueAndMail(work: TxWork, send: CodeRequest, context: SendContext) {
  const { who, settings, facts, enforcement, way } = context
  const { address, hash: identity } = who
  const { purpose, provision } = send
  const isBound = way !== 'any'
  const isReached = facts ? facts.active : provision !== null
  const userId = facts?.active && !isBound ? facts.user_id : null
  const signsUp = facts === null && isReached && !isBound
  const decoy = isReached ? null : decoyReasonOf(facts, purpose === 'signup')
  const locale = send.locale ?? null
  const withheld = decoy !== null || isBound
  const otp = await issueOtp(work, { purpose, userId, signsUp, locale, identity, settings, withheld })
  const reader = facts && !facts.pending ? facts : { ...address, locale: locale ?? facts?.locale ?? null }
  const mail = isBound ? singleSignOnMail(reader, way) : signInMail(reader, purpose, otp)
  // Under enforced single sign-on no user is created here, not even an exempt one, so that timing does not reveal who is
  // exempt. An exempt user already exists, so nothing is missing.
  if (enforcement === 'off') await provision?.(work, { otpId: otp.otpId, email: address.email })
  await queueMail(work, { ...mail, decoy }, otp.ttlSeconds)
  if (withheld) await recordFailure(work, identity, describeNothingSent('otp', facts, isBound && isReached))
  else await record(work, codeSent({ otpId: otp.otpId, purpose, userId }))
  return { otpId: otp.otpId, expiresAt: otp.expiresAt }
}

/** The code that signs a user up, and the user's chosen language. */
export type SignUpCode = Pick<Parameters<typeof completeLogin>[2], 'spends' | 'locale'>

/** How codes of one purpose are redeemed. */
export interface CodeUse {
  purpose: SignInPurpose
  /** The method that is recorded when a code completes a pending sign-up. */
  methodOfPending: SignInMethod
  /** Creates the user of an address without one, and signs them in. Returns null if the code was already consumed. */
  signUp?(work: Work, who: Identity, by: SignUpCode): Promise<SessionReply | null>
}

export interface VerifyCode {
  email: string
  otpId: string
  code: string
}

/**
 * Exchanges a word pair for a session. The attempt is counted in its own transaction before the code is checked.
 * Throws `otp_invalid`, `otp_expired` (only for the right code), `otp_too_many_attempts`, and what the gates throw.
 */
export async function verifySignInCode(work: Work, use: CodeUse, verify: VerifyCode): Promise<SessionReply> {
  const { purpose } = use
  const { code } = verify
  const who = identify(work.platform, requireEmail(verify.email))
  const otpId = verify.otpId.toLowerCase()
  const attempt = await tryOtp(work, who, { purpose, otpId, code })
  const { facts, userId, locale, bySms } = attempt
  // A user who got the address after a sign-up code was sent has proved the mailbox with that code too.
  const isTheirs = userId === null ? attempt.signsUp : userId === facts?.user_id
  const isProved = !bySms || facts?.email_verified
  if (attempt.outcome !== 'match' || !isTheirs || !isProved) throw await refusal(work, who, attempt)
  if (facts) await assertMaySignIn(work, facts)
  const spends = [codeProof({ otp_id: otpId, otp_purpose: purpose })]
  const answer = facts
    ? await signInWith(work, facts, use, { bySms, locale, spends })
    : ((await use.signUp?.(work, who, { spends, locale })) ?? null)
  // Another request used the same code first.
  if (!answer) throw await refusal(work, who, { ...attempt, outcome: 'used' })
  return answer
}

function signInWith(
  work: Work,
  facts: SignInFacts,
  { methodOfPending }: CodeUse,
  { bySms, ...code }: SignUpCode & { bySms: boolean },
) {
  // RFC 8176. A code that was sent to a phone proves no mailbox.
  if (bySms) return completeLogin(work, facts, { method: otpMethod, amr: ['sms', 'otp'], ...code })
  const method = facts.pending ? methodOfPending : otpMethod
  return completeMailboxLogin(work, facts, { method, amr: ['otp'], ...code })
}

/**
 * Counts the attempt, then checks a code that was mailed to an address, either for a signed-in user or for no user
 * (null). Returns the proof that consumes the code.
 * Throws `otp_invalid`, `otp_expired` (only for the right code), `otp_too_many_attempts`.
 */
export async function proveOwnCode(
  work: Work,
  who: Identity,
  sent: { purpose: OwnPurpose; otpId: string; code: string; userId: string | null },
): Promise<UsedProof> {
  const { purpose, code, userId } = sent
  const otpId = sent.otpId.toLowerCase()
  const attempt = await tryOtp(work, who, { purpose, otpId, code })
  if (attempt.outcome !== 'match' || attempt.userId !== userId) throw await refusal(work, who, attempt)
  return codeProof({ otp_id: otpId, otp_purpose: purpose })
}

async function refusal(work: Work, who: Identity, attempt: TriedOtp) {
  const { facts } = attempt
  // Recorded outside any transaction, so that the event survives the refusal.
  await recordFailure(
    { ...work, db: work.platform.db },
    who.hash,
    loginEvents.failed({
      ...(facts ? { target: { type: 'user', id: facts.user_id } } : {}),
      data: { method: 'otp', reason: attempt.outcome === 'match' ? 'unknown' : attempt.outcome },
    }),
  )
  switch (attempt.outcome) {
    case 'expired':
      return signInCodeErrors.otpExpired({ detail: 'The code has expired. Request a new code.' })
    case 'exhausted':
      return signInCodeErrors.tooManyAttempts()
    default:
      return signInCodeErrors.otpInvalid({
        detail: 'The code is wrong, was used before, or was replaced by a newer code.',
      })
  }
}
