export {
  copyFederatedSession,
  type FederatedSession,
  findFederatedSession,
  insertFederatedSession,
  makeFederatedSession,
} from './federated-session.ts'
export {
  endChallengesOfProvider,
  endSessionsOfIdentity,
  endSessionsOfLogout,
  hashLogout,
  providerLogoutEvents,
} from './logout.ts'
export { keysOfLogout, keysOfSignIn, type ProviderNames } from './names.ts'
export { type HashedLogout, isNamedByLogout } from './store.ts'
