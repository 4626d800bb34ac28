import { type Static, Type } from 'typebox'
import { listReply } from '../../platform/http/pagination.ts'
import type { ApiKeyRow } from './store.ts'

const nullable = Type.Union([Type.String(), Type.Null()])
const WEEK_SECONDS = 604_800

export const ApiKeyParams = Type.Object({ id: Type.String({ description: 'API key.' }) })

export const ApiKeyCreate = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', 'x-form': 'more than white space' }),
  scopes: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'Scopes or wildcards (`users.*`, `*`), each covered by the calling key.',
  }),
  expiresAt: Type.Optional(
    Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Absent: as the calling key.' }),
  ),
  environment: Type.Optional(
    Type.String({ minLength: 1, maxLength: 63, description: 'Slug; that of the calling key.' }),
  ),
  requestsPerSecond: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], {
      description: 'Ceiling of this key; null: the one of the deployment. Absent: as the calling key.',
    }),
  ),
})
export type ApiKeyCreate = Static<typeof ApiKeyCreate>

export const ApiKeyRotate = Type.Object({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WEEK_SECONDS,
      default: 0,
      description: 'How long the secret before goes on working; 0 ends it, and any earlier one, at once.',
    }),
  ),
})

export const ApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  start: Type.String({ description: 'The public first characters, to tell keys apart.' }),
  scopes: Type.Array(Type.String()),
  subOrgId: nullable,
  environment: Type.String(),
  requestsPerSecond: Type.Union([Type.Integer(), Type.Null()]),
  expiresAt: nullable,
  lastUsedAt: nullable,
  lastUsedIp: nullable,
  createdBy: Type.String({ description: '`api_key:<id>`, or `rotation:<id>` for the secret before of a rotated key.' }),
  createdAt: Type.String(),
  revokedAt: nullable,
})
export type ApiKey = Static<typeof ApiKey>

export const ApiKeySecretReply = Type.Object({
  apiKey: ApiKey,
  key: Type.String({ description: 'The key itself, shown this once.' }),
})
export const ApiKeyListReply = Type.Object({ apiKeys: Type.Array(ApiKey), ...listReply })

export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    start: row.start,
    scopes: row.scopes,
    subOrgId: row.organization_id,
    environment: row.environment_slug,
    requestsPerSecond: row.requests_per_second,
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    lastUsedIp: row.last_used_ip,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }
}
