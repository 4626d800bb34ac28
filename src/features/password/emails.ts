import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { LinkMail } from '../login/login.ts'

/** Brings the link that a forgotten password is replaced by. */
export function resetMail({ to, url, ttlSeconds }: LinkMail): Message {
  return {
    kind: 'password_reset',
    to,
    subject: 'Choose a new password',
    content: {
      heading: 'Choose a new password',
      paragraphs: ['A new password was asked for, for your account. Follow the link to choose one.'],
      button: { label: 'Choose a password', url },
      footer: `The link works once, for ${spanInWords(ttlSeconds)}. If you did not ask for it, ignore this mail: your password stays as it is.`,
    },
  }
}

/** Tells the user, and so the victim of a takeover, that the password is another now (ASVS 6.3.7). */
export function passwordChangedMail(to: string, by: 'user' | 'administrator'): Message {
  return {
    kind: 'password_changed',
    to,
    subject: 'Your password was changed',
    content: {
      heading: 'Your password was changed',
      paragraphs: [
        by === 'user'
          ? 'The password of your account has just been changed.'
          : 'An administrator has just set a new password for your account.',
      ],
      footer: 'If you did not expect this, tell your administrator, and choose a new password at once.',
    },
  }
}

/** Says that the address is locked, and brings the link that ends the lock. */
export function lockedMail({ to, url }: LinkMail, scope: 'account' | 'network'): Message {
  return {
    kind: 'account_locked',
    to,
    subject: 'Your account was locked',
    content: {
      heading: 'Your account was locked for a while',
      paragraphs: [
        scope === 'account'
          ? 'A wrong password was entered too often. Nobody can sign in to your account until the lock ends by itself.'
          : 'A wrong password was entered too often from one place. Nobody can sign in to your account from there until the lock ends by itself.',
        'If it was you, you can end it now.',
      ],
      button: { label: 'Unlock my account', url },
      footer:
        'If it was not you, your account is safe: leave it locked, and choose a longer password if yours is short.',
    },
  }
}
