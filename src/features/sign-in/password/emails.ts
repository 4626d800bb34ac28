import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import { type Reader, spanInWords } from '../../../platform/messages/language.ts'
import type { LinkMailData } from '../links/links.ts'
import { changedSays, lockedSays, says } from './messages.ts'

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
    write: (language) =>
      titled(says.choose(language), {
        paragraphs: [says.requested(language)],
        button: { label: says.chooseLabel(language), url },
        footer: says.staysTheSame(language, { span: spanInWords(language, ttlSeconds) }),
      }),
  }
}

/** Notifies the user, and so the victim of a takeover, that the password was changed (ASVS 6.3.7). */
export function passwordChangedMail(to: Reader, by: keyof typeof changedSays): Message {
  return {
    kind: kinds.passwordChanged,
    to,
    write: (language) =>
      titled(says.changed(language), {
        paragraphs: [changedSays[by](language)],
        footer: says.changedUnexpected(language),
      }),
  }
}

/** Says that the address is locked, with the link that ends the lock. */
export function lockedMail(
  { to, url }: LinkMailData,
  { where, shut }: { where: 'account' | 'network'; shut: 'password' | 'all' },
): Message {
  return {
    kind: kinds.accountLocked,
    to,
    write: (language) => ({
      subject: says.lockedSubject(language),
      content: {
        heading: says.lockedHeading(language),
        paragraphs: [
          lockedSays[where][shut](language),
          ...(shut === 'all' ? [] : [says.othersWork(language)]),
          says.mayUnlock(language),
        ],
        button: { label: says.unlock(language), url },
        footer: says.safe(language),
      },
    }),
  }
}
