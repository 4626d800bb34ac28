import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { type Reader, spanInWords } from '../../../platform/messages/language.ts'
import type { NewSms } from '../../../platform/sms/outbox.ts'
import { enrolledSays, removedSays, says } from './messages.ts'

const kinds = {
  mfaEnrolled: defineMail('mfa_enrolled'),
  mfaRemoved: defineMail('mfa_removed'),
  backupCodeUsed: defineMail('backup_code_used'),
}

export type Factor = 'app' | 'phone'

/** ASVS 6.3.7: a change of factors must not go unnoticed. */
export function enrolledMail(to: Reader, factor: Factor): Message {
  return {
    kind: kinds.mfaEnrolled,
    to,
    write: (language) => ({
      subject: says.enrolledSubject(language),
      content: {
        heading: says.enrolledHeading(language),
        paragraphs: [enrolledSays[factor](language)],
        footer: says.notYou(language),
      },
    }),
  }
}

/** `by`: somebody's act, or the first proof of the mailbox. */
export function removedMail(to: Reader, factor: Factor, by: 'act' | 'proof'): Message {
  return {
    kind: kinds.mfaRemoved,
    to,
    write: (language) =>
      titled(says.removed(language), {
        paragraphs: [removedSays[factor](language), ...(by === 'proof' ? [says.setUpBefore(language)] : [])],
        footer: says.notYou(language),
      }),
  }
}

export function backupCodeUsedMail(to: Reader, left: number): Message {
  return {
    kind: kinds.backupCodeUsed,
    to,
    write: (language) => ({
      subject: says.backupUsedSubject(language),
      content: {
        heading: says.backupUsedHeading(language),
        paragraphs: [
          says.backupUsed(language),
          left === 0 ? says.lastBackupCode(language) : says.backupCodesLeft(language, left),
        ],
        footer: says.notYou(language),
      },
    }),
  }
}

/** The code of a phone that is to become, or is, a second factor. */
export function factorSms(to: NewSms['to'], code: string, ttlSeconds: number): NewSms {
  return {
    kind: 'mfa_code',
    to,
    write: (language) => says.smsCode(language, { code, span: spanInWords(language, ttlSeconds) }),
  }
}
