import { defineMail } from '../../../platform/mail/kinds.ts'
import type { Message } from '../../../platform/mail/outbox.ts'
import type { Reader } from '../../../platform/messages/language.ts'
import { says } from './messages.ts'

const mfaLocked = defineMail('mfa_locked')

export function challengesLockedMail(to: Reader): Message {
  return {
    kind: mfaLocked,
    to,
    write: (language) => ({
      subject: says.lockedSubject(language),
      content: {
        heading: says.lockedHeading(language),
        paragraphs: [says.locked(language)],
        footer: says.notYou(language),
      },
    }),
  }
}
