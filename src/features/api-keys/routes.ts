import { Type } from 'typebox'
import { byAge, finishPage, listQuery, readPage } from '../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { apiKeyErrors } from './errors.ts'
import { mintApiKey, revokeApiKey, rotateApiKey } from './lifecycle.ts'
import { ApiKeyCreate, ApiKeyListReply, ApiKeyParams, ApiKeyRotate, ApiKeySecretReply, toApiKey } from './schema.ts'
import { countApiKeyRows, listApiKeyRows } from './store.ts'

const tag = 'API keys'

export const apiKeyRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/api-keys',
    scope: 'api_keys.read',
    directory: 'account',
    tag,
    summary: 'List API keys',
    description: 'Of the environment of the calling key, revoked ones too; a key of one organization sees its own.',
    query: Type.Object(listQuery),
    reply: ApiKeyListReply,
    async handle(work, { query }) {
      const { db, directory } = work
      const page = readPage(work.platform, '/v1/api-keys', query)
      const rows = await listApiKeyRows(db, directory, page)
      const total = page.includeTotal ? await countApiKeyRows(db, directory) : undefined
      const list = finishPage(work, page, { rows, total }, byAge)
      return { apiKeys: list.rows.map(toApiKey), ...list.reply }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/api-keys',
    scope: 'api_keys.manage',
    directory: 'account',
    tag,
    summary: 'Create an API key',
    description: 'In no respect more than the calling key. With `subOrgId`: a key of that organization alone.',
    body: ApiKeyCreate,
    reply: ApiKeySecretReply,
    errors: [apiKeyErrors.privilegeEscalation],
    event: 'api_key.created',
    secretReply: true,
    handle: (work, { body }) => mintApiKey(work, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/api-keys/{id}',
    scope: 'api_keys.manage',
    directory: 'account',
    tag,
    summary: 'Revoke an API key',
    description: 'At once, with what is left of its secrets before; at the latest 5 s later on every process.',
    params: ApiKeyParams,
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [apiKeyErrors.notFound],
    maybeEvents: ['api_key.revoked'],
    async handle(work, { params }) {
      const scope = work.directory
      await revokeApiKey({ ...work, directory: scope.directory }, scope, params.id)
      return { success: true }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/api-keys/{id}/rotate',
    scope: 'api_keys.manage',
    directory: 'account',
    tag,
    summary: 'Give an API key a new secret',
    description: 'The secret before ends at once, or after `overlap_seconds`, listed meanwhile as a key of its own.',
    params: ApiKeyParams,
    body: ApiKeyRotate,
    reply: ApiKeySecretReply,
    errors: [apiKeyErrors.notFound, apiKeyErrors.inactive, apiKeyErrors.privilegeEscalation],
    event: 'api_key.rotated',
    secretReply: true,
    handle: (work, { params, body }) => rotateApiKey(work, params.id, body.overlap_seconds ?? 0),
  }),
]
