import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { LinkMailData } from '../links/links.ts'

const kinds = { emailVerification: defineMail('email_verification') }

/** The mail with the link that proves the mailbox. */
export function verificationMail({ to, url, ttlSeconds }: LinkMailData): Message {
  return {
    kind: kinds.emailVerification,
    to,
    subject: 'Confirm your email address',
    content: {
      heading: 'Confirm your email address',
      paragraphs: ['This address was given for an account. Follow the link to confirm that it is yours.'],
      button: { label: 'Confirm address', url },
      footer: `The link works once, within ${spanInWords(ttlSeconds)}. If this is not your account, ignore this email.`,
    },
  }
}
