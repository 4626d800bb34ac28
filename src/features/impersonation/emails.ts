import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'

const kinds = { started: defineMail('impersonation_started') }

/** To the user. It holds no word of the caller's, such as the reason: the person finds that with their sessions. */
export function startedMail(to: string, seconds: number): Message {
  return {
    kind: kinds.started,
    to,
    subject: 'Support has opened your account',
    content: {
      heading: 'Support has opened your account',
      paragraphs: [
        `Somebody who supports this application sees it as you do, for ${spanInWords(seconds)} at most. They cannot change how you sign in.`,
      ],
      footer: 'If you did not expect this, tell your administrator.',
    },
  }
}
