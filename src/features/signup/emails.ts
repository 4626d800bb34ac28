import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { LinkMailData } from '../links/links.ts'

const kinds = { signupLink: defineMail('signup_link') }

const TEXTS = {
  signUp: {
    subject: 'Confirm your email address',
    heading: 'Welcome',
    paragraph: 'Follow the link to confirm your address and finish your sign-up.',
    label: 'Confirm address',
  },
  signIn: {
    subject: 'Your sign-in link',
    heading: 'Sign in',
    paragraph: 'Your address was used to sign up, and you already have an account. Follow the link to sign in.',
    label: 'Sign in',
  },
}

/** The mail with the link that finishes a sign-up, or that signs an existing user in. */
export function signupLinkMail({ to, url, ttlSeconds }: LinkMailData, act: keyof typeof TEXTS): Message {
  const { subject, heading, paragraph, label } = TEXTS[act]
  return {
    kind: kinds.signupLink,
    to,
    subject,
    content: {
      heading,
      paragraphs: [paragraph],
      button: { label, url },
      footer: `The link works once, within ${spanInWords(ttlSeconds)}. If you did not ask for it, ignore this email and do not forward it.`,
    },
  }
}
