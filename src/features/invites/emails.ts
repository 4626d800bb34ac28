import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { LinkMailData } from '../links/links.ts'

const kinds = { invite: defineMail('invite') }

/** The mail with an invitation. Users who already have a password are asked to sign in with it. */
export function inviteMail({ to, url, ttlSeconds }: LinkMailData, hasPassword: boolean): Message {
  const text = hasPassword
    ? {
        paragraph: 'You already have an account for this address: sign in with your password.',
        label: 'Open',
        footer: '',
      }
    : {
        paragraph: '{brand} has created an account for you. Choose a password to start using it.',
        label: 'Accept the invitation',
        footer: `The link works once, within ${spanInWords(ttlSeconds)}. `,
      }
  return {
    kind: kinds.invite,
    to,
    subject: 'You are invited to {brand}',
    content: {
      heading: 'You are invited to {brand}',
      paragraphs: [text.paragraph],
      button: { label: text.label, url },
      footer: `${text.footer}If you did not expect this email, ignore it.`,
    },
  }
}
