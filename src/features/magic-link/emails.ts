import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { LinkMail } from '../login/login.ts'

/** Brings a sign-in link, and with `code` the words that do as well. */
export function magicLinkMail(
  { to, url, ttlSeconds }: LinkMail,
  otp: { code: string; digitCode: string | null; ttlSeconds: number } | null,
): Message {
  const digits = otp?.digitCode ? ` (or ${otp.digitCode}, if digits are asked for)` : ''
  const codes = otp && {
    code: otp.code,
    codeLabel: `Or enter this code${digits}, within ${spanInWords(otp.ttlSeconds)}:`,
  }
  return {
    kind: 'magic_link',
    to,
    subject: 'Your sign-in link',
    content: {
      heading: 'Sign in',
      paragraphs: ['Follow the link to sign in.'],
      button: { label: 'Sign in', url },
      ...codes,
      footer:
        `The link works once, within ${spanInWords(ttlSeconds)}. ` +
        'If you did not ask for it, ignore this mail and pass it on to nobody.',
    },
  }
}
