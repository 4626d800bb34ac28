export { deletePasskeyOf, describeFactorsLeft, listPasskeysOf, renamePasskeyOf } from './administration.ts'
export { passkeyErrors } from './errors.ts'
export { passkeyEvents } from './events.ts'
export { finishRegistration, startRegistration } from './registration.ts'
export {
  ChallengeId,
  CreationOptions,
  Passkey,
  PasskeyName,
  PasskeyPatch,
  REGISTER_EXAMPLE,
  RegistrationCredential,
  RequestOptions,
  SignInCredential,
} from './schema.ts'
export { passkeyMethod, provePasskey, startSignIn } from './sign-in.ts'
