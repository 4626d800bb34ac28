import { EXAMPLE_READER } from '../../../platform/mail/examples.ts'
import { defineMail, type Meanings, NOTICE } from '../../../platform/mail/kinds.ts'
import { withoutLinks } from '../../../platform/mail/layout.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import type { Language, Reader } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'

const meanings: Meanings = {
  ...NOTICE,
  passkey_names: { means: 'The name of the passkey, or of several. Absent without a name.', optional: true },
}

const kinds = {
  passkeyRegistered: defineMail('passkey_registered', () => passkeyRegisteredMail(EXAMPLE_READER, 'MacBook'), meanings),
  passkeyDeleted: defineMail('passkey_deleted', () => passkeyDeletedMail(EXAMPLE_READER, ['MacBook']), meanings),
}

/** Notifies the user about a new sign-in method, so that the victim of a takeover learns about it (ASVS 6.3.7). */
export function passkeyRegisteredMail(to: Reader, name: string | null): Message {
  return withValues({
    kind: kinds.passkeyRegistered,
    to,
    values: () => ({ passkey_names: name === null ? null : withoutLinks(name) }),
    write: (language, { passkey_names }) =>
      notice(
        language,
        texts.passkeys.added(language),
        passkey_names === null
          ? texts.passkeys.signsIn(language)
          : texts.passkeys.namedSignsIn(language, { name: passkey_names }),
      ),
  })
}

/** Notifies the user about removed passkeys. A null stands for a passkey without a name. */
export function passkeyDeletedMail(to: Reader, names: (string | null)[]): Message {
  const named = names.filter((name) => name !== null)
  return withValues({
    kind: kinds.passkeyDeleted,
    to,
    values: () => ({ passkey_names: named.length === 0 ? null : withoutLinks(named.join(', ')) }),
    write: (language, { passkey_names }) =>
      names.length > 1
        ? notice(language, texts.passkeys.severalRemoved(language, names.length), severalText(language, passkey_names))
        : notice(language, texts.passkeys.removed(language), oneText(language, passkey_names)),
  })
}

function oneText(language: Language, name: string | null): string {
  return name === null ? texts.passkeys.signsInNoMore(language) : texts.passkeys.namedSignsInNoMore(language, { name })
}

function severalText(language: Language, names: string | null): string {
  return names === null
    ? texts.passkeys.severalSignInNoMore(language)
    : texts.passkeys.severalNamedSignInNoMore(language, { names })
}

function notice(language: Language, title: string, text: string) {
  return titled(title, { paragraphs: [text], footer: texts.passkeys.unexpected(language) })
}
