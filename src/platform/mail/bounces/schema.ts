import { type Static, Type } from 'typebox'
import { described, named, nullable } from '../../schema.ts'
import type { SuppressionRow } from './store.ts'

const Id = Type.String({ format: 'uuid' })
const Moment = Type.String({ format: 'date-time' })
const Address = Type.String({ description: 'The address, in lower case.', examples: ['ada@acme.example'] })
const Status = nullable(
  Type.String({ examples: ['5.1.1'] }),
  'Status code of the bounce (RFC 3463). Null: the report has none.',
)
const Source = Type.Enum(['smtp', 'report'], {
  description: '`smtp`: the mail server refused the address. `report`: `POST /v1/mail/bounces` reported it.',
})
const SuppressionSource = described(
  Source,
  '`smtp`: the mail server has refused the address, also if `reason` is a complaint from before. `report`: it was only ' +
    'reported, by `POST /v1/mail/bounces`.',
)

export const BounceKinds = Type.Enum(['hard', 'soft', 'complaint'], {
  description:
    '`hard`: the address takes no mail. `soft`: it takes none for now, such as a full mailbox. `complaint`: its owner ' +
    'reported a mail as spam.',
})

export const MailSuppression = named(
  'MailSuppression',
  Type.Object(
    {
      id: Id,
      sub_org_id: nullable(
        Id,
        'The organization whose emails are withheld. Null: every organization of the environment.',
      ),
      email: Address,
      reason: Type.Enum(['hard_bounce', 'complaint', 'soft_bounces'], {
        description:
          '`hard_bounce`: the address takes no mail. `complaint`: its owner reported a mail as spam, which stays the reason ' +
          'after hard bounces. `soft_bounces`: three soft bounces in 7 days, of which those within an hour count once.',
      }),
      status: Status,
      source: SuppressionSource,
      suppressed_at: Type.String({ format: 'date-time', description: 'When it began (RFC 3339, in UTC).' }),
      suppressed_until: nullable(Moment, 'When it ends (RFC 3339, in UTC). Null: when it is cleared.'),
      withheld: Type.Integer({ minimum: 0, description: 'Emails that were not sent because of it.', examples: [2] }),
      last_withheld_at: nullable(Moment, 'When the last of them would have been sent. Null: none was withheld.'),
    },
    {
      description:
        'An address that receives no emails, and why. Notices of a change to the account are withheld only if `source` is ' +
        '`smtp` and `reason` is not `soft_bounces`; `account_locked`, which strangers can cause, with any `source`.',
    },
  ),
)
export type MailSuppression = Static<typeof MailSuppression>

export const MailBounce = Type.Object({
  sub_org_id: nullable(Id, 'The organization it counts for. Null: every organization of the environment.'),
  email: Address,
  kind: BounceKinds,
  status: Status,
  source: Source,
  provider_id: nullable(Type.String({ examples: ['bounce-0001'] }), 'The id in the report. Null: none.'),
})

export function toSuppression(row: SuppressionRow, organizationId: string | null): MailSuppression {
  return {
    id: row.id,
    sub_org_id: organizationId,
    email: row.email_norm,
    reason: row.reason,
    status: row.status,
    source: row.source,
    suppressed_at: row.suppressed_at.toISOString(),
    suppressed_until: row.suppressed_until?.toISOString() ?? null,
    withheld: row.withheld,
    last_withheld_at: row.last_withheld_at?.toISOString() ?? null,
  }
}
