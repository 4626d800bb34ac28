import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { MailSuppression } from '../../../platform/mail/bounces/schema.ts'
import { canonicalLocale, Locale } from '../../../platform/messages/locale.ts'
import { described, named, nullable, ONE_LINE, oneOf } from '../../../platform/schema.ts'
import { showLock, UserLockShown } from './lock-schema.ts'
import { FirstRole, RoleIds } from './role-fields.ts'
import type { UserRow } from './store.ts'

const Id = Type.String({ format: 'uuid' })
const AccountId = Type.String({ format: 'uuid', examples: ['0198b6f2-81d0-7b55-8c0e-2f64a9d7b310'] })
const OrganizationId = Type.String({ format: 'uuid', examples: ['0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce'] })
const Moment = Type.String({ format: 'date-time' })

// One schema with two types instead of a union: for a wrong line, a union would also report that it is not null.
const line = (maxLength: number, more: { description?: string } = {}) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength,
    ...ONE_LINE,
    ...more,
  })
const Line = named('OneLine', line(200))
const shown = (description: string, ...examples: string[]) =>
  Type.Optional(described(examples.length ? { ...Line, examples } : Line, description))

/** The descriptions of user fields, in requests and responses. */
const meanings = {
  displayName: 'Full name, used in emails and in the token claim `name`. Null: none.',
  firstName: 'First name. Null: none.',
  lastName: 'Last name. Null: none.',
  jobTitle: 'Job title, for your own use. Null: none.',
  department: 'Department, for your own use. Null: none.',
}

const Phone = named(
  'PhoneNumber',
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: 32,
    pattern: '^$|^\\+?[ ()./-]*([0-9][ ()./-]*){4,}$',
    'x-form': 'a phone number of at least four digits, such as +14155550123',
    description:
      'Phone number, stored as sent. Use the E.164 format, such as +14155550123, if the number is to receive messages.',
  }),
)

/** The fields that a caller may set in addition to the address. An empty string counts as null. */
const profile = {
  displayName: shown(meanings.displayName, 'Ada Lovelace'),
  firstName: shown(meanings.firstName, 'Ada'),
  lastName: shown(meanings.lastName, 'Lovelace'),
  phone: Type.Optional(Phone),
  jobTitle: shown(meanings.jobTitle),
  department: shown(meanings.department),
  locale: Locale,
  externalId: Type.Optional(line(255, { description: 'The id of the user in your own system.' })),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      maxProperties: 50,
      description:
        'Values for your own use: up to 50 keys with any JSON values, 16 KiB in total. A change replaces all keys.',
    }),
  ),
}
const email = Type.String({
  minLength: 1,
  maxLength: 320,
  description: 'One email address without a name. Unique within the organization regardless of case.',
  examples: ['ada@acme.example'],
})

const Profile = Type.Object(profile)
type Profile = Static<typeof Profile>

/** The fields that users enter when they sign up. */
export const SignupProfile = Type.Object({
  firstName: profile.firstName,
  lastName: profile.lastName,
  phone: profile.phone,
  locale: profile.locale,
})
export type SignupProfile = Static<typeof SignupProfile>

export const UserParams = Type.Object({
  userId: Type.String({ description: 'The user: `id` or `userId` of the user.' }),
})

const elsewhere = {
  active: 'PATCH /v1/users/{userId} sets it',
  password: 'PUT /v1/users/{userId}/password sets it',
}
const emailVerified = Type.Optional(Type.Boolean({ description: '`true` if you have verified the address yourself.' }))
export const UserCreate = Type.Object(
  { email, ...profile, emailVerified, role: Type.Optional(FirstRole), roleIds: Type.Optional(RoleIds) },
  { 'x-elsewhere': elsewhere },
)
export type UserCreate = Static<typeof UserCreate>

