import { type OperationNodeSource, sql } from 'kysely'
import { recordIfAny } from '../../platform/events.ts'
import { newId } from '../../platform/ids.ts'
import type { Work } from '../../platform/work.ts'
import { startChallenge } from '../factors/factors.ts'
import { type Demand, methodsOf, mfaEvents, policyOf } from '../mfa/mfa.ts'
import type { SessionAnswer } from './session-reply.ts'
import type { SignInFacts } from './store.ts'

/** A first factor that was right, and what the sign-in still needs. */
export interface FirstFactor {
  facts: SignInFacts
  authMethod: string
  amr: string[]
  /** The session whose refresh demands the second factor. */
  sessionId: string | null
  demand: Demand
  proof: OperationNodeSource
  alongside: OperationNodeSource | null
}

/**
 * Consumes the first factor for a challenge instead of a session: no session exists before every factor has passed.
 * @returns null when the first factor was already consumed.
 */
export async function replyWithChallenge(work: Work, first: FirstFactor): Promise<SessionAnswer | null> {
  const { facts, authMethod, amr, sessionId, demand } = first
  const enrollment = demand.kind === 'enrollment'
  const id = newId()
  const data = { id, directory_user_id: facts.user_id, auth_method: authMethod, enrollment_required: enrollment }
  const made = await startChallenge(work, {
    id,
    userId: facts.user_id,
    emailNorm: facts.email.toLowerCase(),
    authMethod,
    amr,
    sessionId,
    ip: work.origin.endUser.ip,
    enrollment,
    proof: first.proof,
    alongside: first.alongside,
    unchanged: sql`epoch = ${facts.epoch} and ${demand.unchanged}`,
    record: recordIfAny(
      work,
      'challenge',
      mfaEvents.challengeCreated({ target: { type: 'user', id: facts.user_id }, data }),
    ),
  })
  if (!made) return null
  const methods = enrollment ? ['totp'] : await methodsToOffer(work, facts, made.has)
  return {
    session: null,
    mfa_required: true,
    challenge_token: made.token,
    challenge_expires_at: made.expiresAt.toISOString(),
    directory_user_id: facts.user_id,
    methods,
    enrollment_required: enrollment,
  }
}

/** For a user whose only second factor is a passkey no code passes: they sign in with the passkey. */
async function methodsToOffer(work: Work, facts: SignInFacts, has: Parameters<typeof methodsOf>[1]): Promise<string[]> {
  if (!facts.mfa_enrolled) return ['passkey']
  return methodsOf(await policyOf(work), has)
}
