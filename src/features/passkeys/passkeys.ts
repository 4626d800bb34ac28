export { deletePasskeyOf, describeFactorsLeft, findNamed, listPasskeysOf } from './administration.ts'
export { passkeyErrors } from './errors.ts'
export { passkeyEvents } from './events.ts'
export { finishRegistration, startRegistration } from './registration.ts'
export {
  ChallengeId,
  CreationOptions,
  Passkey,
  PasskeyName,
  REGISTER_EXAMPLE,
  RegistrationCredential,
  RequestOptions,
  SignInCredential,
  toPasskey,
} from './schema.ts'
export { passkeyMethod, provePasskey, startSignIn } from './sign-in.ts'
export { setDeviceName } from './store.ts'
