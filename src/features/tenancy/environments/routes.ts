import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { byAge, finishPage, listQuery, readPage } from '../../../platform/http/pagination.ts'
import { tagOf } from '../../../platform/http/precondition.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { changeEnvironment, createEnvironment, getEnvironment, requireOrganization } from './environments.ts'
import { environmentErrors } from './errors.ts'
import { environmentEvents } from './events.ts'
import {
  EnvironmentCreate,
  EnvironmentListReply,
  EnvironmentParams,
  EnvironmentPatch,
  EnvironmentReply,
  toEnvironment,
} from './schema.ts'
import { findEnvironmentPage } from './store.ts'

// With subOrgId, which an org-wide key must send.
const exampleCreation = { subOrgId: '0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce', name: 'Preview', slug: 'preview' }

const tag = 'Environments'

export const environmentRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/environments',
    operation: 'environments.list',
    scope: 'environments.read',
    directory: 'account',
    tag,
    summary: 'List environments',
    description: 'Lists production and staging first, then custom environments by age.',
    query: Type.Object(listQuery),
    reply: EnvironmentListReply,
    async handle(work, { query }) {
      const { db, account } = work
      const page = readPage(work.platform, '/v1/environments', query)
      const list = finishPage(work, page, await findEnvironmentPage(db, account, page), byAge)
      return { environments: list.rows.map(toEnvironment), ...list.reply }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/environments',
    operation: 'environments.create',
    scope: 'environments.write',
    directory: 'account',
    writes: 'home',
    ownerOf: async (work) => requireOrganization(work),
    tag,
    summary: 'Create an environment',
    description:
      'A custom environment belongs to one organization and accepts only keys of that organization. Only keys of the organization’s home environment can create a custom environment.',
    body: EnvironmentCreate,
    reply: EnvironmentReply,
    errors: [
      environmentErrors.slugReserved,
      environmentErrors.slugTaken,
      environmentErrors.limitReached,
      httpErrors.subOrgRequired,
    ],
    event: environmentEvents.created,
    examples: { body: exampleCreation },
    async handle(work, { body }) {
      return { environment: await createEnvironment(work, body) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/environments/{environmentId}',
    operation: 'environments.get',
    scope: 'environments.read',
    directory: 'account',
    tag,
    summary: 'Read an environment',
    params: EnvironmentParams,
    reply: EnvironmentReply,
    errors: [environmentErrors.notFound],
    etag: true,
    async handle(work, { params }) {
      const row = await getEnvironment(work, params.environmentId)
      work.headers.etag = tagOf(row)
      return { environment: toEnvironment(row) }
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/environments/{environmentId}',
    operation: 'environments.update',
    scope: 'environments.write',
    directory: 'account',
    writes: 'home',
    ownerOf: async (work, { params }) => (await getEnvironment(work, params.environmentId)).organization_id,
    tag,
    summary: 'Rename an environment',
    description:
      'The slug never changes. Changing a shared environment, such as staging, requires an org-wide production key (not limited to one organization). Changing a custom environment requires a key of the home environment of its organization.',
    params: EnvironmentParams,
    body: EnvironmentPatch,
    reply: EnvironmentReply,
    errors: [environmentErrors.notFound, httpErrors.versionConflict],
    maybeEvents: [environmentEvents.updated],
    etag: true,
    async handle(work, { params, body }) {
      const mayChangeShared = work.caller.organizationId === null
      const change = { patch: body, ifMatch: work.ifMatch, mayChangeShared }
      const row = await changeEnvironment(work, params.environmentId, change)
      work.headers.etag = tagOf(row)
      return { environment: toEnvironment(row) }
    },
  }),
]
