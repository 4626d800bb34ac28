import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { Locale } from '../../../platform/messages/locale.ts'
import { described, Name, named, nullable } from '../../../platform/schema.ts'
import { MAX_SLUG, SLUG_FORM, SLUG_NEVER_CHANGES, SLUG_PATTERN } from '../../../platform/slug.ts'
import type { OrganizationRow } from './store.ts'
import { COUNTED_AT_ONCE } from './user-counts-store.ts'

const statuses = ['active', 'suspended', 'archived'] as const
const Status = Type.Enum([...statuses], {
  description: 'No user of a suspended or archived organization can sign in; its data can still be read.',
})

const Id = Type.String({ format: 'uuid' })
const Moment = Type.String({ format: 'date-time' })

const name = described({ ...Name, examples: ['Acme'] }, 'Name that administrators and emails show.')
const slug = Type.String({
  minLength: 1,
  maxLength: MAX_SLUG,
  pattern: SLUG_PATTERN,
  'x-form': SLUG_FORM,
  description:
    'URL-safe name, unique within the parent organization over all environments. Archived organizations keep their slugs.',
  examples: ['acme'],
})
const description = nullable(
  Type.String({ maxLength: 2000, examples: ['Maker of everything.'] }),
  'Description for administrators. Null: none.',
)
const externalId = nullable(
  Type.String({ minLength: 1, maxLength: 255, examples: ['crm-4711'] }),
  'The id of the organization in your own system.',
)
const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 50,
  description:
    'Values for your own use: up to 50 keys with any JSON values, 16 KiB in total. A change replaces all keys.',
})
const metadata = nullable(Metadata)

export const OrganizationParams = Type.Object({
  subOrgId: Type.String({ description: 'Organization: `id` in `GET /v1/organizations`.' }),
})

export const OrganizationFilters = {
  status: Type.Optional(Status),
  slug: Type.Optional(Type.String({ description: 'Only the organization with this slug.', maxLength: MAX_SLUG })),
  externalId: Type.Optional(
    Type.String({ description: 'Only the organization with this id in your own system.', maxLength: 255 }),
  ),
}

export const OrganizationCreate = Type.Object({
  name,
  slug,
  description: Type.Optional(description),
  locale: Locale,
  externalId: Type.Optional(externalId),
  metadata: Type.Optional(metadata),
})
export type OrganizationCreate = Static<typeof OrganizationCreate>

export const OrganizationPatch = Type.Object(
  {
    name: Type.Optional(name),
    description: Type.Optional(description),
    status: Type.Optional(Status),
    locale: Locale,
    externalId: Type.Optional(externalId),
    metadata: Type.Optional(metadata),
  },
  SLUG_NEVER_CHANGES,
)
export type OrganizationPatch = Static<typeof OrganizationPatch>

export const Organization = named(
  'Organization',
  Type.Object(
    {
      id: Type.String({ format: 'uuid', examples: ['0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce'] }),
      accountId: described(Id, 'The account that owns the organization.'),
      parentId: Object.assign(nullable(Id), {
        description: 'The parent organization. Null: none.',
        examples: [null],
      }),
      name: Type.String({ description: 'Name that administrators and emails show.', examples: ['Acme'] }),
      slug: Type.String({
        description: 'Identifies the organization in your URLs. The slug never changes.',
        examples: ['acme'],
      }),
      description: nullable(
        Type.String({ examples: ['Maker of everything.'] }),
        'Description for administrators. Null: none.',
      ),
      status: Type.String({
        description:
          '`active`, `suspended` or `archived`. Users of a suspended or archived organization cannot sign in, but its data can still be read.',
        enum: [...statuses],
      }),
      environment: Type.String({
        description:
          'Slug of the organization’s home environment. An organization whose home environment is production exists in every environment. Any other organization exists only in its home environment.',
        examples: ['production'],
      }),
      locale: nullable(
        Type.String({ examples: ['de-AT'] }),
        'Default language of the organization’s users (BCP 47). Null: the language of the environment.',
      ),
      externalId: nullable(
        Type.String({ examples: ['crm-4711'] }),
        'Id of the organization in your own system. Null: none.',
      ),
      memberCount: Type.Integer({ description: 'Number of team members of this organization.', examples: [3] }),
      userCount: Type.Integer({
        description: 'Number of users of this organization in the environment of the calling key.',
        examples: [120],
      }),
      userCountedAt: Type.String({
        format: 'date-time',
        description: `When the users were counted. With more than ${COUNTED_AT_ONCE} users, \`userCount\` is usually less than a minute old.`,
      }),
      domains: Type.Array(Type.String(), {
        description: 'Verified domains in the environment of the calling key.',
        examples: [['acme.com']],
      }),
      metadata: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Your own JSON values, as you stored them.',
        examples: [{ plan: 'pro' }],
      }),
      createdAt: Moment,
      updatedAt: Moment,
      archivedAt: Object.assign(nullable(Moment), {
        description: 'When the organization was archived. Null: not archived.',
        examples: [null],
      }),
      eraseAt: Object.assign(nullable(Moment), {
        description:
          'When the organization’s users, credentials and personal data will be erased. Null: no erasure is scheduled. Changing `status` cancels the erasure.',
        examples: [null],
      }),
    },
    { description: 'A customer of your application, with its own users, settings and connections.' },
  ),
)
export type Organization = Static<typeof Organization>

/**
 * The data of events about an erasure. It contains nothing about the organization that would have to be erased as
 * well.
 */
const { id, accountId, environment } = Organization.properties
export const OrganizationErasure = named(
  'OrganizationErasure',
  Type.Object(
    {
      id,
      accountId,
      environment,
      eraseAt: described(Moment, 'When the organization’s users, credentials and personal data are erased.'),
    },
    { description: 'The erasure of an organization.' },
  ),
)

export const OrganizationReply = named('OrganizationReply', Type.Object({ subOrganization: Organization }))
export const OrganizationListReply = Type.Object({
  subOrganizations: Type.Array(Organization, { description: 'Organizations that the caller reaches.' }),
  ...listReply,
})

export function toOrganization(row: OrganizationRow): Organization {
  return {
    id: row.id,
    accountId: row.account_id,
    parentId: row.parent_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    status: row.status,
    environment: row.home_slug,
    locale: row.locale,
    externalId: row.external_id,
    memberCount: row.member_count,
    userCount: row.user_count,
    userCountedAt: row.user_counted_at.toISOString(),
    domains: row.domains,
    metadata: row.metadata,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    archivedAt: row.archived_at?.toISOString() ?? null,
    eraseAt: row.erase_at?.toISOString() ?? null,
  }
}
