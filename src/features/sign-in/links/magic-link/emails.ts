import { EXAMPLE_CODE, EXAMPLE_LINK } from '../../../../platform/mail/examples.ts'
import { defineMail } from '../../../../platform/mail/kinds.ts'
import { type Message, withValues } from '../../../../platform/mail/outbox.ts'
import { type Language, spanInWords } from '../../../../platform/messages/language.ts'
import { texts } from '../../../../platform/messages/texts.gen.ts'
import type { ShownCode } from '../../otp/otp.ts'
import type { LinkMailData } from '../send-link/send-link.ts'

const kinds = {
  login: defineMail('magic_link', () => magicLinkMail('login', EXAMPLE_LINK, EXAMPLE_CODE)),
  discovery: defineMail('discovery_link', () => magicLinkMail('discovery', EXAMPLE_LINK, EXAMPLE_CODE)),
}

/** The mail with a sign-in link, and with `otp` a code that also works. */
export function magicLinkMail(
  use: 'login' | 'discovery',
  { to, url, ttlSeconds }: LinkMailData,
  otp: ShownCode | null,
): Message {
  return withValues({
    kind: kinds[use],
    to,
    values: (language) => ({
      digits: otp?.digitCode ?? null,
      code_expires_in: otp && spanInWords(language, otp.ttlSeconds),
      expires_in: spanInWords(language, ttlSeconds),
    }),
    write: (language, names) => ({
      subject: texts.mail.signInLink(language),
      content: {
        heading: texts.mail.signIn(language),
        paragraphs: [texts.links.follow(language)],
        button: { label: texts.mail.signIn(language), url },
        ...(otp && { code: otp.code, codeLabel: labelOf(language, names.digits, names.code_expires_in ?? '') }),
        footer: texts.mail.linkNotAskedFor(language, { span: names.expires_in }),
      },
    }),
  })
}

function labelOf(language: Language, digits: string | null, span: string): string {
  return digits ? texts.links.orCodeOrDigits(language, { digits, span }) : texts.links.orCode(language, { span })
}
