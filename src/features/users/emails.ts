import { maskEmail } from '../../platform/mail/address.ts'
import type { Message } from '../../platform/mail/outbox.ts'

/** To the address that was: the new one is masked, as whoever reads the old mailbox may not be meant to know it. */
export function addressChangedMail(oldAddress: string, newAddress: string): Message {
  const content = {
    heading: 'Your e-mail address was changed',
    paragraphs: [`Your account now uses ${maskEmail(newAddress)}. This address can no longer be used to sign in.`],
    footer: 'If you did not expect this, tell your administrator.',
  }
  return { kind: 'email_changed', to: oldAddress, subject: 'Your e-mail address was changed', content }
}
