import { defineMail } from '../../platform/mail/kinds.ts'
import type { Message } from '../../platform/mail/outbox.ts'

const disabled = defineMail('webhook_disabled')

/** To the team of the account: events wait that nobody gets. */
export function disabledMail(to: string, webhook: { name: string; url: string; isGone: boolean }): Message {
  const why = webhook.isGone
    ? 'It answered that it is gone for good (410).'
    : 'Everything sent to it for five days has failed.'
  const content = {
    heading: 'A webhook was disabled',
    paragraphs: [
      `The webhook “${webhook.name}” gets no more events. ${why} Its address is ${new URL(webhook.url).origin}.`,
      'What waited for it is sent once it is enabled again, for 30 days at most; a replay sends what happened meanwhile.',
    ],
    footer: 'You get this email because you are on the team of the account.',
  }
  return { kind: disabled, to, subject: 'A webhook was disabled', content }
}