export const UserPatch = Type.Object(
  {
    email: Type.Optional(email),
    ...profile,
    active: Type.Optional(
      Type.Boolean({ description: '`false` ends every session at once and refuses every sign-in.' }),
    ),
    force: Type.Optional(Type.Boolean({ description: 'Also changes fields that provisioning (SCIM) manages.' })),
  },
  {
    'x-elsewhere': {
      role: 'PUT /v1/rbac/users/{userId}/roles sets it',
      password: elsewhere.password,
      emailVerified: 'the person proves the address, by signing in or by POST /v1/users/{userId}/verify/resend',
    },
  },
)
export type UserPatch = Static<typeof UserPatch>

export const UserRestore = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: 'Restores the user even if provisioning (SCIM) manages the user.' }),
  ),
})

export const UserDelete = Type.Object({
  force: Type.Optional(Type.Boolean({ description: 'Deletes the user even if provisioning (SCIM) manages the user.' })),
})

export const UserFilters = {
  email: Type.Optional(
    Type.String({ maxLength: 320, description: 'Only entries with exactly this address. Case does not matter.' }),
  ),
  externalId: Type.Optional(
    Type.String({ description: 'Only the user with this id in your own system.', maxLength: 255 }),
  ),
  active: Type.Optional(
    Type.Boolean({ description: '`true`: only users who may sign in. `false`: only deactivated users.' }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only users whose email address, name or phone number begins with this text. Case does not matter.',
    }),
  ),
  updatedSince: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only users that changed at this time or later. To poll for changes, send `order=asc`.',
    }),
  ),
  role: Type.Optional(Type.Enum(['admin', 'member'], { description: 'Only users with this built-in role.' })),
  deleted: Type.Optional(
    Type.Boolean({ description: '`true`: lists only deleted users that can still be restored. Default `false`.' }),
  ),
}

export const MoveUser = Type.Object({
  targetSubOrgId: Type.String({
    description: 'The organization that the user moves to, in the same environment.',
    minLength: 1,
  }),
  force: Type.Optional(
    Type.Boolean({
      description:
        'Moves the user even if provisioning (SCIM) manages the user. The provisioning client is not notified and may create the user in the old organization again.',
    }),
  ),
})

export const User = named(
  'User',
  Type.Object(
    {
      id: Id,
      userId: nullable(
        AccountId,
        'The auth account: `sub` of tokens. Null until the first sign-in, password or invitation.',
      ),
      subOrgId: nullable(OrganizationId),
      email: Type.String({
        description:
          'The email address, unique within the organization regardless of case. The domain of the address is in ASCII.',
        examples: ['ada@acme.example'],
      }),
      emailVerified: Type.Boolean({
        description: 'Whether the email address is verified: by the user, by your backend or by an identity provider.',
      }),
      displayName: nullable(Type.String({ examples: ['Ada Lovelace'] }), meanings.displayName),
      firstName: nullable(Type.String({ examples: ['Ada'] }), meanings.firstName),
      lastName: nullable(Type.String({ examples: ['Lovelace'] }), meanings.lastName),
      phone: nullable(Type.String({ examples: ['+14155550123'] }), 'Phone number as it was entered. Null: none.'),
      jobTitle: nullable(Type.String({ examples: ['Head of engines'] }), meanings.jobTitle),
      department: nullable(Type.String({ examples: ['Engineering'] }), meanings.department),
      locale: nullable(
        Type.String({ examples: ['de-AT'] }),
        'Language of emails and pages for the user (BCP 47). Null: the language of the organization.',
      ),
      externalId: nullable(
        Type.String({ examples: ['crm-4711'] }),
        'Id of the user in your own system, unique within the organization. Null: none.',
      ),
      active: Type.Boolean({ description: 'Whether the user may sign in. `false` refuses every sign-in method.' }),
      status: Type.Unsafe<'active' | 'invited' | 'inactive' | 'locked'>({
        description:
          '`inactive`: `active` is false. `locked`: the user is locked. `invited`: the user has never signed in and has an open invitation or sign-up. `active`: all other users.',
        type: 'string',
        enum: ['active', 'invited', 'inactive', 'locked'],
      }),
      lock: Object.assign(nullable(UserLockShown), {
        description: 'Why the user is locked, and until when. Null: not locked.',
        examples: [null],
      }),
      role: Type.String({ description: 'The built-in role: `admin` or `member`.', examples: ['member'] }),
      roleIds: Type.Array(Type.String(), {
        description: 'Roles of the organization that the user has, from all sources.',
        examples: [[]],
      }),
      source: oneOf(['api', 'bulk', 'signup', 'invite', 'sso', 'scim', 'social'], {
        description: 'What created the user: a single or bulk request, a sign-up, an invitation, or a provider.',
      }),
      scimManaged: Type.Boolean({
        description: 'Whether provisioning (SCIM) manages the user. If true, most changes require `force`.',
        examples: [false],
      }),
      mfaEnrolled: Type.Boolean({
        description: 'Whether the user has a second factor: an app or a phone.',
        examples: [false],
      }),
      passkeyCount: Type.Integer({ description: 'Number of passkeys that the user has.', examples: [0] }),
      lastLoginAt: nullable(Moment, 'When the user last signed in. Null: never.'),
      metadata: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Your own JSON values, as you stored them.',
        examples: [{ team: 'engines' }],
      }),
      createdAt: Moment,
      updatedAt: Moment,
      deletedAt: nullable(
        Moment,
        'When the user was deleted. The user can be restored for 30 days. Null: not deleted.',
      ),
    },
    {
      description:
        'A person in one organization and environment, or at the account level of an environment, outside any organization.',
    },
  ),
)
export type User = Static<typeof User>

