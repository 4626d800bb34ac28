import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'

const mfaLocked = defineMail('mfa_locked')

export function challengesLockedMail(to: string): Message {
  const content = {
    heading: 'Too many wrong codes',
    paragraphs: [
      'Someone passed the first step of your sign-in and then entered too many wrong codes. The second step is ' +
        'locked for a while.',
    ],
    footer: 'If this was not you, someone may know your password or read your email: change your password now.',
  }
  return { kind: mfaLocked, to, subject: 'Too many wrong sign-in codes', content }
}
