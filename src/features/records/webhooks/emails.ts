import { defineMail } from '../../../platform/mail/kinds.ts'
import { withoutLinks } from '../../../platform/mail/layout.ts'
import { type Message, titled, withValues } from '../../../platform/mail/outbox.ts'
import type { Reader } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'

// Without an example, so that customers cannot change what their account's team reads.
const disabled = defineMail('webhook_disabled')

/** To the account's team: events are waiting and are not delivered. */
export function disabledMail(to: Reader, webhook: { name: string; url: string; isGone: boolean }): Message {
  return withValues({
    kind: disabled,
    to,
    values: () => ({ name: withoutLinks(webhook.name), origin: withoutLinks(new URL(webhook.url).origin) }),
    write: (language, about) =>
      titled(texts.webhooks.disabled(language), {
        paragraphs: [
          (webhook.isGone ? texts.webhooks.gone : texts.webhooks.failing)(language, about),
          texts.webhooks.waits(language),
        ],
        footer: texts.webhooks.team(language),
      }),
  })
}
