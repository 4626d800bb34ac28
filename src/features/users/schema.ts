import { type Static, Type } from 'typebox'
import { listReply } from '../../platform/http/pagination.ts'
import { type ImportedHashType, importedHashTypes } from '../credentials/credentials.ts'
import type { UserRow } from './store.ts'

export const MAX_USERS_PER_REQUEST = 500
export const MAX_METADATA_BYTES = 16 * 1024

const nullable = Type.Unsafe<string | null>({ type: ['string', 'null'] })
// Control characters have no place in a line that mails and pages show.
const line = (maxLength: number, description?: string) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength,
      pattern: '^\\P{Cc}*$',
      'x-form': 'one line without control characters',
      ...(description ? { description } : {}),
    }),
  )

/** What a caller may set of a person, beside the address. Empty text counts as null. */
const profile = {
  displayName: line(200),
  firstName: line(200),
  lastName: line(200),
  phone: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 32,
      pattern: '^$|^\\+?[ ()./-]*([0-9][ ()./-]*){4,}$',
      'x-form': 'a phone number of at least four digits, such as +14155550123',
      description: 'Kept as given. E.164, such as +14155550123, wherever it is to receive messages.',
    }),
  ),
  jobTitle: line(200),
  department: line(200),
  externalId: line(255, 'What your own system calls the person.'),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      maxProperties: 50,
      description: 'Yours to use: any JSON values under at most 50 keys, 16 KiB in all. A change replaces all of it.',
    }),
  ),
}
const email = Type.String({ minLength: 1, maxLength: 320, description: 'One bare address.' })

const Profile = Type.Object(profile)
export type Profile = Static<typeof Profile>

/** What people say of themselves when they sign up. */
export const SignupProfile = Type.Object({
  firstName: profile.firstName,
  lastName: profile.lastName,
  phone: profile.phone,
})
export type SignupProfile = Static<typeof SignupProfile>

export const UserParams = Type.Object({
  userId: Type.String({ description: 'Directory user (`id`) or auth account (`userId`).' }),
})

export const UserCreate = Type.Object({ email, ...profile })
export type UserCreate = Static<typeof UserCreate>

export const UserPatch = Type.Object({
  email: Type.Optional(email),
  ...profile,
  active: Type.Optional(Type.Boolean({ description: '`false` ends every session at once and refuses every sign-in.' })),
})
export type UserPatch = Static<typeof UserPatch>

/** One of `users`; checked row by row, so that a bad one fails alone. */
export const BulkUser = Type.Object(
  {
    email,
    ...profile,
    emailVerified: Type.Optional(Type.Boolean()),
    passwordHash: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 1024 })),
    passwordHashType: Type.Optional(
      Type.Unsafe<ImportedHashType | null>({ type: ['string', 'null'], enum: [...importedHashTypes, null] }),
    ),
  },
  { additionalProperties: false },
)
export type BulkUser = Static<typeof BulkUser>

export const BulkCreate = Type.Object({
  users: Type.Optional(
    Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
      description:
        'Fields as of a single user, `emailVerified` for addresses that you have proved, and `passwordHash` with its ' +
        `\`passwordHashType\` (${importedHashTypes.join(', ')}) for passwords that people keep.`,
    }),
  ),
  bulkText: Type.Optional(
    Type.String({
      description:
        'One person a line: `email`, `email,First,Last` or `Name <email>`. Blank lines and # lines are ignored.',
    }),
  ),
})

export const UserFilters = {
  email: Type.Optional(Type.String({ maxLength: 320, description: 'The whole address.' })),
  externalId: Type.Optional(Type.String({ maxLength: 255 })),
  active: Type.Optional(Type.Boolean()),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'How the e-mail address or the display name begins, in any case.',
    }),
  ),
  updatedSince: Type.Optional(Type.String({ format: 'date-time', description: 'Changed at this moment or later.' })),
  role: Type.Optional(Type.Enum(['admin', 'member'])),
}

export const MoveUser = Type.Object({ targetSubOrgId: Type.String({ minLength: 1 }) })

export const User = Type.Object({
  id: Type.String({ format: 'uuid' }),
  userId: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Auth account, once there is one.' }),
  subOrgId: nullable,
  email: Type.String(),
  emailVerified: Type.Boolean(),
  displayName: nullable,
  firstName: nullable,
  lastName: nullable,
  phone: nullable,
  jobTitle: nullable,
  department: nullable,
  externalId: nullable,
  active: Type.Boolean(),
  status: Type.Unsafe<'active' | 'invited' | 'inactive' | 'locked'>({
    type: 'string',
    enum: ['active', 'invited', 'inactive', 'locked'],
  }),
  role: Type.String(),
  roleIds: Type.Array(Type.String()),
  source: Type.String(),
  scimManaged: Type.Boolean(),
  mfaEnrolled: Type.Boolean(),
  passkeyCount: Type.Integer(),
  lastLoginAt: nullable,
  metadata: Type.Record(Type.String(), Type.Unknown()),
  createdAt: Type.String(),
  updatedAt: Type.String(),
})
export type User = Static<typeof User>

export const UserReply = Type.Object({ user: User })
export const UserListReply = Type.Object({ users: Type.Array(User), ...listReply })
export const BulkReply = Type.Object({
  created: Type.Array(User),
  skipped: Type.Array(
    Type.Object({ email: Type.String(), reason: Type.Enum(['already_exists', 'duplicate_in_request']) }),
  ),
  failed: Type.Array(
    Type.Object({ email: nullable, error: Type.String({ description: '`invalid_email` or `invalid_field:<name>`' }) }),
  ),
})
export type BulkReply = Static<typeof BulkReply>

/** The record as the API shows it. `subOrgId` is the organization of the row's directory. */
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
    externalId: row.external_id,
    active: row.active,
    status: statusOf(row),
    role: row.role,
    roleIds: [],
    source: row.source,
    scimManaged: row.scim_managed,
    mfaEnrolled: row.mfa_enrolled,
    passkeyCount: row.passkey_count,
    lastLoginAt: row.last_login_at?.toISOString() ?? null,
    metadata: Object.fromEntries(Object.entries(row.metadata ?? {})),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

function statusOf(row: UserRow): User['status'] {
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
  ['externalId', 'external_id'],
] as const

export type ProfileColumns = Partial<Record<(typeof textColumns)[number][1], string | null>> & { metadata?: string }

/** The columns of the fields that are there. */
export function toColumns(fields: Profile): ProfileColumns {
  const columns: ProfileColumns = {}
  for (const [field, column] of textColumns) {
    const value = fields[field]
    if (value !== undefined) columns[column] = value || null
  }
  if (fields.metadata !== undefined) columns.metadata = JSON.stringify(fields.metadata ?? {})
  return columns
}
