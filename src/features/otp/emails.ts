import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import type { NewSms } from '../../platform/sms/outbox.ts'
import type { ShownCode } from './codes.ts'

const kinds = { otp: defineMail('otp') }

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
export function codeSms(to: string, code: ShownCode): NewSms {
  const digits = code.digitCode === null ? '' : ` (or ${code.digitCode})`
  const life = describeSeconds(code.ttlSeconds)
  const text = `Your one-time code: ${code.code}${digits}. It works once, within ${life}. Do not share it.`
  return { kind: 'otp', to, text }
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`
  return `${Math.floor(seconds / 60)} minutes`
}
