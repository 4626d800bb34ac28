import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'
import { spanInWords } from '../../platform/mail/span.ts'
import type { LinkMailData } from '../links/links.ts'

const kinds = {
  passwordReset: defineMail('password_reset'),
  passwordChanged: defineMail('password_changed'),
  accountLocked: defineMail('account_locked'),
}

/** The mail with the link to replace a forgotten password. */
export function resetMail({ to, url, ttlSeconds }: LinkMailData): Message {
  return {
    kind: kinds.passwordReset,
    to,
    subject: 'Choose a new password',
    content: {
      heading: 'Choose a new password',
      paragraphs: ['A password reset was requested for your account. Follow the link to choose a new password.'],
      button: { label: 'Choose a password', url },
      footer: `The link works once, within ${spanInWords(ttlSeconds)}. If you did not ask for it, ignore this email: your password stays the same.`,
    },
  }
}

/** Notifies the user, and so the victim of a takeover, that the password was changed (ASVS 6.3.7). */
export function passwordChangedMail(to: string, by: 'user' | 'administrator'): Message {
  return {
    kind: kinds.passwordChanged,
    to,
    subject: 'Your password was changed',
    content: {
      heading: 'Your password was changed',
      paragraphs: [
        by === 'user'
          ? 'The password of your account has just been changed.'
          : 'An administrator has just set a new password for your account.',
      ],
      footer: 'If you did not expect this, tell your administrator and choose a new password at once.',
    },
  }
}

/** Says that the address is locked, with the link that ends the lock. */
export function lockedMail(
  { to, url }: LinkMailData,
  { where, shut }: { where: 'account' | 'network'; shut: 'password' | 'all' },
): Message {
  const refused = shut === 'all' ? 'No one can sign in to your account' : 'No one can sign in with the password'
  const rest = shut === 'all' ? [] : ['Other ways to sign in go on working, and so do devices that are signed in.']
  return {
    kind: kinds.accountLocked,
    to,
    subject: 'Your account was locked',
    content: {
      heading: 'Your account is locked for a while',
      paragraphs: [
        where === 'account'
          ? `A wrong password was entered too often. ${refused} until the lock expires.`
          : `A wrong password was entered too often from one network. ${refused} from there until the lock expires.`,
        ...rest,
        'If it was you, you can unlock it now.',
      ],
      button: { label: 'Unlock my account', url },
      footer:
        'If it was not you, your account is safe: leave it locked, and choose a longer password if yours is short.',
    },
  }
}
