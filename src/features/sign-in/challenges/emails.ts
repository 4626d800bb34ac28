import { EXAMPLE_READER } from '../../../platform/mail/examples.ts'
import { defineMail, NOTICE } from '../../../platform/mail/kinds.ts'
import type { Message } from '../../../platform/mail/outbox.ts'
import type { Reader } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'

const mfaLocked = defineMail('mfa_locked', () => challengesLockedMail(EXAMPLE_READER), NOTICE)

export function challengesLockedMail(to: Reader): Message {
  return {
    kind: mfaLocked,
    to,
    write: (language) => ({
      subject: texts.challenges.lockedSubject(language),
      content: {
        heading: texts.challenges.lockedHeading(language),
        paragraphs: [texts.challenges.locked(language)],
        footer: texts.challenges.notYou(language),
      },
    }),
  }
}
