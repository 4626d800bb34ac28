import { EXAMPLE_LINK, EXAMPLE_READER } from '../../../platform/mail/examples.ts'
import { defineMail, NOTICE } from '../../../platform/mail/kinds.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import { type Reader, spanInWords } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'
import type { LinkMailData } from '../links/send-link/send-link.ts'

const kinds = {
  passwordReset: defineMail('password_reset', () => resetMail(EXAMPLE_LINK)),
  passwordChanged: defineMail('password_changed', () => passwordChangedMail(EXAMPLE_READER, 'user'), NOTICE),
  accountLocked: defineMail(
    'account_locked',
    () => lockedMail(EXAMPLE_LINK, { where: 'account', shut: 'password' }),
    NOTICE,
    // Strangers cause this mail by entering wrong passwords.
    { causedByStrangers: true },
  ),
}

/** The mail with the link to replace a forgotten password. */
export function resetMail({ to, url, ttlSeconds }: LinkMailData): Message {
  return withValues({
    kind: kinds.passwordReset,
    to,
    values: (language) => ({ expires_in: spanInWords(language, ttlSeconds) }),
    write: (language, names) =>
      titled(texts.password.choose(language), {
        paragraphs: [texts.password.requested(language)],
        button: { label: texts.password.chooseLabel(language), url },
        footer: texts.password.staysTheSame(language, { span: names.expires_in }),
      }),
  })
}

/** Notifies the user that the password was changed, so that the victim of a takeover learns about it (ASVS 6.3.7). */
export function passwordChangedMail(to: Reader, by: keyof typeof texts.password.changedBy): Message {
  return {
    kind: kinds.passwordChanged,
    to,
    write: (language) =>
      titled(texts.password.changed(language), {
        paragraphs: [texts.password.changedBy[by](language)],
        footer: texts.password.changedUnexpected(language),
      }),
  }
}

/** The mail that says that the address is locked, with the link that ends the lock. */
export function lockedMail(
  { to, url }: LinkMailData,
  { where, shut }: { where: 'account' | 'network'; shut: 'password' | 'all' },
): Message {
  return {
    kind: kinds.accountLocked,
    to,
    write: (language) => ({
      subject: texts.password.lockedSubject(language),
      content: {
        heading: texts.password.lockedHeading(language),
        paragraphs: [
          texts.password.locked[where][shut](language),
          ...(shut === 'all' ? [] : [texts.password.othersWork(language)]),
          texts.password.mayUnlock(language),
        ],
        button: { label: texts.password.unlock(language), url },
        footer: texts.password.safe(language),
      },
    }),
  }
}
