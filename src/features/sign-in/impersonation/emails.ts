import { EXAMPLE_READER } from '../../../platform/mail/examples.ts'
import { defineMail, NOTICE } from '../../../platform/mail/kinds.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import { type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'

const kinds = {
  started: defineMail('impersonation_started', () => startedMail(EXAMPLE_READER, 1800), {
    ...NOTICE,
    duration: { means: 'The longest time that the session lasts, such as `30 minutes`.' },
  }),
}

/**
 * The mail to the user. It contains no text from the caller, such as the reason. The user finds the reason in their
 * list of sessions.
 */
export function startedMail(to: Reader, seconds: number): Message {
  return withValues({
    kind: kinds.started,
    to,
    values: (language) => ({ duration: spanInWords(language, seconds) }),
    write: (language, names) =>
      titled(texts.impersonation.started(language), {
        paragraphs: [texts.impersonation.seesIt(language, { span: names.duration })],
        footer: texts.mail.unexpected(language),
      }),
  })
}
