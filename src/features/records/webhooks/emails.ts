import { defineMail } from '../../../platform/mail/kinds.ts'
import { withoutLinks } from '../../../platform/mail/layout.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import type { Reader } from '../../../platform/messages/language.ts'
import { texts } from '../../../platform/messages/texts.gen.ts'

const disabled = defineMail('webhook_disabled')

/** To the team of the account: events wait that nobody gets. */
export function disabledMail(to: Reader, webhook: { name: string; url: string; isGone: boolean }): Message {
  const about = { name: withoutLinks(webhook.name), origin: withoutLinks(new URL(webhook.url).origin) }
  return {
    kind: disabled,
    to,
    write: (language) =>
      titled(texts.webhooks.disabled(language), {
        paragraphs: [
          (webhook.isGone ? texts.webhooks.gone : texts.webhooks.failing)(language, about),
          texts.webhooks.waits(language),
        ],
        footer: texts.webhooks.team(language),
      }),
  }
}
