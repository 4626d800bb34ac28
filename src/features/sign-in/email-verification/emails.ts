import { EXAMPLE_LINK } from '../../../platform/mail/examples.ts'
import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import { spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { LinkMailData } from '../links/send-link/send-link.ts'

const kinds = { emailVerification: defineMail('email_verification', () => verificationMail(EXAMPLE_LINK)) }

/** The mail with the link that proves the mailbox. */
export function verificationMail({ to, url, ttlSeconds }: LinkMailData): Message {
  return withValues({
    kind: kinds.emailVerification,
    to,
    values: (language) => ({ expires_in: spanInWords(language, ttlSeconds) }),
    write: (language, names) =>
      titled(texts.mail.confirmAddress(language), {
        paragraphs: [texts.emailVerification.given(language)],
        button: { label: texts.mail.confirmAddressLabel(language), url },
        footer: texts.emailVerification.notYours(language, { span: names.expires_in }),
      }),
  })
}
