import { maskEmail } from '../../../../platform/mail/address.ts'
import { defineMail } from '../../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../../platform/mail/outbox.ts'
import type { Reader } from '../../../../platform/messages/language.ts'
import { texts } from '../../../../platform/messages/texts.gen.ts'

const kinds = { emailChanged: defineMail('email_changed') }

/** To the old address. The new one is masked: the reader of the old mailbox may not be meant to know it. */
export function addressChangedMail(before: Reader, newAddress: string): Message {
  return {
    kind: kinds.emailChanged,
    to: before,
    write: (language) =>
      titled(texts.mail.addressChanged(language), {
        paragraphs: [texts.mail.addressNow(language, { address: maskEmail(newAddress) })],
        footer: texts.mail.unexpected(language),
      }),
  }
}
