export { assertArrivedAt } from './arrival.ts'
export { callbackRoute } from './callback-route.ts'
export { type FailureCode, FederationFailure, federationErrors, type LogoutFailureCode, NO_GROUPS } from './errors.ts'
export { federationEvents } from './events.ts'
export {
  closeSource,
  endSessionsOfProvider,
  findConnectionsOfUser,
  type ProviderLogout,
  unlinkSource,
} from './identities.ts'
export { fetchMetadata } from './metadata.ts'
export { assertStillOpen } from './open.ts'
export { type FederatedPerson, isStorable } from './person.ts'
export { failFederated } from './redirect-to-app.ts'
export { StartReply, startFields } from './schema.ts'
