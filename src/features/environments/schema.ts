import { type Static, Type } from 'typebox'
import { listReply } from '../../platform/http/pagination.ts'
import type { EnvironmentRow } from './store.ts'

export const EnvironmentCreate = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', 'x-form': 'more than white space' }),
  slug: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'At most 63 of a-z, 0-9 and single hyphens between them; not production or staging.',
  }),
})
export type EnvironmentCreate = Static<typeof EnvironmentCreate>

export const Environment = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  type: Type.String({ enum: ['production', 'staging', 'custom'] }),
  subOrgId: Type.Union([Type.String(), Type.Null()], { description: 'The only organization it takes keys of.' }),
  createdAt: Type.String(),
  keyCount: Type.Integer({ description: 'Keys that work, of those the caller may know of.' }),
})
export type Environment = Static<typeof Environment>

export const EnvironmentReply = Type.Object({ environment: Environment })
export const EnvironmentListReply = Type.Object({ environments: Type.Array(Environment), ...listReply })

export function toEnvironment(row: EnvironmentRow): Environment {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    type: row.type,
    subOrgId: row.organization_id,
    createdAt: row.created_at.toISOString(),
    keyCount: row.key_count,
  }
}
