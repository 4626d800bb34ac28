import { renderMail } from '../../platform/mail/layout.ts'
import type { Mail } from '../../platform/mail/outbox.ts'

/** The mail that brings a code of the generator. */
export function renderCodeMail(to: string, code: { code: string; digitCode: string | null; ttlSeconds: number }): Mail {
  const digits = code.digitCode === null ? [] : [`If digits are asked for, enter ${code.digitCode} instead.`]
  const { text, html } = renderMail({
    heading: 'Your one-time code',
    paragraphs: ['Enter this code where you were asked for it.', ...digits],
    code: code.code,
    footer: `The code works once, for ${describeSeconds(code.ttlSeconds)}. If you did not ask for it, ignore this mail and tell the code to nobody.`,
  })
  // Not in the subject: that is shown on locked screens.
  return { kind: 'otp', to, subject: 'Your one-time code', text, html }
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`
  return `${Math.floor(seconds / 60)} minutes`
}
