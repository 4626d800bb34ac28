import { type Static, Type } from 'typebox'
import type { DeviceRow } from '../factors/factors.ts'

export const MFA_METHODS = ['totp', 'backup', 'sms'] as const
export type MfaMethod = (typeof MFA_METHODS)[number]

export const MFA_ROLES = ['owner', 'admin', 'member'] as const
export type MfaRole = (typeof MFA_ROLES)[number]

const nullable = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const orNull = <T extends Parameters<typeof Type.Optional>[0]>(field: T) =>
  Type.Optional(Type.Union([field, Type.Null()]))

const fields = {
  require_mfa: Type.Boolean({ description: 'Whether people need a second factor to sign in.' }),
  grace_period_days: Type.Integer({
    minimum: 0,
    maximum: 90,
    description: 'For so long after the requirement, or after they were added, people sign in without one.',
  }),
  allowed_methods: Type.Array(Type.Enum(MFA_METHODS), {
    uniqueItems: true,
    maxItems: MFA_METHODS.length,
    description: '`totp` (authenticator app), `backup` (backup codes), `sms`.',
  }),
  enforce_for_roles: Type.Array(Type.Enum(MFA_ROLES), {
    uniqueItems: true,
    maxItems: MFA_ROLES.length,
    description: 'Whom require_mfa is about; empty: everybody.',
  }),
}

export const PolicyFields = Type.Object(fields)
export type PolicyFields = Static<typeof PolicyFields>

/** What may be changed; null restores the default. */
export const PolicyPatch = Type.Object({
  require_mfa: orNull(fields.require_mfa),
  grace_period_days: orNull(fields.grace_period_days),
  allowed_methods: orNull(fields.allowed_methods),
  enforce_for_roles: orNull(fields.enforce_for_roles),
})
export type PolicyPatch = Static<typeof PolicyPatch>

export const MfaPolicy = Type.Object({
  ...fields,
  required_since: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'When it first required a second factor, from which grace is counted.',
  }),
  updated_at: nullable,
})

const list = (names: readonly string[]) =>
  Type.Optional(
    Type.String({
      pattern: `^((${names.join('|')})(,(?!$)|$))*$`,
      'x-form': `any of ${names.join(', ')}, with commas between`,
      description: 'With commas between.',
    }),
  )

/** A policy that is thought of; what is absent is as it is now. */
export const PreviewQuery = Type.Object({
  require_mfa: Type.Optional(Type.Boolean()),
  grace_period_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 90 })),
  allowed_methods: list(MFA_METHODS),
  enforce_for_roles: list(MFA_ROLES),
})

const Count = Type.Integer({ minimum: 0 })
const counts = {
  users: Count,
  asked: Type.Integer({ minimum: 0, description: 'Have enrolled, and are asked for it at every sign-in.' }),
  in_grace: Type.Integer({ minimum: 0, description: 'Have not, and may sign in without until their grace ends.' }),
  locked_out: Type.Integer({ minimum: 0, description: 'Have not, and enroll at their next sign-in or stay out.' }),
}
const Person = Type.Object({ id: Type.String({ format: 'uuid' }), email: Type.String(), role: Type.String() })

export const PreviewReply = Type.Object({
  policy: PolicyFields,
  ...counts,
  roles: Type.Array(Type.Object({ role: Type.String(), ...counts })),
  first: Type.Object(
    { asked: Type.Array(Person), in_grace: Type.Array(Person), locked_out: Type.Array(Person) },
    { description: 'The first 20 of each, by address.' },
  ),
})

export const TrustedDevice = Type.Object({
  id: Type.String({ format: 'uuid' }),
  user_agent: nullable,
  created_at: Type.String(),
  last_used_at: Type.String(),
  expires_at: Type.String(),
})

export function toTrustedDevice(row: DeviceRow): Static<typeof TrustedDevice> {
  return {
    id: row.id,
    user_agent: row.user_agent,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}

export const FactorUserId = Type.String({ description: 'Directory user (`id`) or auth account (`userId`).' })
