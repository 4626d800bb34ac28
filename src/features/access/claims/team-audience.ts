import { isId } from '../../../platform/ids.ts'

const TEAM_SUFFIX = '/team'

/** The account whose team a token claims to belong to; null for other tokens. */
export function accountOfTeam(audience: unknown): string | null {
  if (typeof audience !== 'string' || !audience.endsWith(TEAM_SUFFIX)) return null
  const accountId = audience.slice(0, -TEAM_SUFFIX.length)
  return isId(accountId) ? accountId : null
}

/** The audience of the team's tokens: only this service (RFC 9068 §2.2, RFC 8725 §3.9). */
export function audienceOfTeam(accountId: string): string {
  return accountId + TEAM_SUFFIX
}
