import { EXAMPLE_READER } from '../../../platform/mail/examples.ts'
import { defineMail, NOTICE } from '../../../platform/mail/kinds.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import { type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { NewSms } from '../../../platform/sms/outbox.ts'

const kinds = {
  mfaEnrolled: defineMail('mfa_enrolled', () => enrolledMail(EXAMPLE_READER, 'app'), NOTICE),
  mfaRemoved: defineMail('mfa_removed', () => removedMail(EXAMPLE_READER, 'app', 'act'), NOTICE),
  backupCodeUsed: defineMail('backup_code_used', () => backupCodeUsedMail(EXAMPLE_READER, 7), {
    ...NOTICE,
    codes_left: { means: 'The number of backup codes that are left.' },
  }),
}

export type Factor = 'app' | 'phone'

/** ASVS 6.3.7: users must be notified of changes to their factors. */
export function enrolledMail(to: Reader, factor: Factor): Message {
  return {
    kind: kinds.mfaEnrolled,
    to,
    write: (language) => ({
      subject: texts.factors.enrolledSubject(language),
      content: {
        heading: texts.factors.enrolledHeading(language),
        paragraphs: [texts.factors.enrolled[factor](language)],
        footer: texts.factors.notYou(language),
      },
    }),
  }
}

/** `by` says whether a person removed the factor or the first proof of the mailbox did. */
export function removedMail(to: Reader, factor: Factor, by: 'act' | 'proof'): Message {
  return {
    kind: kinds.mfaRemoved,
    to,
    write: (language) =>
      titled(texts.factors.removedTitle(language), {
        paragraphs: [
          texts.factors.removed[factor](language),
          ...(by === 'proof' ? [texts.factors.setUpBefore(language)] : []),
        ],
        footer: texts.factors.notYou(language),
      }),
  }
}

export function backupCodeUsedMail(to: Reader, left: number): Message {
  return withValues({
    kind: kinds.backupCodeUsed,
    to,
    values: () => ({ codes_left: String(left) }),
    write: (language) => ({
      subject: texts.factors.backupUsedSubject(language),
      content: {
        heading: texts.factors.backupUsedHeading(language),
        paragraphs: [
          texts.factors.backupUsed(language),
          left === 0 ? texts.factors.lastBackupCode(language) : texts.factors.backupCodesLeft(language, left),
        ],
        footer: texts.factors.notYou(language),
      },
    }),
  })
}

/** The text message with a code for a phone that is, or is being enrolled as, a second factor. */
export function factorSms(to: NewSms['to'], code: string, ttlSeconds: number): NewSms {
  return {
    kind: 'mfa_code',
    to,
    write: (language) => texts.factors.sms.code(language, { code, span: spanInWords(language, ttlSeconds) }),
  }
}
