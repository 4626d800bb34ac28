import type { Message } from '../../platform/mail/outbox.ts'
import type { NewSms } from '../../platform/sms/outbox.ts'

interface SentCode {
  code: string
  digitCode: string | null
  ttlSeconds: number
}

/** The mail that brings a code of the generator. */
export function codeMail(to: string, code: SentCode): Message {
  const digits = code.digitCode === null ? [] : [`If digits are asked for, enter ${code.digitCode} instead.`]
  const content = {
    heading: 'Your one-time code',
    paragraphs: ['Enter this code where you were asked for it.', ...digits],
    code: code.code,
    footer: `The code works once, for ${describeSeconds(code.ttlSeconds)}. If you did not ask for it, ignore this mail and tell the code to nobody.`,
  }
  // Not in the subject: that is shown on locked screens.
  return { kind: 'otp', to, subject: 'Your one-time code', content }
}

/** The same as a text message. Plain ASCII and less than 160 characters, so that it is billed as one. */
export function codeSms(to: string, code: SentCode): NewSms {
  const digits = code.digitCode === null ? '' : ` (or ${code.digitCode})`
  const life = describeSeconds(code.ttlSeconds)
  const text = `Your one-time code: ${code.code}${digits}. It works once, for ${life}. If you did not ask for it, tell it to nobody.`
  return { kind: 'otp', to, text }
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`
  return `${Math.floor(seconds / 60)} minutes`
}
