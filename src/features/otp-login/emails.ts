import { renderMail } from '../../platform/mail/layout.ts'
import type { Mail } from '../../platform/mail/outbox.ts'

const TEXTS = {
  login: { kind: 'login_otp', subject: 'Your sign-in code', heading: 'Your sign-in code', act: 'sign in' },
  signup: { kind: 'signup_otp', subject: 'Confirm your e-mail address', heading: 'Welcome', act: 'go on' },
} as const

/** The mail that brings a sign-in or sign-up code. The code is not in the subject, which locked screens show. */
export function renderSignInMail(
  to: string,
  purpose: keyof typeof TEXTS,
  otp: { code: string; digitCode: string | null; ttlSeconds: number },
): Mail {
  const { kind, subject, heading, act } = TEXTS[purpose]
  const minutes = Math.max(1, Math.round(otp.ttlSeconds / 60))
  const digits = otp.digitCode === null ? [] : [`If digits are asked for, enter ${otp.digitCode} instead.`]
  const { text, html } = renderMail({
    heading,
    paragraphs: [`Enter these words where you were asked for them to ${act}.`, ...digits],
    code: otp.code,
    footer:
      `They work once, within ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}. ` +
      'If you did not ask for them, ignore this mail and tell them to nobody.',
  })
  return { kind, to, subject, text, html }
}
