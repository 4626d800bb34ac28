export { endChallengesOf, endLinked, endThere, hashThere, providerLogoutEvents } from './logout.ts'
export { keysMeant, keysOfSignIn, type NamedThere } from './names.ts'
export { type HashedThere, isNamed } from './store.ts'
export { findTie, keepTie, makeTie, type Tie, writeTie } from './tie.ts'
