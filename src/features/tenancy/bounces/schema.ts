import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { Email } from '../../../platform/mail/address.ts'
import { MAX_REPORT_BYTES } from '../../../platform/mail/bounces/report.ts'
import { BounceKinds, MailSuppression } from '../../../platform/mail/bounces/schema.ts'
import { described, named, nullable } from '../../../platform/schema.ts'

export const BounceReport = Type.Object({
  email: Type.Optional(described(Email, 'The address that the email was for. Required without `message`.')),
  kind: Type.Optional(described(BounceKinds, 'What happened. Required without `message`.')),
  provider_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'The id of the report at your email provider. Reports with the same id, address and kind count only once.',
      examples: ['bounce-0001'],
    }),
  ),
  message_id: Type.Optional(
    Type.String({
      maxLength: 400,
      description:
        '`Message-ID` of the email, if the provider returns it unchanged. The report then counts only once, and for the organization that sent the email.',
      examples: ['<05Hq…@acme.example>'],
    }),
  ),
  message: Type.Optional(
    Type.String({
      maxLength: MAX_REPORT_BYTES,
      description:
        'The report as it was received: a delivery status notification (RFC 3464) or a feedback report (RFC 5965). At most 4,000 lines. Alternatively, send the report as the whole body with the type `message/rfc822`, and `subOrgId` in the query.',
      examples: ['Content-Type: multipart/report; …'],
    }),
  ),
})
export type BounceReport = Static<typeof BounceReport>

export const ReportedBounce = named(
  'ReportedBounce',
  Type.Object(
    {
      email: Type.String({ description: 'The address, in lower case.', examples: ['ada@acme.example'] }),
      kind: nullable(
        BounceKinds,
        'The kind of bounce. Null: the report is not a bounce or complaint, but for example a delay.',
      ),
      status: nullable(
        Type.String({ examples: ['5.1.1'] }),
        'Status code of the report (RFC 3463). Null: it has none.',
      ),
      outcome: Type.Enum(['counted', 'repeated', 'unknown_mail', 'not_counted'], {
        description:
          '`counted`: the report was counted. `repeated`: the report was already counted before. `unknown_mail`: in the last 30 days, no email that the caller can see was sent to the address with this `Message-ID`. `not_counted`: the report is not a bounce or complaint.',
      }),
      soft_bounces: nullable(
        Type.Integer({ minimum: 0, maximum: 3, examples: [1] }),
        'Number of soft bounces of the address in the last 7 days, where soft bounces within one hour count as one. The third suppresses the address. Null: `outcome` is `unknown_mail` or `not_counted`.',
      ),
      suppression: nullable(MailSuppression, 'Why the address receives no emails. Null: the address receives emails.'),
    },
    { description: 'The result of reporting a bounce or complaint.' },
  ),
)
export type ReportedBounce = Static<typeof ReportedBounce>

export const SuppressionParams = Type.Object({
  suppressionId: Type.String({
    description: 'Suppression: `id` in `GET /v1/mail/suppressions`.',
    examples: ['0198b6f2-6d0b-7a51-9c3e-4f1b7a2d8e90'],
  }),
})

export const SuppressionList = Type.Object({
  suppressions: Type.Array(MailSuppression, { description: 'Suppressed addresses, by their first bounce.' }),
  ...listReply,
})
