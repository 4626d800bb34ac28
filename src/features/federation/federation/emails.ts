import { defineMail } from '../../../platform/mail/kinds.ts'
import { withoutLinks } from '../../../platform/mail/layout.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import type { Reader } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'

const kinds = { identityLinked: defineMail('identity_linked') }

/** To a user who signs in by a connection or provider for the first time. `source`: its name. */
export function linkedMail(to: Reader, source: string): Message {
  return {
    kind: kinds.identityLinked,
    to,
    write: (language) =>
      titled(texts.federation.linked(language), {
        paragraphs: [texts.federation.signsInBy(language, { source: withoutLinks(source) })],
        footer: texts.mail.unexpected(language),
      }),
  }
}
