import { makeRefreshToken } from '../../../platform/crypto/refresh-token.ts'
import type { EventInput } from '../../../platform/events/events.ts'
import type { UsedBeside } from '../../../platform/joined/proofs.ts'
import type { Work } from '../../../platform/work.ts'
import { issueAccessToken, type SessionTokens } from '../claims/claims.ts'
import { IMPERSONATION, sessionEvents } from '../sessions/sessions.ts'
import { loginErrors } from './errors.ts'
import { assertMaySignIn } from './gates.ts'
import { impersonationOutcome } from './session-outcome.ts'
import type { SignInFacts } from './sign-in-facts.ts'
import { spend } from './spend.ts'

/** The support person, and how long the session lasts. */
interface Acting {
  sessionId: string
  seconds: number
  act: { sub: string; reason: string }
  /** Rows that are written by the statement which creates the session. */
  beside: UsedBeside[]
  events: EventInput[]
}

/**
 * Creates an impersonation session, the only session that `completeLogin` does not create. The support person does
 * not prove the user's identity, so no second factor is required. Permanent refusals of the gates apply. There is no
 * refresh token, so the session ends with its only access token. Throws what `assertMaySignIn` throws.
 */
export async function issueImpersonationSession(
  work: Work,
  facts: SignInFacts,
  { sessionId, seconds, act, beside, events }: Acting,
): Promise<Pick<SessionTokens, 'access_token' | 'expires_in'> & { endsAt: Date }> {
  await assertMaySignIn(work, facts)
  const { platform, directory } = work
  const refresh = makeRefreshToken(platform.keyring, { directoryId: directory.id, sessionId, generation: 0 })
  const authentication = { auth_method: IMPERSONATION, amr: [], aal: 'aal1', connection_id: null }
  const ids = { id: sessionId, user_id: facts.auth_account_id ?? sessionId, directory_user_id: facts.user_id }
  const made = await spend(work, {
    user: { id: facts.user_id, emailNorm: facts.email.toLowerCase(), epoch: facts.epoch },
    proofs: [],
    beside,
    conditions: [],
    madeId: sessionId,
    outcome: impersonationOutcome({
      auth_method: IMPERSONATION,
      refresh_hash: refresh.hash,
      max_seconds: seconds,
      organization_epoch: facts.organization_epoch,
    }),
    events: [
      sessionEvents.created({ target: { type: 'session', id: sessionId }, data: { ...ids, ...authentication } }),
      ...events,
    ],
  })
  // The user was cut off, deleted or deactivated at the same moment.
  if (!made) throw loginErrors.userInactive()
  const session = {
    sessionId,
    userId: made.auth_account_id,
    amr: [],
    aal: 'aal1',
    authenticatedAt: made.created_at,
    endsAt: made.expires_at,
    connectionId: null,
    act,
  }
  const issued = await issueAccessToken(work, { facts, session, settings: { access_token_ttl_seconds: seconds } })
  return { ...issued, endsAt: made.expires_at }
}
