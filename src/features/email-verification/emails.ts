import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { LinkMail } from '../login/login.ts'

/** Brings the link that shows whose the mailbox is. */
export function verificationMail({ to, url, ttlSeconds }: LinkMail): Message {
  return {
    kind: 'email_verification',
    to,
    subject: 'Confirm your e-mail address',
    content: {
      heading: 'Confirm your e-mail address',
      paragraphs: ['This address was given for an account. Follow the link to confirm that it is yours.'],
      button: { label: 'Confirm address', url },
      footer: `The link works once, within ${spanInWords(ttlSeconds)}. If the account is not yours, ignore this mail.`,
    },
  }
}
