import { EXAMPLE_LINK } from '../../../platform/mail/examples.ts'
import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, withValues } from '../../../platform/mail/outbox.ts'
import { spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { LinkMailData } from '../links/send-link/send-link.ts'

const kinds = { signupLink: defineMail('signup_link', () => signupLinkMail(EXAMPLE_LINK, 'signUp')) }

const TEXTS = {
  signUp: {
    subject: texts.mail.confirmAddress,
    heading: texts.mail.welcome,
    paragraph: texts.signup.finish,
    label: texts.mail.confirmAddressLabel,
  },
  signIn: {
    subject: texts.mail.signInLink,
    heading: texts.mail.signIn,
    paragraph: texts.signup.haveAccount,
    label: texts.mail.signIn,
  },
}

/** The mail with the link that finishes a sign-up, or that signs an existing user in. */
export function signupLinkMail({ to, url, ttlSeconds }: LinkMailData, act: keyof typeof TEXTS): Message {
  const { subject, heading, paragraph, label } = TEXTS[act]
  return withValues({
    kind: kinds.signupLink,
    to,
    values: (language) => ({ expires_in: spanInWords(language, ttlSeconds) }),
    write: (language, names) => ({
      subject: subject(language),
      content: {
        heading: heading(language),
        paragraphs: [paragraph(language)],
        button: { label: label(language), url },
        footer: texts.mail.linkNotAskedFor(language, { span: names.expires_in }),
      },
    }),
  })
}
