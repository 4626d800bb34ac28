export { singleSignOnMail } from '../emails.ts'
export { type GrantedCode, grantCode, proveGranted } from './granted.ts'
export { findLiveOtp, findWaitingSignup, issueOtp } from './issued-codes.ts'
export { mailCode } from './mail-code.ts'
export {
  type CodeUse,
  otpMethod,
  proveOwnCode,
  type SentCode,
  type SignUpCode,
  sendSignInCode,
  verifySignInCode,
} from './sign-in.ts'
