export {
  revokeOrganizationSessions,
  revokeSession,
  revokeUserSessions,
} from './cut-off.ts'
export { sessionEvents } from './events.ts'
export { endOldestSessions, hasSessions, holdSessionLimit, sessionRoom } from './limit.ts'
export { endLinked, endThere, hashThere, providerLogoutEvents } from './provider-logout.ts'
export type { NamedThere } from './provider-names.ts'
export { type HeldRole, heldRolesText, permissionsOf } from './role-claims.ts'
export { RevokedCount } from './schema.ts'
export { sessionSettings } from './settings.ts'
export { isLiveSession, liveSessionText, unendedSessionText } from './store.ts'
export { type HashedThere, isNamed } from './tie-store.ts'
export { findTie, keepTie, makeTie, type Tie, writeTie } from './ties.ts'
export { accountOfTeam, audienceOf, exampleTokens, issueTokens, SessionTokens } from './tokens.ts'
