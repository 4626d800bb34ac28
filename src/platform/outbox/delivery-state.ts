import { type Static, Type } from 'typebox'
import { named, nullable } from '../schema.ts'
import type { SmsWithheldReason } from '../sms/limits.ts'

/** What happens to one message. */
export interface Delivery {
  channel: 'email' | 'sms'
  /** Why the message is not sent, or null if it is queued. */
  reason: 'channel_off' | SmsWithheldReason | null
}

const Status = Type.Enum(['queued', 'withheld'], {
  description: '`queued`: the message will be sent. `withheld`: it will not be sent, and `reason` says why.',
})
const Reason = nullable(
  Type.String({ examples: ['recipient_limit'] }),
  'Why the message is withheld: channel_off, no_provider, number_not_mobile, country_not_allowed, daily_limit, recipient_limit, organization_limit, key_limit, user_limit or network_limit. Null if the message is queued.',
)
const queued = { status: 'queued', reason: null }

export const DeliveryState = named(
  'DeliveryState',
  Type.Object(
    {
      status: Status,
      reason: Reason,
      messages: Type.Array(
        Type.Object({
          channel: Type.Enum(['email', 'sms'], { description: 'Channel of the message.' }),
          status: Status,
          reason: Reason,
        }),
        {
          description: 'Each requested message.',
        },
      ),
    },
    {
      description: 'Whether the message is sent: `queued` if at least one message is sent.',
      examples: [{ ...queued, messages: [{ channel: 'email', ...queued }] }],
    },
  ),
)

/** The part of a response about messages. Null if none was requested. */
export function toDeliveryState(deliveries: Delivery[]): Static<typeof DeliveryState> | null {
  const messages = deliveries.map(({ channel, reason }) => {
    return { channel, status: reason === null ? ('queued' as const) : ('withheld' as const), reason }
  })
  const whole = messages.find(({ status }) => status === 'queued') ?? messages[0]
  return whole ? { status: whole.status, reason: whole.reason, messages } : null
}
