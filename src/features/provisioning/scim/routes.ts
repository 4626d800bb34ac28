import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { byAge, finishPage, listQuery, readPage } from '../../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { changeConfig, readConfig, rotateToken } from './config.ts'
import { discoveryRoutes } from './discovery-routes.ts'
import { scimErrors } from './errors.ts'
import { scimEvents } from './events.ts'
import { listLogs, toLog } from './log.ts'
import { ScimConfigAction, ScimConfigPatch, ScimConfigReply, ScimLogListReply, ScimTokenReply } from './schema.ts'

const about = { tag: 'SCIM', service: 'scim', path: '/v1/scim/config' } as const

const configRoutes: Route[] = [
  defineRoute({
    ...about,
    method: 'GET',
    operation: 'scim.getConfig',
    scope: 'scim_config.read',
    summary: 'Read the provisioning configuration',
    reply: ScimConfigReply,
    handle: async (work) => ({ config: await readConfig(work) }),
  }),
  defineRoute({
    ...about,
    method: 'PATCH',
    operation: 'scim.updateConfig',
    scope: 'scim_config.write',
    summary: 'Change the provisioning configuration',
    description:
      'Omitted fields are not changed. A new `sso_connection_id` changes the roles of provisioned users at once.',
    body: ScimConfigPatch,
    reply: ScimConfigReply,
    errors: [scimErrors.connectionNotFound, httpErrors.privilegeEscalation],
    examples: { body: { enabled: true } },
    maybeEvents: [scimEvents.enabled, scimEvents.disabled, scimEvents.configUpdated],
    handle: async (work, { body }) => ({ config: await changeConfig(work, body) }),
  }),
  defineRoute({
    ...about,
    method: 'POST',
    operation: 'scim.rotateToken',
    scope: 'scim_config.write',
    summary: 'Rotate the provisioning token',
    description:
      'Creates a new SCIM token and shows it once. The token works only for the SCIM endpoint of this organization. Before the token expires, the event `scim.token_expiring` is recorded.',
    body: ScimConfigAction,
    reply: ScimTokenReply,
    errors: [httpErrors.privilegeEscalation],
    event: scimEvents.tokenRotated,
    handle: (work, { body: { overlap_seconds: overlapSeconds = 0, token_expires_in_days: days = null } }) =>
      rotateToken(work, { overlapSeconds, days }),
  }),
]

const { include_total: _total, ...logQuery } = listQuery

const logRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/scim/logs',
    operation: 'scim.listLogs',
    scope: 'scim_config.read',
    service: 'scim',
    tag: 'SCIM',
    summary: 'List provisioning requests',
    description:
      'Lists requests of the provisioning client with their outcome. A refused request also has the reason and a fix. Requests are kept for 14 days.',
    query: Type.Object(logQuery),
    reply: ScimLogListReply,
    async handle(work, { query }) {
      const page = readPage(work.platform, '/v1/scim/logs', query)
      const { rows, reply } = finishPage(work, page, { rows: await listLogs(work, page) }, byAge)
      return { logs: await Promise.all(rows.map((row) => toLog(work, row))), ...reply }
    },
  }),
]

export const scimRoutes: Route[] = [...configRoutes, ...logRoutes, ...discoveryRoutes]
