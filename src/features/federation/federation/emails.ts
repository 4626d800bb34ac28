import { EXAMPLE_READER } from '../../../platform/mail/examples.ts'
import { defineMail, NOTICE } from '../../../platform/mail/kinds.ts'
import { withoutLinks } from '../../../platform/mail/layout.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import type { Reader } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'

const kinds = {
  identityLinked: defineMail('identity_linked', () => linkedMail(EXAMPLE_READER, 'Acme Okta'), {
    ...NOTICE,
    provider: { means: 'The name of the connection or provider.' },
  }),
}

/**
 * To a user who signs in through a connection or provider for the first time. `source` is the name of the connection
 * or provider.
 */
export function linkedMail(to: Reader, source: string): Message {
  return withValues({
    kind: kinds.identityLinked,
    to,
    values: () => ({ provider: withoutLinks(source) }),
    write: (language, names) =>
      titled(texts.federation.linked(language), {
        paragraphs: [texts.federation.signsInBy(language, { source: names.provider })],
        footer: texts.mail.unexpected(language),
      }),
  })
}
