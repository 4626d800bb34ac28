import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { LinkMail } from '../login/login.ts'

const TEXTS = {
  signUp: {
    subject: 'Confirm your e-mail address',
    heading: 'Welcome',
    paragraph: 'Follow the link to confirm your address and finish your sign-up.',
    label: 'Confirm address',
  },
  signIn: {
    subject: 'Your sign-in link',
    heading: 'Sign in',
    paragraph: 'Your address was used to sign up, and you have an account already. Follow the link to sign in.',
    label: 'Sign in',
  },
}

/** Brings the link that finishes a sign-up, or that signs in whoever has an account already. */
export function signupLinkMail({ to, url, ttlSeconds }: LinkMail, act: keyof typeof TEXTS): Message {
  const { subject, heading, paragraph, label } = TEXTS[act]
  return {
    kind: 'signup_link',
    to,
    subject,
    content: {
      heading,
      paragraphs: [paragraph],
      button: { label, url },
      footer: `The link works once, within ${spanInWords(ttlSeconds)}. If you did not ask for it, ignore this mail and pass it on to nobody.`,
    },
  }
}
