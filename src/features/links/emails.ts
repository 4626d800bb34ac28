import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { ShownCode } from '../otp/otp.ts'
import type { LinkMailData } from './send-link.ts'

const kinds = { login: defineMail('magic_link'), discovery: defineMail('discovery_link') }

/** The mail with a sign-in link, and with `otp` a code that also works. */
export function magicLinkMail(
  use: keyof typeof kinds,
  { to, url, ttlSeconds }: LinkMailData,
  otp: ShownCode | null,
): Message {
  const digits = otp?.digitCode ? ` (or ${otp.digitCode}, if you are asked for digits)` : ''
  const codes = otp && {
    code: otp.code,
    codeLabel: `Or enter this code${digits}, within ${spanInWords(otp.ttlSeconds)}:`,
  }
  return {
    kind: kinds[use],
    to,
    subject: 'Your sign-in link',
    content: {
      heading: 'Sign in',
      paragraphs: ['Follow the link to sign in.'],
      button: { label: 'Sign in', url },
      ...codes,
      footer:
        `The link works once, within ${spanInWords(ttlSeconds)}. ` +
        'If you did not ask for it, ignore this email and do not forward it.',
    },
  }
}
