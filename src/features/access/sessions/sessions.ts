export {
  revokeOrganizationSessions,
  revokeSession,
  revokeSessions,
  revokeUserSessions,
  stopSignIns,
} from './cut-off.ts'
export { sessionEvents } from './events.ts'
export { endOldestSessions, hasSessions, lockSessionLimit, sessionRoom } from './limit.ts'
export { lockOwnSessionRow, renewAuthentication, sessionIdOf } from './own.ts'
export { Impersonator, SessionName } from './schema.ts'
export { sessionSettings } from './settings.ts'
export { IMPERSONATION, isLiveSession, liveSessionText, unendedSessionText } from './store.ts'
