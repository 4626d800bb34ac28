import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { byAge, finishPage, listQuery, readPage } from '../../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { Success } from '../../../platform/schema.ts'
import { apiKeyErrors } from './errors.ts'
import { apiKeyEvents } from './events.ts'
import { changeApiKey, describeCaller, getApiKey, mintApiKey, revokeApiKey, rotateApiKey } from './lifecycle.ts'
import {
  ApiKeyCreate,
  ApiKeyListReply,
  ApiKeyParams,
  ApiKeyPatch,
  ApiKeyReply,
  ApiKeyRotate,
  ApiKeySecretReply,
  CurrentKey,
  toApiKey,
} from './schema.ts'
import { findApiKeyPage } from './store.ts'

const tag = 'API keys'

export const apiKeyRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/api-keys',
    operation: 'apiKeys.list',
    scope: 'api_keys.read',
    directory: 'account',
    tag,
    summary: 'List API keys',
    description:
      'Lists the keys of the calling key’s environment, including revoked keys. A key of one organization sees only keys of that organization.',
    query: Type.Object(listQuery),
    reply: ApiKeyListReply,
    async handle(work, { query }) {
      const { db, account } = work
      const page = readPage(work.platform, '/v1/api-keys', query)
      const list = finishPage(work, page, await findApiKeyPage(db, account, page), byAge)
      return { apiKeys: list.rows.map(toApiKey), ...list.reply }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/api-keys',
    operation: 'apiKeys.create',
    scope: 'api_keys.manage',
    directory: 'account',
    writes: 'own-environment',
    tag,
    summary: 'Create an API key',
    description:
      'The new key cannot have more rights than the calling key or the role of the calling member. With `subOrgId`, the new key reaches only that organization. A key with `requestsPerSecond` cannot create keys.',
    body: ApiKeyCreate,
    reply: ApiKeySecretReply,
    errors: [httpErrors.privilegeEscalation],
    event: apiKeyEvents.created,
    handle: (work, { body }) => mintApiKey(work, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/api-keys/current',
    operation: 'apiKeys.getCurrent',
    scope: 'any key or member',
    directory: 'account',
    tag,
    summary: 'Read the calling credential',
    description:
      'Every API key and every team member may call this. `scopes` lists the scopes that apply to this request.',
    reply: CurrentKey,
    handle: async (work) => describeCaller(work),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/api-keys/{id}',
    operation: 'apiKeys.get',
    scope: 'api_keys.read',
    directory: 'account',
    tag,
    summary: 'Read an API key',
    params: ApiKeyParams,
    reply: ApiKeyReply,
    errors: [apiKeyErrors.notFound],
    handle: async (work, { params }) => ({ apiKey: await getApiKey(work, params.id) }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/api-keys/{id}',
    operation: 'apiKeys.update',
    scope: 'api_keys.manage',
    directory: 'account',
    writes: 'own-environment',
    tag,
    summary: 'Change an API key',
    description:
      'Takes effect within 5 s on every process, and also applies to previous secrets that still work. Omitted fields are not changed. Returns 403 `privilege_escalation` if the key has more rights than the caller.',
    params: ApiKeyParams,
    body: ApiKeyPatch,
    reply: ApiKeyReply,
    errors: [apiKeyErrors.notFound, apiKeyErrors.inactive, httpErrors.privilegeEscalation],
    maybeEvents: [apiKeyEvents.updated],
    handle: async (work, { params, body }) => ({ apiKey: await changeApiKey(work, params.id, body) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/api-keys/{id}',
    operation: 'apiKeys.revoke',
    scope: 'api_keys.manage',
    directory: 'account',
    writes: 'own-environment',
    tag,
    summary: 'Revoke an API key',
    description:
      'Takes effect within 5 s on every process. Also revokes previous secrets that still work. Returns 403 `privilege_escalation` if the key has more rights than the caller.',
    params: ApiKeyParams,
    reply: Success,
    errors: [apiKeyErrors.notFound, httpErrors.privilegeEscalation],
    maybeEvents: [apiKeyEvents.revoked],
    async handle(work, { params }) {
      const scope = work.account
      await revokeApiKey({ ...work, directory: scope.directory }, scope, params.id)
      return { success: true }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/api-keys/{id}/rotate',
    operation: 'apiKeys.rotate',
    scope: 'api_keys.manage',
    directory: 'account',
    writes: 'own-environment',
    tag,
    summary: 'Rotate an API key',
    description:
      'Gives the key a new secret. The previous secret stops working at once, or after `overlap_seconds`. While it works, lists show it as a separate key. A key with `requestsPerSecond` can rotate only itself.',
    params: ApiKeyParams,
    body: ApiKeyRotate,
    reply: ApiKeySecretReply,
    errors: [apiKeyErrors.notFound, apiKeyErrors.inactive, httpErrors.privilegeEscalation],
    event: apiKeyEvents.rotated,
    handle: (work, { params, body }) => rotateApiKey(work, params.id, body.overlap_seconds ?? 0),
  }),
]
