import { defineMail } from '../../../platform/mail/kinds.ts'
import { mailSays } from '../../../platform/mail/messages.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { spanInWords } from '../../../platform/messages/language.ts'
import type { LinkMailData } from '../links/links.ts'
import { says } from './messages.ts'

const kinds = { emailVerification: defineMail('email_verification') }

/** The mail with the link that proves the mailbox. */
export function verificationMail({ to, url, ttlSeconds }: LinkMailData): Message {
  return {
    kind: kinds.emailVerification,
    to,
    write: (language) =>
      titled(mailSays.confirmAddress(language), {
        paragraphs: [says.given(language)],
        button: { label: mailSays.confirmAddressLabel(language), url },
        footer: says.notYours(language, { span: spanInWords(language, ttlSeconds) }),
      }),
  }
}
