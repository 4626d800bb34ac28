import { type Static, Type } from 'typebox'
import { wholeListReply } from '../../../platform/http/pagination.ts'
import { named, nullable } from '../../../platform/schema.ts'
import type { DeviceRow } from './device-store.ts'

export const MFA_METHODS = ['totp', 'backup', 'sms'] as const
export type MfaMethod = (typeof MFA_METHODS)[number]

export const MFA_ROLES = ['owner', 'admin', 'member'] as const
/** Those of the account's own team. */
export const TEAM_MFA_ROLES = [...MFA_ROLES, 'developer'] as const
export type MfaRole = (typeof TEAM_MFA_ROLES)[number]

const Moment = Type.String({ format: 'date-time' })

const fields = {
  require_mfa: Type.Boolean({ description: 'Whether users need a second factor to sign in.' }),
  grace_period_days: Type.Integer({
    minimum: 0,
    maximum: 90,
    description: 'How long after the requirement, or after they were added, users may sign in without one.',
    examples: [14],
  }),
  allowed_methods: Type.Array(Type.Enum(MFA_METHODS), {
    uniqueItems: true,
    maxItems: MFA_METHODS.length,
    description: '`totp` (authenticator app), `backup` (backup codes), `sms`.',
    examples: [['totp', 'backup']],
  }),
  enforce_for_roles: Type.Array(Type.Enum(TEAM_MFA_ROLES), {
    uniqueItems: true,
    maxItems: TEAM_MFA_ROLES.length,
    description: 'The roles that require_mfa applies to; empty: all. `developer` is a role of the team only.',
    examples: [['admin']],
  }),
}

export const PolicyFields = named('MfaPolicyFields', Type.Object(fields))
export type PolicyFields = Static<typeof PolicyFields>

/** The body of a change; null restores the inherited value. */
export const PolicyPatch = named(
  'MfaPolicyPatch',
  Type.Object({
    require_mfa: Type.Optional(nullable(fields.require_mfa)),
    grace_period_days: Type.Optional(nullable(fields.grace_period_days)),
    allowed_methods: Type.Optional(nullable(fields.allowed_methods)),
    enforce_for_roles: Type.Optional(nullable(fields.enforce_for_roles)),
  }),
)
export type PolicyPatch = Static<typeof PolicyPatch>

export const MfaPolicy = named(
  'MfaPolicy',
  Type.Object({
    ...fields,
    required_since: nullable(
      Moment,
      'When it first required a second factor: no grace period starts before. Null for the team: its grace periods start with the role.',
    ),
    updated_at: nullable(Moment),
  }),
)

const list = (names: readonly string[]) =>
  Type.Optional(
    Type.String({
      pattern: `^((${names.join('|')})(,(${names.join('|')}))*)?$`,
      'x-form': `any of ${names.join(', ')}, separated by commas`,
      description: 'Separated by commas.',
    }),
  )

/** A hypothetical policy; absent fields keep their current value. */
export const PreviewQuery = Type.Object({
  require_mfa: Type.Optional(Type.Boolean()),
  grace_period_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 90 })),
  allowed_methods: list(MFA_METHODS),
  enforce_for_roles: list(MFA_ROLES),
})

const counts = {
  users: Type.Integer({ minimum: 0, examples: [12] }),
  asked: Type.Integer({
    minimum: 0,
    description: 'Have a factor, and are asked for it at every sign-in.',
    examples: [8],
  }),
  in_grace: Type.Integer({
    minimum: 0,
    description: 'Have none, and may sign in without until their grace period ends.',
    examples: [3],
  }),
  locked_out: Type.Integer({
    minimum: 0,
    description: 'Have none, and must enroll at their next sign-in.',
    examples: [1],
  }),
}
const Role = Type.String({ examples: ['admin'] })
const Person = named(
  'MfaPolicySubject',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    email: Type.String({ examples: ['ada@acme.example'] }),
    role: Role,
  }),
)

export const PreviewReply = Type.Object(
  {
    policy: PolicyFields,
    ...counts,
    roles: Type.Array(Type.Object({ role: Role, ...counts })),
    first: Type.Object(
      {
        asked: Type.Array(Person),
        in_grace: Type.Array(Person, { examples: [[]] }),
        locked_out: Type.Array(Person, { examples: [[]] }),
      },
      { description: 'The first 20 of each, by address.' },
    ),
  },
  { description: 'How many users the policy would affect, and whom first.' },
)

const TrustedDevice = named(
  'TrustedDevice',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    user_id: nullable(Type.String({ format: 'uuid' }), 'Auth account.'),
    directory_user_id: Type.String({ format: 'uuid' }),
    user_agent: nullable(
      Type.String({
        examples: ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0'],
      }),
    ),
    created_at: Moment,
    last_used_at: Moment,
    expires_at: Moment,
  }),
)

export const DevicesReply = named(
  'TrustedDevices',
  Type.Object({ devices: Type.Array(TrustedDevice), ...wholeListReply }),
)
export type DevicesReply = Static<typeof DevicesReply>

/** The user whose devices they are. */
export interface DeviceOwner {
  id: string
  auth_account_id: string | null
}

/** A device as the API shows it. */
export function toTrustedDevice(row: DeviceRow, user: DeviceOwner): Static<typeof TrustedDevice> {
  return {
    id: row.id,
    user_id: user.auth_account_id,
    directory_user_id: user.id,
    user_agent: row.user_agent,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}

export const FactorUserId = Type.String({
  description: 'Directory user (`id`) or auth account (`userId`).',
  examples: ['0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21'],
})
