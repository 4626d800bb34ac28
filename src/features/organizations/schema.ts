import { type Static, Type } from 'typebox'
import { listReply } from '../../platform/http/pagination.ts'
import { MAX_SLUG, SLUG_FORM, SLUG_PATTERN } from './slug.ts'
import type { OrganizationRow } from './store.ts'

const statuses = ['active', 'suspended', 'archived'] as const
const Status = Type.Enum([...statuses], {
  description: 'Of a suspended or archived organization nobody signs in; its data can still be read.',
})

const name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', 'x-form': 'more than white space' })
const slug = Type.String({
  minLength: 1,
  maxLength: MAX_SLUG,
  pattern: SLUG_PATTERN,
  'x-form': SLUG_FORM,
  description: 'URL-safe, unique in the account. An archived organization keeps its slug.',
})
const description = Type.Union([Type.String({ maxLength: 2000 }), Type.Null()])
const externalId = Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()], {
  description: 'What your own system calls the organization.',
})
const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 50,
  description: 'Yours to use: any JSON values under at most 50 keys, 16 KiB in all. A change replaces all of it.',
})
const metadata = Type.Union([Metadata, Type.Null()])

export const OrganizationParams = Type.Object({ subOrgId: Type.String({ description: 'Organization.' }) })

export const OrganizationFilters = {
  status: Type.Optional(Status),
  slug: Type.Optional(Type.String({ maxLength: MAX_SLUG })),
  externalId: Type.Optional(Type.String({ maxLength: 255 })),
}

export const OrganizationCreate = Type.Object({
  name,
  slug,
  description: Type.Optional(description),
  externalId: Type.Optional(externalId),
  metadata: Type.Optional(metadata),
})
export type OrganizationCreate = Static<typeof OrganizationCreate>

export const OrganizationPatch = Type.Object({
  name: Type.Optional(name),
  description: Type.Optional(description),
  status: Type.Optional(Status),
  externalId: Type.Optional(externalId),
  metadata: Type.Optional(metadata),
})
export type OrganizationPatch = Static<typeof OrganizationPatch>

const nullable = Type.Union([Type.String(), Type.Null()])

export const Organization = Type.Object({
  id: Type.String(),
  accountId: Type.String(),
  parentId: nullable,
  name: Type.String(),
  slug: Type.String(),
  description: nullable,
  status: Type.String({ enum: [...statuses] }),
  externalId: nullable,
  memberCount: Type.Integer({ description: 'Team members of this organization.' }),
  userCount: Type.Integer({ description: 'Directory users in the environment of the calling key.' }),
  domains: Type.Array(Type.String(), { description: 'Verified domains.' }),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  createdAt: Type.String(),
  updatedAt: Type.String(),
  archivedAt: nullable,
})
export type Organization = Static<typeof Organization>

export const OrganizationReply = Type.Object({ subOrganization: Organization })
export const OrganizationListReply = Type.Object({ subOrganizations: Type.Array(Organization), ...listReply })

export function toOrganization(row: OrganizationRow): Organization {
  return {
    id: row.id,
    accountId: row.account_id,
    parentId: row.parent_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    status: row.status,
    externalId: row.external_id,
    memberCount: row.member_count,
    userCount: row.user_count,
    domains: [],
    metadata: row.metadata,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    archivedAt: row.archived_at?.toISOString() ?? null,
  }
}
