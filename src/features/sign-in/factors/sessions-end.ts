import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { defineEndReasons, type EndReason } from '../../../platform/lifecycle/end-reasons.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { revokeUserSessions, sessionIdOf } from '../../access/sessions/sessions.ts'

export const reasons = defineEndReasons('mfa_enrolled', 'mfa_removed', 'mfa_codes_renewed')

/** Body fields that say which sessions a change of factors ends (ASVS 7.4.3). */
export const endsFields = {
  revokeSessions: Type.Optional(
    Type.Boolean({ description: 'Ends the other sessions of the user. Default true.', examples: [true] }),
  ),
  access_token: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'Access token of the session in which the user made the request. This session does not end.',
    }),
  ),
}

/** The sessions of a user that a change ends. */
export interface SessionsToEnd {
  revokeSessions: boolean
  /** The session that does not end, or null if all end. */
  sparedId: string | null
}

/** Errors that reading these fields may throw. */
export const endsErrors = [httpErrors.impersonationReadOnly]

/** Reads `endsFields`. An invalid token spares no session. Throws `impersonation_read_only`. */
export async function readEnds(
  work: Work,
  { revokeSessions = true, access_token: token = null }: { revokeSessions?: boolean; access_token?: string | null },
): Promise<SessionsToEnd> {
  return { revokeSessions, sparedId: await sessionIdOf(work, token) }
}

/** Ends sessions of a user after a change of factors. */
export async function endSessions(
  work: TxWork,
  userId: string,
  { revokeSessions, sparedId }: SessionsToEnd,
  reason: EndReason,
): Promise<void> {
  if (revokeSessions) await revokeUserSessions(work, userId, reason, sparedId === null ? [] : [sparedId])
}
