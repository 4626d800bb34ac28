import { defineMail } from '../../../platform/mail/kinds.ts'
import { withoutLinks } from '../../../platform/mail/layout.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import type { Language, Reader } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'

const kinds = { passkeyRegistered: defineMail('passkey_registered'), passkeyDeleted: defineMail('passkey_deleted') }

/** Notifies the user, and so the victim of a takeover, of a new sign-in method (ASVS 6.3.7). */
export function passkeyRegisteredMail(to: Reader, name: string | null): Message {
  return {
    kind: kinds.passkeyRegistered,
    to,
    write: (language) =>
      notice(
        language,
        texts.passkeys.added(language),
        name === null
          ? texts.passkeys.signsIn(language)
          : texts.passkeys.namedSignsIn(language, { name: withoutLinks(name) }),
      ),
  }
}

/** The same for passkeys that were removed; null stands for one without a name. */
export function passkeyDeletedMail(to: Reader, names: (string | null)[]): Message {
  const [name = null, ...more] = names
  return {
    kind: kinds.passkeyDeleted,
    to,
    write(language) {
      if (more.length > 0)
        return notice(language, texts.passkeys.severalRemoved(language, names.length), severalText(language, names))
      const text =
        name === null
          ? texts.passkeys.signsInNoMore(language)
          : texts.passkeys.namedSignsInNoMore(language, { name: withoutLinks(name) })
      return notice(language, texts.passkeys.removed(language), text)
    },
  }
}

function severalText(language: Language, names: (string | null)[]): string {
  const named = names.filter((name) => name !== null)
  return named.length === 0
    ? texts.passkeys.severalSignInNoMore(language)
    : texts.passkeys.severalNamedSignInNoMore(language, { names: withoutLinks(named.join(', ')) })
}

function notice(language: Language, title: string, text: string) {
  return titled(title, { paragraphs: [text], footer: texts.passkeys.unexpected(language) })
}