export const UserReply = named('UserReply', Type.Object({ user: User }))

export const UserView = named(
  'UserView',
  Type.Object({
    user: User,
    email_suppression: nullable(
      MailSuppression,
      'Why the address receives no emails. Null: the address receives emails. A key of one organization sees only suppressions of that organization.',
    ),
  }),
)
export const UserListReply = Type.Object({
  users: Type.Array(User, { description: 'Matching users, in the requested order.' }),
  ...listReply,
})
/** The user as the API shows it. `subOrgId` is the organization of the row's directory. */
export function toUser(row: UserRow, subOrgId: string | null): User {
  return {
    id: row.id,
    userId: row.auth_account_id,
    subOrgId,
    email: row.email,
    emailVerified: row.email_verified,
    displayName: row.display_name,
    firstName: row.first_name,
    lastName: row.last_name,
    phone: row.phone,
    jobTitle: row.job_title,
    department: row.department,
    locale: row.locale,
    externalId: row.external_id,
    active: row.active,
    status: statusOf(row),
    lock: showLock(row),
    role: row.role,
    roleIds: row.role_ids,
    source: row.source,
    scimManaged: row.scim_managed,
    mfaEnrolled: row.mfa_enrolled,
    passkeyCount: row.passkey_count,
    lastLoginAt: row.last_login_at?.toISOString() ?? null,
    metadata: Object.fromEntries(Object.entries(row.metadata ?? {})),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    deletedAt: row.deleted_at?.toISOString() ?? null,
  }
}

/** The status that the API shows. */
export function statusOf(row: UserRow): User['status'] {
  if (!row.active) return 'inactive'
  if (row.locked) return 'locked'
  const isInvited = row.pending_until !== null || (row.invited_at !== null && row.last_login_at === null)
  return isInvited ? 'invited' : 'active'
}

const textColumns = [
  ['displayName', 'display_name'],
  ['firstName', 'first_name'],
  ['lastName', 'last_name'],
  ['phone', 'phone'],
  ['jobTitle', 'job_title'],
  ['department', 'department'],
  ['locale', 'locale'],
  ['externalId', 'external_id'],
] as const

export type ProfileColumns = Partial<Record<(typeof textColumns)[number][1], string | null>> & { metadata?: string }

/** The columns for the fields that are present. */
export function toColumns(fields: Profile): ProfileColumns {
  const columns: ProfileColumns = {}
  for (const [field, column] of textColumns) {
    const value = fields[field]
    if (value !== undefined) columns[column] = value || null
  }
  if (columns.locale) columns.locale = canonicalLocale(columns.locale)
  if (fields.metadata !== undefined) columns.metadata = JSON.stringify(fields.metadata ?? {})
  return columns
}
