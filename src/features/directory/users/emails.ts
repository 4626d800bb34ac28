import { maskEmail } from '../../../platform/mail/address.ts'
import { defineMail } from '../../../platform/mail/kinds.ts'
import { mailSays } from '../../../platform/mail/messages.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import type { Reader } from '../../../platform/messages/language.ts'

const kinds = { emailChanged: defineMail('email_changed') }

/** To the old address. The new one is masked: the reader of the old mailbox may not be meant to know it. */
export function addressChangedMail(before: Reader, newAddress: string): Message {
  return {
    kind: kinds.emailChanged,
    to: before,
    write: (language) =>
      titled(mailSays.addressChanged(language), {
        paragraphs: [mailSays.addressNow(language, { address: maskEmail(newAddress) })],
        footer: mailSays.unexpected(language),
      }),
  }
}
