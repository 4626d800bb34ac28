import { maskEmail } from '../../platform/mail/address.ts'
import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'

const kinds = { emailChanged: defineMail('email_changed') }

/** To the old address. The new one is masked: the reader of the old mailbox may not be meant to know it. */
export function addressChangedMail(oldAddress: string, newAddress: string): Message {
  const content = {
    heading: 'Your email address was changed',
    paragraphs: [`Your account now uses ${maskEmail(newAddress)}. This address can no longer be used to sign in.`],
    footer: 'If you did not expect this, tell your administrator.',
  }
  return { kind: kinds.emailChanged, to: oldAddress, subject: 'Your email address was changed', content }
}
