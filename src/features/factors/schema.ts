import { type Static, Type } from 'typebox'
import { named, nullable } from '../../platform/schema.ts'
import { maskPhone } from '../../platform/sms/phone.ts'
import type { FactorRow } from './store.ts'

const moment = nullable(Type.String({ format: 'date-time' }))

const MfaEnrollment = named(
  'MfaEnrollment',
  Type.Object({
    enrolled: Type.Boolean(),
    method: Type.String({ examples: ['totp'] }),
    enrolledAt: moment,
    pending: Type.Boolean({
      description: 'The enrollment of an app has started and waits for its first code.',
      examples: [false],
    }),
    backupCodesRemaining: Type.Integer({ examples: [10] }),
    sms: Type.Object({
      enrolled: Type.Boolean(),
      enrolledAt: moment,
      phone: nullable(Type.String({ examples: ['+•••••23'] }), 'Masked.'),
    }),
  }),
)

export const EnrollmentReply = Type.Object({ enrollment: MfaEnrollment })

/** The factors of a user as the API shows them. */
export function toEnrollment(row: FactorRow): Static<typeof MfaEnrollment> {
  return {
    enrolled: row.totp_confirmed_at !== null,
    method: 'totp',
    enrolledAt: row.totp_confirmed_at?.toISOString() ?? null,
    pending: row.totp_pending,
    backupCodesRemaining: row.backup_codes,
    sms: {
      enrolled: row.phone_confirmed_at !== null,
      enrolledAt: row.phone_confirmed_at?.toISOString() ?? null,
      phone: row.phone === null ? null : maskPhone(row.phone),
    },
  }
}

export const FactorRemoval = named(
  'FactorRemoval',
  Type.Object(
    {
      success: Type.Boolean(),
      required: Type.Boolean({ description: 'The policy requires a factor of the user.', examples: [false] }),
    },
    { description: 'The factor was removed.' },
  ),
)
