import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { Locale } from '../../../platform/messages/locale.ts'
import { described, Name, named, nullable } from '../../../platform/schema.ts'
import { SLUG_NEVER_CHANGES } from '../../../platform/slug.ts'
import type { EnvironmentRow } from './store.ts'

/** How many custom environments an organization may have. */
export const MAX_CUSTOM = 50

const name = described({ ...Name, examples: ['Preview'] }, 'Name that administrators see.')

export const EnvironmentCreate = Type.Object({
  name,
  slug: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'Up to 63 characters: a-z, 0-9 and single hyphens between them. Must not be production or staging. Unique within the organization.',
    examples: ['preview'],
  }),
  locale: Locale,
})
export type EnvironmentCreate = Static<typeof EnvironmentCreate>

export const EnvironmentPatch = Type.Object({ name: Type.Optional(name), locale: Locale }, SLUG_NEVER_CHANGES)
export type EnvironmentPatch = Static<typeof EnvironmentPatch>

export const EnvironmentParams = Type.Object({
  environmentId: Type.String({ description: 'Environment: `id` in `GET /v1/environments`.' }),
})

export const Environment = named(
  'Environment',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      name: Type.String({ description: 'Name that administrators see.', examples: ['Preview'] }),
      slug: Type.String({
        description: 'Identifies the environment in API keys and issuers. The slug never changes.',
        examples: ['preview'],
      }),
      type: Type.String({
        description: '`production`, `staging`, or `custom` for environments that you create.',
        enum: ['production', 'staging', 'custom'],
        examples: ['custom'],
      }),
      subOrgId: nullable(
        Type.String({ format: 'uuid', examples: ['0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce'] }),
        'The organization that a custom environment belongs to. Only keys of this organization are accepted.',
      ),
      locale: nullable(
        Type.String({ examples: ['de-AT'] }),
        'Default language of the environment’s users (BCP 47). Null: `en`.',
      ),
      createdAt: Type.String({ format: 'date-time' }),
      keyCount: Type.Integer({ description: 'Number of active keys that the caller may see.', examples: [2] }),
    },
    { description: 'An environment of the account, with its own users, keys and token issuer.' },
  ),
)
export type Environment = Static<typeof Environment>

export const EnvironmentReply = Type.Object({ environment: Environment })
export const EnvironmentListReply = Type.Object({
  environments: Type.Array(Environment, { description: 'The environments that the caller reaches.' }),
  ...listReply,
})

export function toEnvironment(row: EnvironmentRow): Environment {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    type: row.type,
    subOrgId: row.organization_id,
    locale: row.locale,
    createdAt: row.created_at.toISOString(),
    keyCount: row.key_count,
  }
}
