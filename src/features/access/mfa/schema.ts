import { type Static, Type } from 'typebox'
import { wholeListReply } from '../../../platform/http/pagination.ts'
import { described, named, nullable } from '../../../platform/schema.ts'
import type { DeviceRow } from './device-store.ts'

export const MFA_METHODS = ['totp', 'backup', 'sms'] as const
export type MfaMethod = (typeof MFA_METHODS)[number]

export const MFA_ROLES = ['owner', 'admin', 'member'] as const
/** The roles of the account's own team. */
export const TEAM_MFA_ROLES = [...MFA_ROLES, 'developer'] as const
export type MfaRole = (typeof TEAM_MFA_ROLES)[number]

const Moment = Type.String({ format: 'date-time' })

const fields = {
  require_mfa: Type.Boolean({ description: 'Whether users need a second factor to sign in.' }),
  grace_period_days: Type.Integer({
    minimum: 0,
    maximum: 90,
    description:
      'Days for which users may still sign in without a second factor, counted from the time when the policy first required a factor or, for newer users, from their creation.',
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
    description:
      'The roles that require_mfa applies to. Empty: all roles. Only team members can have the role `developer`.',
    examples: [['admin']],
  }),
}

export const PolicyFields = named(
  'MfaPolicyFields',
  Type.Object(fields, { description: 'When users need a second factor, and which ones they may use.' }),
)
export type PolicyFields = Static<typeof PolicyFields>

/** The body of a change. Null restores the inherited value. */
export const PolicyPatch = named(
  'MfaPolicyPatch',
  Type.Object(
    {
      require_mfa: Type.Optional(nullable(fields.require_mfa)),
      grace_period_days: Type.Optional(nullable(fields.grace_period_days)),
      allowed_methods: Type.Optional(nullable(fields.allowed_methods)),
      enforce_for_roles: Type.Optional(nullable(fields.enforce_for_roles)),
    },
    { description: 'The fields to change. Null restores the inherited value. Omitted fields are not changed.' },
  ),
)
export type PolicyPatch = Static<typeof PolicyPatch>

export const MfaPolicy = named(
  'MfaPolicy',
  Type.Object(
    {
      ...fields,
      required_since: nullable(
        Moment,
        'When the policy first required a second factor. Grace periods start at this time or later. Null for the team, where a grace period starts when the member gets the role.',
      ),
      updated_at: nullable(Moment, 'When the policy last changed. Null: never, so every value is inherited.'),
    },
    { description: 'The MFA policy that currently applies.' },
  ),
)

const list = (names: readonly string[]) =>
  Type.Optional(
    Type.String({
      pattern: `^((${names.join('|')})(,(${names.join('|')}))*)?$`,
      'x-form': `any of ${names.join(', ')}, separated by commas`,
      description: 'The values to preview, separated by commas. Default: the current values.',
    }),
  )

/** A hypothetical policy. Absent fields keep their current value. */
export const PreviewQuery = Type.Object({
  require_mfa: Type.Optional(Type.Boolean({ description: 'The value to preview. Default: the current value.' })),
  grace_period_days: Type.Optional(
    Type.Integer({
      description: 'The number of days to preview. Default: the current value.',
      minimum: 0,
      maximum: 90,
    }),
  ),
  allowed_methods: list(MFA_METHODS),
  enforce_for_roles: list(MFA_ROLES),
})

const counts = {
  users: Type.Integer({ description: 'Number of users that the policy applies to.', minimum: 0, examples: [12] }),
  asked: Type.Integer({
    minimum: 0,
    description: 'Number of users who have a second factor, so that every sign-in requires it.',
    examples: [8],
  }),
  in_grace: Type.Integer({
    minimum: 0,
    description: 'Number of users without a factor who may sign in until their grace period ends.',
    examples: [3],
  }),
  locked_out: Type.Integer({
    minimum: 0,
    description: 'Number of users without a factor who must enroll one at the next sign-in.',
    examples: [1],
  }),
}
const Role = Type.String({ description: 'The built-in role of the user.', examples: ['admin'] })
const Person = named(
  'MfaPolicySubject',
  Type.Object(
    {
      id: Type.String({ description: 'The user: `id` in `/v1/users`.', format: 'uuid' }),
      email: Type.String({ description: 'The email address of the user.', examples: ['ada@acme.example'] }),
      role: Role,
    },
    { description: 'A user that the policy would apply to.' },
  ),
)

export const PreviewReply = Type.Object(
  {
    policy: described(PolicyFields, 'The previewed policy: the current policy with the values of the query.'),
    ...counts,
    roles: Type.Array(Type.Object({ role: Role, ...counts }), { description: 'The same counts for each role.' }),
    first: Type.Object(
      {
        asked: Type.Array(Person, { description: 'Users with a factor.' }),
        in_grace: Type.Array(Person, {
          description: 'Users without a factor whose grace period still runs.',
          examples: [[]],
        }),
        locked_out: Type.Array(Person, {
          description: 'Users who must enroll a factor at their next sign-in.',
          examples: [[]],
        }),
      },
      { description: 'The first 20 users of each group, by address.' },
    ),
  },
  { description: 'How many users the policy would affect, and the first users of each group.' },
)

const TrustedDevice = named(
  'TrustedDevice',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      user_id: nullable(
        Type.String({ format: 'uuid' }),
        'The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation.',
      ),
      directory_user_id: Type.String({ format: 'uuid' }),
      user_agent: nullable(
        Type.String({
          examples: ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0'],
        }),
        'User agent of the device when it was trusted. Null if it was not sent.',
      ),
      created_at: Moment,
      last_used_at: described(
        Moment,
        'When the device last replaced a second factor or, if it never has, when it was trusted.',
      ),
      expires_at: described(
        Moment,
        'When the device is no longer trusted, and a second factor is required again (RFC 3339, in UTC).',
      ),
    },
    { description: 'A browser or app that skips the second factor of its user.' },
  ),
)

export const DevicesReply = named(
  'TrustedDevices',
  Type.Object({
    devices: Type.Array(TrustedDevice, { description: 'All trusted devices of the user.' }),
    ...wholeListReply,
  }),
)
export type DevicesReply = Static<typeof DevicesReply>

/** The user who owns the devices. */
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
  description: 'The user: `id` or `userId` of the user.',
  examples: ['0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21'],
})
