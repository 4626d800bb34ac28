import { type Static, Type } from 'typebox'
import { described, named, nullable } from '../../../platform/schema.ts'
import { maskPhone } from '../../../platform/sms/phone.ts'
import type { PendingTotp as Pending } from './enrollment.ts'
import type { FactorRow } from './store.ts'

const moment = nullable(Type.String({ format: 'date-time' }))

const MfaEnrollment = named(
  'MfaEnrollment',
  Type.Object(
    {
      userId: nullable(
        Type.String({ format: 'uuid' }),
        'The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation.',
      ),
      directoryUserId: Type.String({ format: 'uuid' }),
      enrolled: Type.Boolean({ description: 'Whether an authenticator app is confirmed.' }),
      method: Type.String({ description: 'Always `totp`: the authenticator app.', examples: ['totp'] }),
      enrolledAt: described(moment, 'When the app was confirmed. Null: no app.'),
      pending: Type.Boolean({
        description: 'Whether the enrollment of an app has started and its first code is missing.',
        examples: [false],
      }),
      backupCodesRemaining: Type.Integer({ description: 'Number of unused backup codes, 0–10.', examples: [10] }),
      sms: Type.Object(
        {
          enrolled: Type.Boolean({ description: 'Whether a phone is confirmed.' }),
          enrolledAt: described(moment, 'When the phone was confirmed. Null: no phone.'),
          phone: nullable(Type.String({ examples: ['+•••••23'] }), 'The phone number, masked. Null: none.'),
        },
        { description: 'The phone for codes by text message.' },
      ),
    },
    { description: 'The second factors of a user, without passkeys.' },
  ),
)

export const EnrollmentReply = Type.Object({ enrollment: MfaEnrollment })

/** The factors of a user as the API shows them. */
export function toEnrollment(
  row: FactorRow,
  user: { id: string; auth_account_id: string | null },
): Static<typeof MfaEnrollment> {
  return {
    userId: user.auth_account_id,
    directoryUserId: user.id,
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
      required: Type.Boolean({
        description: 'Whether the MFA policy requires the user to have a factor.',
        examples: [false],
      }),
    },
    { description: 'The factor was removed.' },
  ),
)

export const BackupCodes = Type.Array(Type.String(), {
  description: 'Ten backup codes, each for one sign-in. The codes are shown only once.',
  examples: [
    [
      '0-8WZQ4-M1XKD',
      '2-PVN6T-93GRC',
      '3-YH0BE-TK5AZ',
      '5-1QJSM-W8F7N',
      '7-K3M9X-2QPTA',
      'B-ZD4V6-0HNYR',
      'E-5XCTG-PA9JK',
      'K-Q2SW8-M7EB1',
      'T-9FRH3-VZ0DX',
      'X-4NGAY-6KCPQ',
    ],
  ],
})
const Secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** The data for setting up an app, which is shown once. */
export const PendingTotp = named(
  'PendingTotp',
  Type.Object(
    {
      pendingId: Type.String({ description: 'The enrollment. Send it with the first code.', format: 'uuid' }),
      qrDataUrl: Type.String({
        description: 'A QR code of otpauthUrl: a PNG image as a data URL.',
        examples: [
          'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
        ],
      }),
      secret: Type.String({
        description: 'The secret in Base32, for typing it into an app. Never shown again.',
        examples: [Secret],
      }),
      otpauthUrl: Type.String({
        description:
          'The URL that an authenticator app opens, or that your own QR code shows. The URL contains the secret.',
        examples: [
          `otpauth://totp/Acme:ada%40acme.example?issuer=Acme&secret=${Secret}&algorithm=SHA1&digits=6&period=30`,
        ],
      }),
      expires_at: Type.String({ format: 'date-time' }),
    },
    { description: 'An enrollment that waits for the first code of the app.' },
  ),
)

export function showPending({ expiresAt, ...pending }: Pending): Static<typeof PendingTotp> {
  return { ...pending, expires_at: expiresAt.toISOString() }
}

export const TotpCode = Type.String({
  minLength: 1,
  maxLength: 20,
  description: 'Six digits that the app shows, or that were sent to the phone.',
  examples: ['492039'],
})

export const FactorPhone = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'Phone number in E.164 format, such as +14155550123.',
  examples: ['+14155550123'],
})

const DeliveryHint = Type.String({ description: 'The phone number, masked.', examples: ['+•••••23'] })

export const PendingPhone = named(
  'PendingPhone',
  Type.Object(
    { delivery_hint: DeliveryHint, expires_at: Type.String({ format: 'date-time' }) },
    { description: 'A phone whose code has not been confirmed yet.' },
  ),
)

export const BackupCodesReply = named(
  'BackupCodes',
  Type.Object(
    { success: Type.Boolean(), backupCodes: BackupCodes },
    { description: 'The backup codes, which are shown only once.' },
  ),
)
