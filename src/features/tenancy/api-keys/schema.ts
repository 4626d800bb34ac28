import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { described, Name, named, nullable, overlapSeconds } from '../../../platform/schema.ts'
import type { ApiKeyRow } from './store.ts'

const Moment = Type.String({ format: 'date-time' })
const EXAMPLE_KEY = 'ww_live_7Gk2mQ4xV9rT1bN8sW3yZ6aD5eF0hJ2kL7pC4uX9iOq3RvBnE1'
const scopeExamples = [['users.*', 'auth.login']]

export const ApiKeyParams = Type.Object({ id: Type.String({ description: 'API key: `id` in `GET /v1/api-keys`.' }) })

const ApiKeyName = described({ ...Name, examples: ['Backend'] }, 'Name that administrators see.')

const GrantedScopes = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: 'Scopes or wildcards (`users.*`, `*`), each covered by the calling key.',
  examples: scopeExamples,
})

const ipExamples = [['203.0.113.0/24', '2001:db8::/48']]
const AllowedIps = Type.Optional(
  named(
    'AllowedIps',
    nullable(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        examples: ipExamples,
      }),
      'IP addresses and CIDR ranges that the key may be used from. Null allows all addresses.',
    ),
  ),
)

export const ApiKeyPatch = Type.Object({
  name: Type.Optional(ApiKeyName),
  scopes: Type.Optional(GrantedScopes),
  allowedIps: AllowedIps,
})
export type ApiKeyPatch = Static<typeof ApiKeyPatch>

export const ApiKeyCreate = Type.Object({
  name: ApiKeyName,
  scopes: GrantedScopes,
  allowedIps: AllowedIps,
  expiresAt: Type.Optional(nullable(Moment, 'Default: the same as for the calling key.')),
  environment: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 63,
      description: 'Slug of the environment. Must be the environment of the calling key.',
    }),
  ),
  requestsPerSecond: Type.Optional(
    nullable(
      Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      'Rate limit of this key. Null: the limit of the deployment. Default: the same as for the calling key.',
    ),
  ),
})
export type ApiKeyCreate = Static<typeof ApiKeyCreate>

export const ApiKeyRotate = Type.Object({
  overlap_seconds: overlapSeconds(
    'Seconds for which the previous secret keeps working. If 0, the previous secret and all earlier secrets stop working immediately.',
  ),
})

export const ApiKey = named(
  'ApiKey',
  Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      name: Type.String({ description: 'Name that administrators see.', examples: ['Backend'] }),
      start: Type.String({
        description:
          'The first characters of the key, which are not secret and help to tell keys apart. The start contains the environment and at least four characters of the secret.',
        examples: [EXAMPLE_KEY.slice(0, 12)],
      }),
      scopes: Type.Array(Type.String(), {
        description: 'Scopes and wildcards that the key has.',
        examples: scopeExamples,
      }),
      subOrgId: nullable(
        Type.String({ format: 'uuid', examples: ['0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce'] }),
        'The only organization that the key reaches. Null: the key is org-wide and reaches every organization of the environment.',
      ),
      environment: Type.String({
        description: 'Slug of the environment that the key belongs to.',
        examples: ['production'],
      }),
      requestsPerSecond: nullable(
        Type.Integer({ examples: [50] }),
        'Requests per second that this key may send. Null: the limit of the deployment.',
      ),
      allowedIps: nullable(
        Type.Array(Type.String(), { examples: ipExamples }),
        'IP addresses and CIDR ranges that the key may be used from. Null: all addresses.',
      ),
      expiresAt: nullable(Moment, 'When the key expires. Null: never.'),
      lastUsedAt: nullable(Moment, 'When the key was last used, to within a minute. Null: never.'),
      lastUsedIp: nullable(
        Type.String({ examples: ['203.0.113.7'] }),
        'Address that last used the key. Null: never used.',
      ),
      createdBy: Type.String({
        description:
          'Who created the key: `api_key:<id>`, `user:<directoryUserId>` for a team member, `cli`, `bootstrap` or `development`. For the previous secret of a rotated key: `rotation:<id>`.',
        examples: ['api_key:0198b6f1-e0a7-7c44-9b1d-58f2c6a3e970'],
      }),
      createdAt: Moment,
      revokedAt: Object.assign(nullable(Moment), {
        description: 'When the key was revoked. Null: not revoked.',
        examples: [null],
      }),
    },
    { description: 'An API key, without its secret.' },
  ),
)
export type ApiKey = Static<typeof ApiKey>

export const ApiKeyReply = named('ApiKeyReply', Type.Object({ apiKey: ApiKey }))

const Uuid = Type.String({ format: 'uuid' })

export const CurrentKey = Type.Object({
  kind: Type.String({
    description: '`key`: an API key. `member`: the access token of a team member.',
    enum: ['key', 'member'],
    examples: ['key'],
  }),
  id: Object.assign({}, Uuid, { description: 'Id of the key or of the membership.' }),
  accountId: described(Uuid, 'The account that the environment belongs to.'),
  environmentId: described(Uuid, 'The environment: `id` in `/v1/environments`.'),
  environment: ApiKey.properties.environment,
  subOrgId: ApiKey.properties.subOrgId,
  scopes: ApiKey.properties.scopes,
  requestsPerSecond: nullable(Type.Integer({ examples: [50] }), 'Rate limit of the key, or of the deployment.'),
  expiresAt: nullable(Moment, 'When the credential expires. Null: never.'),
})

export const ApiKeySecretReply = named(
  'ApiKeySecret',
  Type.Object({
    apiKey: ApiKey,
    key: Type.String({ description: 'The key itself, shown only once.', examples: [EXAMPLE_KEY] }),
  }),
)
export const ApiKeyListReply = Type.Object({
  apiKeys: Type.Array(ApiKey, { description: 'API keys that the caller may see, without secrets.' }),
  ...listReply,
})

export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    start: row.start,
    scopes: row.scopes,
    subOrgId: row.organization_id,
    environment: row.environment_slug,
    requestsPerSecond: row.requests_per_second,
    allowedIps: row.allowed_ips,
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    lastUsedIp: row.last_used_ip,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }
}
