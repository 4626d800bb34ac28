import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { LinkMail } from '../login/login.ts'

/** Brings an invitation. Whoever has a password already is asked to sign in with it. */
export function inviteMail({ to, url, ttlSeconds }: LinkMail, hasPassword: boolean): Message {
  const text = hasPassword
    ? {
        paragraph: 'You have an account for this address already: sign in with your password.',
        label: 'Open',
        footer: '',
      }
    : {
        paragraph: '{brand} has made an account for you. Choose a password to start using it.',
        label: 'Accept the invitation',
        footer: `The link works once, for ${spanInWords(ttlSeconds)}. `,
      }
  return {
    kind: 'invite',
    to,
    subject: 'You are invited to {brand}',
    content: {
      heading: 'You are invited to {brand}',
      paragraphs: [text.paragraph],
      button: { label: text.label, url },
      footer: `${text.footer}If you did not expect this mail, ignore it.`,
    },
  }
}
