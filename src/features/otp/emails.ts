import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { NewSms } from '../../platform/sms/outbox.ts'
import type { ShownCode } from './codes.ts'

const kinds = {
  otp: defineMail('otp'),
  loginOtp: defineMail('login_otp'),
  signupOtp: defineMail('signup_otp'),
  stepUpOtp: defineMail('step_up_otp'),
  discoveryOtp: defineMail('discovery_otp'),
}

/** The mail with a code of the generator. */
export function codeMail(to: string, code: ShownCode): Message {
  const digits = code.digitCode === null ? [] : [`If you are asked for digits, enter ${code.digitCode} instead.`]
  const content = {
    heading: 'Your one-time code',
    paragraphs: ['Enter this code where you were asked for it.', ...digits],
    code: code.code,
    footer: `The code works once, within ${describeSeconds(code.ttlSeconds)}. If you did not ask for it, ignore this email and do not share the code.`,
  }
  // The code is not in the subject, which lock screens show.
  return { kind: kinds.otp, to, subject: 'Your one-time code', content }
}

/** The same as a text message: plain ASCII and under 160 characters, so that it is billed as one. */
export function codeSms(to: string, code: ShownCode, use: 'otp' | 'login_otp' = 'otp'): NewSms {
  const digits = code.digitCode === null ? '' : ` (or ${code.digitCode})`
  const life = describeSeconds(code.ttlSeconds)
  const what = use === 'otp' ? 'one-time' : 'sign-in'
  const text = `Your ${what} code: ${code.code}${digits}. It works once, within ${life}. Do not share it.`
  return { kind: use, to, text }
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`
  return `${Math.floor(seconds / 60)} minutes`
}

const TEXTS = {
  login: { kind: kinds.loginOtp, subject: 'Your sign-in code', heading: 'Your sign-in code', act: 'sign in' },
  step_up: {
    kind: kinds.stepUpOtp,
    subject: 'Confirm that it is you',
    heading: 'Confirm that it is you',
    act: 'confirm a change of your account',
  },
  discovery: { kind: kinds.discoveryOtp, subject: 'Your sign-in code', heading: 'Your sign-in code', act: 'continue' },
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
