export { assertArrivedAt } from './arrival.ts'
export {
  type BareWork,
  type Begun,
  beginFederated,
  beginUnsolicited,
  directoryOf,
  findFederated,
  takeFederated,
} from './begin.ts'
export { callbackRoute } from './callback-route.ts'
export { codeOf, completeFederated, type FederationRules, settleFederated } from './complete.ts'
export { type FailureCode, FederationFailure, federationErrors, type LogoutFailureCode, NO_GROUPS } from './errors.ts'
export { failFederated } from './hand-back.ts'
export { closeSource, endSessionsThere, type SignedOutThere, unlinkSource } from './identities.ts'
export { beginLogout, endLogout, findLogout, type LogoutDemand, takeLogout } from './logout.ts'
export { fetchMetadata } from './metadata.ts'
export { assertStillOpen } from './open.ts'
export { type FederatedPerson, isStorable } from './person.ts'
export { StartReply, startFields } from './schema.ts'
