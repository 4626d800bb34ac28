import { Type } from 'typebox'
import { httpErrors } from '../../platform/errors.ts'
import { byAge, finishPage, listQuery, readPage } from '../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { createEnvironment } from './environments.ts'
import { environmentErrors } from './errors.ts'
import { environmentEvents } from './events.ts'
import { EnvironmentCreate, EnvironmentListReply, EnvironmentReply, toEnvironment } from './schema.ts'
import { countEnvironmentRows, listEnvironmentRows } from './store.ts'

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
    description: 'Production and staging first, then the custom ones by age.',
    query: Type.Object(listQuery),
    reply: EnvironmentListReply,
    async handle(work, { query }) {
      const { db, directory } = work
      const page = readPage(work.platform, '/v1/environments', query)
      const rows = await listEnvironmentRows(db, directory, page)
      const total = page.includeTotal ? await countEnvironmentRows(db, directory) : undefined
      const list = finishPage(work, page, { rows, total }, byAge)
      return { environments: list.rows.map(toEnvironment), ...list.reply }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/environments',
    operation: 'environments.create',
    scope: 'environments.write',
    directory: 'account',
    tag,
    summary: 'Create an environment',
    description: 'A custom environment belongs to one organization and accepts only its keys.',
    body: EnvironmentCreate,
    reply: EnvironmentReply,
    errors: [
      environmentErrors.slugReserved,
      environmentErrors.slugTaken,
      environmentErrors.limitReached,
      httpErrors.subOrgRequired,
    ],
    event: environmentEvents.created,
    async handle(work, { body }) {
      return { environment: await createEnvironment(work, body) }
    },
  }),
]
