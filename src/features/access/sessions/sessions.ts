export {
  revokeOrganizationSessions,
  revokeSession,
  revokeSessions,
  revokeUserSessions,
  stopSignIns,
} from './cut-off.ts'
export { sessionErrors } from './errors.ts'
export { sessionEvents } from './events.ts'
export { endOldestSessions, hasSessions, holdSessionLimit, sessionRoom } from './limit.ts'
export {
  endOtherSessions,
  endOwnSession,
  holdOwnSession,
  listOwnSessions,
  renewAuthentication,
  sessionIdOf,
} from './own.ts'
export { type HeldRole, heldRolesText, permissionsOf } from './role-claims.ts'
export { Impersonator, Session, toSession } from './schema.ts'
export { sessionSettings } from './settings.ts'
export { IMPERSONATION, isLiveSession, liveSessionText, unendedSessionText } from './store.ts'
export { accountOfTeam } from './team-audience.ts'
export { claimSettings } from './token-settings.ts'
export {
  audienceOf,
  exampleTokens,
  grantsInTeam,
  issueAccessToken,
  issueTokens,
  SessionTokens,
} from './tokens.ts'
