import { maskEmail } from '../../../../platform/mail/address.ts'
import { EXAMPLE_READER } from '../../../../platform/mail/examples.ts'
import { defineMail, NOTICE } from '../../../../platform/mail/kinds.ts'
import { type Message, titled, withValues } from '../../../../platform/mail/outbox.ts'
import type { Reader } from '../../../../platform/messages/language.ts'
import { texts } from '../../../../platform/messages/texts.gen.ts'

const kinds = {
  emailChanged: defineMail('email_changed', () => addressChangedMail(EXAMPLE_READER, 'ada@new.example.com'), NOTICE),
}

/**
 * The mail to the old address. The new address is masked, since the reader of the old mailbox may be another person.
 */
export function addressChangedMail(before: Reader, newAddress: string): Message {
  return withValues({
    kind: kinds.emailChanged,
    to: before,
    values: () => ({ new_address: maskEmail(newAddress) }),
    write: (language, names) =>
      titled(texts.mail.addressChanged(language), {
        paragraphs: [texts.mail.addressNow(language, { address: names.new_address })],
        footer: texts.mail.unexpected(language),
      }),
  })
}
