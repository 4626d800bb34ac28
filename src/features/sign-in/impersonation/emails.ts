import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'

const kinds = { started: defineMail('impersonation_started') }

/** To the user. It holds no word of the caller's, such as the reason: the person finds that with their sessions. */
export function startedMail(to: Reader, seconds: number): Message {
  return {
    kind: kinds.started,
    to,
    write: (language) =>
      titled(texts.impersonation.started(language), {
        paragraphs: [texts.impersonation.seesIt(language, { span: spanInWords(language, seconds) })],
        footer: texts.mail.unexpected(language),
      }),
  }
}
