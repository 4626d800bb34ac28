import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { LinkMailData } from '../links/send-link/send-link.ts'

const kinds = { emailVerification: defineMail('email_verification') }

/** The mail with the link that proves the mailbox. */
export function verificationMail({ to, url, ttlSeconds }: LinkMailData): Message {
  return {
    kind: kinds.emailVerification,
    to,
    write: (language) =>
      titled(texts.mail.confirmAddress(language), {
        paragraphs: [texts.emailVerification.given(language)],
        button: { label: texts.mail.confirmAddressLabel(language), url },
        footer: texts.emailVerification.notYours(language, { span: spanInWords(language, ttlSeconds) }),
      }),
  }
}
