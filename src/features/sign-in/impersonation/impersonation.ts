import { invalidField } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { countAct, idBytes, type RateLimit } from '../../../platform/limits/rate-limit.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { findSignInFacts, issueImpersonationSession } from '../../access/login/login.ts'
import { sessionSettings } from '../../access/sessions/sessions.ts'
import { getUser } from '../../directory/users/users.ts'
import { startedMail } from './emails.ts'
import { impersonationErrors } from './errors.ts'
import { impersonationEvents } from './events.ts'
import { impersonationNoted, lockPermission } from './store.ts'

// The limit for one user, who gets a mail each time.
const LIMIT: RateLimit = { bucket: 'impersonation', limit: 20, windowSeconds: 3600 }

/** The user to impersonate, the reason, and the maximum duration. */
export interface ImpersonationRequest {
  actor?: string | undefined
  reason: string
  durationSeconds: number
}

/**
 * Starts an impersonation session (RFC 8693 §1.1). Its access token names the impersonator in `act` (§4.1). The
 * session ends when that token expires, has no refresh token, and is read-only in this API. Mails the user.
 * Throws `user_not_found`, `impersonation_disabled`, `user_never_signed_in`, and what the gates throw:
 * `organization_suspended`, `account_locked`, `user_inactive`.
 */
export async function impersonate(work: Work & { caller: ManagerCaller }, userId: string, wish: ImpersonationRequest) {
  const impersonator = { sub: actorOf(work.caller, wish.actor), reason: wish.reason }
  const { access_token_ttl_seconds } = await sessionSettings.effective(work)
  const seconds = Math.min(wish.durationSeconds, access_token_ttl_seconds)
  const user = await getUser(work, userId)
  await countAct(work, idBytes(user.id), [LIMIT])
  return inTx(work, async (work) => {
    // Impersonation works in organizations, not in the team. The lock makes a concurrent withdrawal of consent wait,
    // and that change then ends this session.
    if (work.directory.organizationId === null || !(await lockPermission(work.db, work.directory)))
      throw impersonationErrors.disabled()
    const facts = await findSignInFacts(work, { userId: user.id })
    if (!facts?.auth_account_id || facts.pending) throw impersonationErrors.neverSignedIn()
    const id = newId()
    const data = {
      id,
      user_id: facts.auth_account_id,
      directory_user_id: user.id,
      impersonator,
    }
    const { endsAt, ...issued } = await issueImpersonationSession(work, facts, {
      sessionId: id,
      seconds,
      act: impersonator,
      beside: [
        impersonationNoted({
          act_account: facts.auth_account_id,
          act_sub: impersonator.sub,
          act_reason: impersonator.reason,
          act_seconds: seconds,
        }),
      ],
      events: [impersonationEvents.started({ target: { type: 'session', id }, data: { ...data, ended: null } })],
    })
    await queueMail(work, startedMail(user, seconds), NOTICE_USEFUL_SECONDS)
    return { ...issued, ...data, expires_at: endsAt.toISOString() }
  })
}

/** A team member is always the impersonator, whereas an API key names one. Throws `invalid_request`. */
function actorOf(caller: ManagerCaller, named: string | undefined): string {
  if (caller.kind === 'key') {
    if (named !== undefined) return named
    throw invalidField(
      'actor',
      'required',
      'actor is required: send the id or address of the acting person in your system',
    )
  }
  if (named === undefined) return caller.actor.id
  throw invalidField(
    'actor',
    'not_allowed',
    'actor must not be sent by a team member, who always acts under their own name',
  )
}
