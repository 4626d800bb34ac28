export { passkeyErrors } from './errors.ts'
export { passkeyEvents } from './events.ts'
export { ChallengeId, RequestOptions, SignInCredential } from './schema.ts'
