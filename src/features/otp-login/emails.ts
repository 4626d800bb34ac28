import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { ShownCode } from '../otp/otp.ts'

const kinds = { loginOtp: defineMail('login_otp'), signupOtp: defineMail('signup_otp') }

const TEXTS = {
  login: { kind: kinds.loginOtp, subject: 'Your sign-in code', heading: 'Your sign-in code', act: 'sign in' },
  signup: { kind: kinds.signupOtp, subject: 'Confirm your email address', heading: 'Welcome', act: 'continue' },
} as const

/** The mail with a sign-in or sign-up code. The code is not in the subject, which lock screens show. */
export function signInMail(to: string, purpose: keyof typeof TEXTS, otp: ShownCode): Message {
  const { kind, subject, heading, act } = TEXTS[purpose]
  const digits = otp.digitCode === null ? [] : [`If you are asked for digits, enter ${otp.digitCode} instead.`]
  const content = {
    heading,
    paragraphs: [`Enter these words to ${act}.`, ...digits],
    code: otp.code,
    footer:
      `They work once, within ${spanInWords(otp.ttlSeconds)}. ` +
      'If you did not ask for them, ignore this email and do not share them.',
  }
  return { kind, to, subject, content }
}
