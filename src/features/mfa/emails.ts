import type { Message } from '../../platform/mail/outbox.ts'

const NOT_YOU = 'If this was not you, tell your administrator at once: somebody may be in your account.'

type Factor = 'app' | 'phone'
const NAMES: Record<Factor, string> = { app: 'an authenticator app', phone: 'a phone' }

/** ASVS 6.3.7: a change of the ways in does not go unnoticed. */
export function enrolledMail(to: string, factor: Factor): Message {
  const content = {
    heading: 'Sign-in now takes a second step',
    paragraphs: [`From now on signing in to your account takes a code from ${NAMES[factor]} as well.`],
    footer: NOT_YOU,
  }
  return { kind: 'mfa_enrolled', to, subject: 'A second step was added to your sign-in', content }
}

export function removedMail(to: string, factor: Factor): Message {
  const content = {
    heading: 'A second step was removed from your sign-in',
    paragraphs: [`Signing in to your account no longer takes a code from ${NAMES[factor]}.`],
    footer: NOT_YOU,
  }
  return { kind: 'mfa_removed', to, subject: 'A second step was removed from your sign-in', content }
}

export function backupCodeUsedMail(to: string, left: number): Message {
  const content = {
    heading: 'A backup code was used',
    paragraphs: [
      'Somebody signed in to your account with one of your backup codes. It works no more.',
      left === 0 ? 'It was the last one: ask for new ones.' : `You have ${left} left.`,
    ],
    footer: NOT_YOU,
  }
  return { kind: 'backup_code_used', to, subject: 'A backup code was used to sign in', content }
}

export function challengesLockedMail(to: string): Message {
  const content = {
    heading: 'Too many wrong codes',
    paragraphs: [
      'Somebody passed the first step of your sign-in and then entered too many wrong codes. The second step is ' +
        'refused for a while.',
    ],
    footer: 'If this was not you, somebody may know your password or read your mail: change the password now.',
  }
  return { kind: 'mfa_locked', to, subject: 'Too many wrong codes at your sign-in', content }
}
