import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'

const TEXTS = {
  login: { kind: 'login_otp', subject: 'Your sign-in code', heading: 'Your sign-in code', act: 'sign in' },
  signup: { kind: 'signup_otp', subject: 'Confirm your e-mail address', heading: 'Welcome', act: 'go on' },
} as const

/** The mail that brings a sign-in or sign-up code. The code is not in the subject, which locked screens show. */
export function signInMail(
  to: string,
  purpose: keyof typeof TEXTS,
  otp: { code: string; digitCode: string | null; ttlSeconds: number },
): Message {
  const { kind, subject, heading, act } = TEXTS[purpose]
  const digits = otp.digitCode === null ? [] : [`If digits are asked for, enter ${otp.digitCode} instead.`]
  const content = {
    heading,
    paragraphs: [`Enter these words where you were asked for them to ${act}.`, ...digits],
    code: otp.code,
    footer:
      `They work once, within ${spanInWords(otp.ttlSeconds)}. ` +
      'If you did not ask for them, ignore this mail and tell them to nobody.',
  }
  return { kind, to, subject, content }
}
