import { defineMail } from '../../../platform/mail/kinds.ts'
import { mailSays } from '../../../platform/mail/messages.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { says } from './messages.ts'

const kinds = { started: defineMail('impersonation_started') }

/** To the user. It holds no word of the caller's, such as the reason: the person finds that with their sessions. */
export function startedMail(to: Reader, seconds: number): Message {
  return {
    kind: kinds.started,
    to,
    write: (language) =>
      titled(says.started(language), {
        paragraphs: [says.seesIt(language, { span: spanInWords(language, seconds) })],
        footer: mailSays.unexpected(language),
      }),
  }
}
