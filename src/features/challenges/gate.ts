import { type OperationNodeSource, type RawBuilder, sql } from 'kysely'
import { recordIfAny } from '../../platform/events.ts'
import { newId } from '../../platform/ids.ts'
import type { Work } from '../../platform/work.ts'
import { authSettings, type Entry, type Gate, gateEvents, type SessionAnswer } from '../login/login.ts'
import { type Demand, demandAtRefresh, demandFactor, methodsToPass } from '../mfa/mfa.ts'
import { startChallenge } from './store.ts'
import { makeToken } from './token.ts'

/** Holds whoever has proved one factor and needs two: the answer is a challenge instead of tokens. */
export const mfaGate: Gate = {
  async judge(work, entry) {
    if (entry.aal !== 'aal1') return null
    const { facts, session } = entry
    const settings = await authSettings.effective(work)
    const demand = session
      ? await demandAtRefresh(work, { ...facts, trusted_device_id: session.trustedDeviceId }, settings)
      : await demandFactor(work, facts, settings)
    const { kind, unchanged, deviceId, events } = demand
    if (kind === 'nothing')
      return { kind: 'pass', conditions: [unchanged], deviceId, events, says: describeGrace(demand) }
    return {
      kind: 'hold',
      hold: ({ proof, alongside, conditions }) =>
        replyWithChallenge(work, {
          entry,
          enrollment: kind === 'enrollment',
          proof,
          alongside,
          conditions: [...conditions, unchanged],
        }),
    }
  },
}

/** What the answer says about the grace period of a user who lacks the required factor. */
function describeGrace({ graceEndsAt }: Demand): Pick<SessionAnswer, 'mfa'> {
  return graceEndsAt === null
    ? {}
    : { mfa: { required: true, enrolled: false, grace_ends_at: graceEndsAt.toISOString() } }
}

/** A first factor that was right, to be consumed for a challenge. */
interface FirstFactor {
  entry: Entry
  enrollment: boolean
  proof: OperationNodeSource
  alongside: OperationNodeSource | null
  /** What must still hold of the row `users`. */
  conditions: RawBuilder<unknown>[]
}

/**
 * Consumes the first factor for a challenge instead of a session: no session exists before every factor has passed.
 * @returns null when the first factor was already consumed.
 */
async function replyWithChallenge(work: Work, first: FirstFactor): Promise<SessionAnswer | null> {
  const { entry, enrollment } = first
  const { facts, method: authMethod, amr, session } = entry
  const id = newId()
  const data = { id, directory_user_id: facts.user_id, auth_method: authMethod, enrollment_required: enrollment }
  const token = makeToken(work)
  const made = await startChallenge(work.db, work.directory, {
    id,
    userId: facts.user_id,
    emailNorm: facts.email.toLowerCase(),
    authMethod,
    amr,
    sessionId: session?.id ?? null,
    token,
    enrollment,
    proof: first.proof,
    alongside: first.alongside,
    unchanged: sql.join([sql`epoch = ${facts.epoch}`, ...first.conditions], sql` and `),
    record: recordIfAny(
      work,
      'challenge',
      gateEvents.challengeCreated({ target: { type: 'user', id: facts.user_id }, data }),
    ),
  })
  if (!made) return null
  // For a user whose only second factor is a passkey no code passes: they sign in with the passkey.
  const codes = () => (facts.mfa_enrolled ? methodsToPass(work, made.has) : ['passkey'])
  const methods = enrollment ? ['totp'] : await codes()
  return {
    session: null,
    mfa_required: true,
    challenge_token: token.token,
    challenge_expires_at: made.expiresAt.toISOString(),
    directory_user_id: facts.user_id,
    methods,
    enrollment_required: enrollment,
  }
}
