import { defineMail } from '../../../platform/mail/kinds.ts'
import { mailSays } from '../../../platform/mail/messages.ts'
import type { Message } from '../../../platform/mail/outbox.ts'
import { type Language, spanInWords } from '../../../platform/messages/language.ts'
import type { ShownCode } from '../otp/otp.ts'
import { says } from './messages.ts'
import type { LinkMailData } from './send-link.ts'

const kinds = { login: defineMail('magic_link'), discovery: defineMail('discovery_link') }

/** The mail with a sign-in link, and with `otp` a code that also works. */
export function magicLinkMail(
  use: keyof typeof kinds,
  { to, url, ttlSeconds }: LinkMailData,
  otp: ShownCode | null,
): Message {
  return {
    kind: kinds[use],
    to,
    write: (language) => ({
      subject: mailSays.signInLink(language),
      content: {
        heading: mailSays.signIn(language),
        paragraphs: [says.follow(language)],
        button: { label: mailSays.signIn(language), url },
        ...(otp && { code: otp.code, codeLabel: labelOf(language, otp) }),
        footer: mailSays.linkNotAskedFor(language, { span: spanInWords(language, ttlSeconds) }),
      },
    }),
  }
}

function labelOf(language: Language, { digitCode: digits, ttlSeconds }: ShownCode): string {
  const span = spanInWords(language, ttlSeconds)
  return digits ? says.orCodeOrDigits(language, { digits, span }) : says.orCode(language, { span })
}
