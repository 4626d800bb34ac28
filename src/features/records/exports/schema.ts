import { Type } from 'typebox'
import { anyEvent } from '../../../platform/events/event-envelope.ts'
import { MailSuppression } from '../../../platform/mail/bounces/schema.ts'
import { nullable } from '../../../platform/schema.ts'
import { User } from '../../directory/users/users.ts'

export const ExportReply = Type.Object({
  exported_at: Type.String({ description: 'When the export was made.', format: 'date-time' }),
  user: User,
  email_suppression: nullable(
    MailSuppression,
    'Why the address receives no emails. Null: the address receives emails.',
  ),
  records: Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown())), {
    description: 'Records by kind, newest first, at most 1000 of each kind. More kinds and fields may be added.',
    examples: [{ sessions: [{ id: '0198b6f2-5a9e-7d14-9b3f-6c2e8a1d4f70', auth_method: 'otp' }] }],
  }),
  events: Type.Array(anyEvent, {
    description:
      'The newest 1000 audit log events about the user or about bounces of the user’s current email address. Bounces that count for the whole environment are included only for org-wide keys, which are not limited to one organization.',
  }),
  truncated: Type.Array(Type.String({ examples: ['events'] }), {
    description: 'Kinds of records, or `events`, that are not complete.',
  }),
})
