export type { Assertion } from '../webauthn.ts'
export {
  type ProvenPasskey,
  passkeyDiscovery,
  resumePasskey,
  signInInEnvironment,
  startInEnvironment,
} from './in-environment.ts'
export { passkeyMethod, proofOf, provePasskey, signInWithPasskey, startSignIn } from './in-organization.ts'
