import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'

const kinds = {
  mfaEnrolled: defineMail('mfa_enrolled'),
  mfaRemoved: defineMail('mfa_removed'),
  backupCodeUsed: defineMail('backup_code_used'),
}

const NOT_YOU = 'If this was not you, tell your administrator at once: someone may have access to your account.'

export type Factor = 'app' | 'phone'
const NAMES: Record<Factor, string> = { app: 'an authenticator app', phone: 'a phone' }

/** ASVS 6.3.7: a change of factors must not go unnoticed. */
export function enrolledMail(to: string, factor: Factor): Message {
  const content = {
    heading: 'Sign-in now has a second step',
    paragraphs: [`From now on, signing in to your account also requires a code from ${NAMES[factor]}.`],
    footer: NOT_YOU,
  }
  return { kind: kinds.mfaEnrolled, to, subject: 'A second step was added to your sign-in', content }
}

/** `by`: somebody's act, or the first proof of the mailbox. */
export function removedMail(to: string, factor: Factor, by: 'act' | 'proof'): Message {
  const before = by === 'proof' ? [' It had been set up before this address was confirmed.'] : []
  const content = {
    heading: 'A second step was removed from your sign-in',
    paragraphs: [[`Signing in to your account no longer requires a code from ${NAMES[factor]}.`, ...before].join('')],
    footer: NOT_YOU,
  }
  return { kind: kinds.mfaRemoved, to, subject: 'A second step was removed from your sign-in', content }
}

export function backupCodeUsedMail(to: string, left: number): Message {
  const content = {
    heading: 'A backup code was used',
    paragraphs: [
      'Someone signed in to your account with one of your backup codes. That code no longer works.',
      left === 0 ? 'It was your last one: create new ones.' : `You have ${left} left.`,
    ],
    footer: NOT_YOU,
  }
  return { kind: kinds.backupCodeUsed, to, subject: 'A backup code was used to sign in', content }
}
