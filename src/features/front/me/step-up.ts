import type { Static } from 'typebox'
import { identify } from '../../../platform/crypto/identity.ts'
import { httpErrors } from '../../../platform/errors.ts'
import { type EventInput, record } from '../../../platform/events/events.ts'
import { burn, type UsedProof } from '../../../platform/joined/proofs.ts'
import { inTxUnlessConsumed } from '../../../platform/joined/unless-consumed.ts'
import { countAct } from '../../../platform/limits/rate-limit.ts'
import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import type { TxWork } from '../../../platform/work.ts'
import { issueAccessToken } from '../../access/claims/claims.ts'
import { loginErrors, type SignInFacts } from '../../access/login/login.ts'
import type { StepUpMethod } from '../../access/self-management/self-management.ts'
import { methodsToStepUp, ownFacts } from '../../access/self-management/self-management.ts'
import { renewAuthentication, sessionSettings } from '../../access/sessions/sessions.ts'
import { findUserForUpdate } from '../../directory/users/users.ts'
import { beginInSession, challengeErrors, proveInSession } from '../../sign-in/challenges/challenges.ts'
import { signInCodeErrors } from '../../sign-in/otp/otp.ts'
import { proveOwnCode } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'
import { provePasskey, startSignIn } from '../../sign-in/passkeys/sign-in/sign-in.ts'
import { passwordErrors, passwordProof, provePassword } from '../../sign-in/password/password.ts'
import { meEvents } from './events.ts'
import { mailStepUpCode } from './step-up-code.ts'
import type { SteppedUp, StepUpAnswer, StepUpBegun } from './step-up-schema.ts'

/**
 * Returns the methods with which the caller can step up, and begins the given one: mails or sends a code, or creates
 * a challenge. Throws `method_disabled` for a method that is not offered, `rate_limited`, and what the gates throw.
 */
export async function beginStepUp(work: OwnWork, method: StepUpMethod | null): Promise<StepUpBegun> {
  const { caller } = work
  const facts = await ownFacts(work)
  const methods = await methodsToStepUp(work, facts)
  if (method === null || method === 'sso') return { methods }
  if (!methods.includes(method)) throw notOffered(method)
  if (method === 'password') return { methods }
  const who = identityOf(work, facts)
  await countAct(work, who.hash, [{ bucket: 'step_up.minute', limit: 10, windowSeconds: 60 }])
  if (method === 'otp') {
    const user = { id: facts.user_id, email: facts.email, email_norm: who.address.norm }
    const { otpId, expiresAt, deliveryHint } = await mailStepUpCode(work, user)
    return { methods, otp_id: otpId, expires_at: expiresAt.toISOString(), delivery_hint: deliveryHint }
  }
  if (method === 'passkey')
    return { methods, ...(await startSignIn(work, { email: facts.email, conditional: false }, 'step_up')) }
  const session = { id: caller.sessionId, userId: facts.user_id }
  const { token, expiresAt, deliveryHint } = await beginInSession(work, session, method)
  const hint = deliveryHint === null ? {} : { delivery_hint: deliveryHint }
  return { methods, challenge_token: token, expires_at: expiresAt.toISOString(), ...hint }
}

const notOffered = (method: string) =>
  loginErrors.methodDisabled({ detail: `This user cannot step up with ${method}.` })

function identityOf({ platform }: OwnWork, { email }: SignInFacts) {
  return identify(platform, { email, norm: email.toLowerCase() })
}

/** A correct proof, which is used up when the session's authentication time is renewed. */
interface Shown {
  method: StepUpMethod
  amr: string[]
  aal: string
  spends: UsedProof[]
  events?: EventInput[]
  /** Events that must be read while the user's row is locked. */
  eventsNow?(work: TxWork): Promise<EventInput[]>
  also?(work: TxWork): Promise<boolean>
  /** The error if another request has used up the proof first. */
  refuse(): Promise<Error> | Error
}

/**
 * Ends a step-up: checks a proof with the same rules as a sign-in, and issues an access token of the same session
 * with the current time as authentication time. Throws what the proofs and the gates throw.
 */
