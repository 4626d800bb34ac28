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
  '`smtp`: the mail server has refused the address, even if `reason` is an earlier complaint. `report`: the address was only reported, by `POST /v1/mail/bounces`.',
)

export const BounceKinds = Type.Enum(['hard', 'soft', 'complaint'], {
  description:
    '`hard`: the address does not accept mail. `soft`: the address does not accept mail for now, for example because the mailbox is full. `complaint`: the owner of the address reported an email as spam.',
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
          '`hard_bounce`: the address does not accept mail. `complaint`: the owner of the address reported an email as spam, which stays the reason even after a hard bounce. `soft_bounces`: three soft bounces in 7 days, where soft bounces within one hour count as one.',
      }),
      status: Status,
      source: SuppressionSource,
      suppressed_at: Type.String({
        format: 'date-time',
        description: 'When the suppression began (RFC 3339, in UTC).',
      }),
      suppressed_until: nullable(
        Moment,
        'When the suppression ends (RFC 3339, in UTC). Null: only when the suppression is cleared.',
      ),
      withheld: Type.Integer({
        minimum: 0,
        description: 'Number of emails that were not sent because of the suppression.',
        examples: [2],
      }),
      last_withheld_at: nullable(Moment, 'When the last email was withheld. Null: none was withheld.'),
    },
    {
      description:
        'An address that receives no emails, and why. Notices of a change to the account are withheld only if `source` is `smtp` and `reason` is not `soft_bounces`. The notice `account_locked`, which strangers can cause, is withheld for either `source` if `reason` is not `soft_bounces`.',
    },
  ),
)
export type MailSuppression = Static<typeof MailSuppression>

export const MailBounce = Type.Object({
  sub_org_id: nullable(Id, 'The organization that the bounce counts for. Null: every organization of the environment.'),
  email: Address,
  kind: BounceKinds,
  status: Status,
  source: Source,
  provider_id: nullable(Type.String({ examples: ['bounce-0001'] }), 'The id in the report. Null: the report has none.'),
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
