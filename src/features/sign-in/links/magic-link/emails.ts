import { defineMail } from '../../../../platform/mail/kinds.ts'
import type { Message } from '../../../../platform/mail/outbox.ts'
import { type Language, spanInWords } from '../../../../platform/messages/language.ts'
import { texts } from '../../../../platform/messages/texts.gen.ts'
import type { ShownCode } from '../../otp/otp.ts'
import type { LinkMailData } from '../send-link/send-link.ts'

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
      subject: texts.mail.signInLink(language),
      content: {
        heading: texts.mail.signIn(language),
        paragraphs: [texts.links.follow(language)],
        button: { label: texts.mail.signIn(language), url },
        ...(otp && { code: otp.code, codeLabel: labelOf(language, otp) }),
        footer: texts.mail.linkNotAskedFor(language, { span: spanInWords(language, ttlSeconds) }),
      },
    }),
  }
}

function labelOf(language: Language, { digitCode: digits, ttlSeconds }: ShownCode): string {
  const span = spanInWords(language, ttlSeconds)
  return digits ? texts.links.orCodeOrDigits(language, { digits, span }) : texts.links.orCode(language, { span })
}