export async function finishStepUp(work: OwnWork, answer: StepUpAnswer): Promise<Static<typeof SteppedUp>> {
  const { sessionId } = work.caller
  const facts = await ownFacts(work)
  const shown = await verifyAnswer(work, facts, answer)
  const renewed = await inTxUnlessConsumed(work, (work) => renew(work, { facts, shown, sessionId }))
  if (!renewed) throw await shown.refuse()
  const settings = await sessionSettings.effective(work)
  const subject = {
    sessionId: renewed.id,
    userId: renewed.auth_account_id,
    amr: renewed.amr,
    aal: renewed.aal,
    authenticatedAt: renewed.authenticated_at,
    endsAt: renewed.expires_at,
    connectionId: renewed.connection_id,
  }
  const token = await issueAccessToken(work, { facts, session: subject, settings })
  const { amr, aal, authenticatedAt } = subject
  return { ...token, amr, aal, auth_time: Math.floor(authenticatedAt.getTime() / 1000) }
}

/**
 * Checks a proof, which is used up later, when the session is renewed. This already uses up what a wrong proof would
 * use up, too, such as the challenge for a passkey.
 */
async function verifyAnswer(work: OwnWork, facts: SignInFacts, answer: StepUpAnswer): Promise<Shown> {
  const methods = await methodsToStepUp(work, facts)
  const isOffered = answer.kind === 'factor' || methods.includes(answer.kind)
  if (!isOffered) throw notOffered(answer.kind)
  const who = identityOf(work, facts)
  switch (answer.kind) {
    case 'password': {
      const { revision, must_change } = await provePassword(work, who, facts, answer.password)
      if (must_change) throw notOffered('password')
      const spends = [passwordProof({ password_revision: revision })]
      return { method: 'password', amr: ['pwd'], aal: 'aal1', spends, refuse: passwordErrors.invalidCredentials }
    }
    case 'otp': {
      const sent = { purpose: 'step_up' as const, otpId: answer.otpId, code: answer.code, userId: facts.user_id }
      const spends = [await proveOwnCode(work, who, sent)]
      return { method: 'otp', amr: ['otp'], aal: 'aal1', spends, refuse: signInCodeErrors.otpInvalid }
    }
    case 'factor': {
      const session = { id: work.caller.sessionId, userId: facts.user_id }
      const { method, ...proved } = await proveInSession(work, session, answer)
      if (!methods.includes(method)) throw notOffered(method)
      return { method, ...proved, aal: 'aal2', refuse: challengeErrors.codeInvalid }
    }
    case 'passkey': {
      const { challengeId, credential } = answer
      const {
        facts: owner,
        proof,
        ...others
      } = await provePasskey(work, { email: facts.email, challengeId, credential }, 'step_up')
      if (owner.user_id !== facts.user_id) throw await others.refuse()
      return { method: 'passkey', aal: 'aal1', ...proof, ...others }
    }
  }
}

/**
 * Uses up the proof and renews the session's authentication time, in one transaction. Returns null if the proof was
 * already used or the user was cut off meanwhile.
 */
async function renew(
  work: TxWork,
  { facts, shown, sessionId }: { facts: SignInFacts; shown: Shown; sessionId: string },
) {
  const user = await findUserForUpdate(work, facts.user_id)
  if (user?.epoch !== facts.epoch) return null
  if (shown.also && !(await shown.also(work))) return null
  // Read first, since using up the proof changes the passkey.
  const events = (await shown.eventsNow?.(work)) ?? shown.events ?? []
  for (const proof of shown.spends) if (!(await burn(work, proof, user.id))) return null
  const { method, amr, aal } = shown
  const session = await renewAuthentication(work, { id: sessionId, userId: user.id }, { amr, aal })
  if (!session) throw httpErrors.accessTokenInvalid()
  const data = { method, session_id: sessionId, amr: session.amr, aal: session.aal }
  await record(work, ...events, meEvents.steppedUp({ target: { type: 'user', id: user.id }, data }))
  return session
}
