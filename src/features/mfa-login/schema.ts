import { type Static, Type } from 'typebox'
import { maskPhone } from '../../platform/sms/phone.ts'
import type { readEnrollment } from '../mfa/mfa.ts'

const moment = Type.Unsafe<string | null>({ type: ['string', 'null'] })

export const EnrollmentReply = Type.Object({
  enrollment: Type.Object({
    enrolled: Type.Boolean(),
    method: Type.String({ examples: ['totp'] }),
    enrolledAt: moment,
    pending: Type.Boolean({ description: 'An app has been begun to enroll and waits for its first code.' }),
    backupCodesRemaining: Type.Integer(),
    sms: Type.Object({
      enrolled: Type.Boolean(),
      enrolledAt: moment,
      phone: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Masked.' }),
    }),
  }),
})

/** What a user has, as the API tells of it. */
export function toEnrollment(
  row: Awaited<ReturnType<typeof readEnrollment>>,
): Static<typeof EnrollmentReply>['enrollment'] {
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
