import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { defineEndReasons, type EndReason } from '../../../platform/lifecycle/end-reasons.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { revokeUserSessions, sessionIdOf } from '../../access/sessions/sessions.ts'

export const reasons = defineEndReasons('mfa_enrolled', 'mfa_removed', 'mfa_codes_renewed')

/** Fields of a body: which sessions end with a change of factors (ASVS 7.4.3). */
export const endsFields = {
  revokeSessions: Type.Optional(
    Type.Boolean({ description: 'Ends the other sessions of the user. Default true.', examples: [true] }),
  ),
  access_token: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'Access token of the session that the user made the request in. That session is kept.',
    }),
  ),
}

/** Which sessions of a user end. */
export interface SessionsToEnd {
  revokeSessions: boolean
  /** The session that stays; null for none. */
  sparedId: string | null
}

/** What reading them may refuse. */
export const endsErrors = [httpErrors.impersonationReadOnly]

/** Reads `endsFields`. A token that is not valid spares no session. Throws `impersonation_read_only`. */
export async function readEnds(
  work: Work,
  { revokeSessions = true, access_token: token = null }: { revokeSessions?: boolean; access_token?: string | null },
): Promise<SessionsToEnd> {
  return { revokeSessions, sparedId: await sessionIdOf(work, token) }
}

/** Ends sessions of a user whose factors have changed. */
export async function endSessions(
  work: TxWork,
  userId: string,
  { revokeSessions, sparedId }: SessionsToEnd,
  reason: EndReason,
): Promise<void> {
  if (revokeSessions) await revokeUserSessions(work, userId, reason, sparedId === null ? [] : [sparedId])
}
