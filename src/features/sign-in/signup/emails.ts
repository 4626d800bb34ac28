import { defineMail } from '../../../platform/mail/kinds.ts'
import { mailSays } from '../../../platform/mail/messages.ts'
import type { Message } from '../../../platform/mail/outbox.ts'
import { spanInWords } from '../../../platform/messages/language.ts'
import type { LinkMailData } from '../links/links.ts'
import { says } from './messages.ts'

const kinds = { signupLink: defineMail('signup_link') }

const TEXTS = {
  signUp: {
    subject: mailSays.confirmAddress,
    heading: mailSays.welcome,
    paragraph: says.finish,
    label: mailSays.confirmAddressLabel,
  },
  signIn: {
    subject: mailSays.signInLink,
    heading: mailSays.signIn,
    paragraph: says.haveAccount,
    label: mailSays.signIn,
  },
}

/** The mail with the link that finishes a sign-up, or that signs an existing user in. */
export function signupLinkMail({ to, url, ttlSeconds }: LinkMailData, act: keyof typeof TEXTS): Message {
  const { subject, heading, paragraph, label } = TEXTS[act]
  return {
    kind: kinds.signupLink,
    to,
    write: (language) => ({
      subject: subject(language),
      content: {
        heading: heading(language),
        paragraphs: [paragraph(language)],
        button: { label: label(language), url },
        footer: mailSays.linkNotAskedFor(language, { span: spanInWords(language, ttlSeconds) }),
      },
    }),
  }
}
