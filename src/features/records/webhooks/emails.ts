import { defineMail } from '../../../platform/mail/kinds.ts'
import { type Message, titled } from '../../../platform/mail/outbox.ts'
import type { Reader } from '../../../platform/messages/language.ts'
import { says } from './messages.ts'

const disabled = defineMail('webhook_disabled')

/** To the team of the account: events wait that nobody gets. */
export function disabledMail(to: Reader, webhook: { name: string; url: string; isGone: boolean }): Message {
  const about = { name: webhook.name, origin: new URL(webhook.url).origin }
  return {
    kind: disabled,
    to,
    write: (language) =>
      titled(says.disabled(language), {
        paragraphs: [(webhook.isGone ? says.gone : says.failing)(language, about), says.waits(language)],
        footer: says.team(language),
      }),
  }
}
