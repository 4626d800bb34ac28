export type { ShownCode } from './codes.ts'
export { codeSms } from './emails.ts'
export { signInCodeErrors } from './errors.ts'
export { codeSent, describeNothingSent, otpEvents, sendCodeEvents } from './events.ts'
export { SentCodeReply, toSentCode, VerifyCodeBody } from './schema.ts'
export {
  mailedCodeSettings,
  type OtpSettings,
  otpSettings,
  sendLimits,
  toSendCeilings,
  toSmsLimits,
} from './settings.ts'
export { codeProof, endOtpRows } from './store.ts'
export { verifyCodeAs, verifyCodeRoute } from './verify-route.ts'
