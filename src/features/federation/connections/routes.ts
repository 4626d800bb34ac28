import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { byAge, finishPage, listQuery, readPage } from '../../../platform/http/pagination.ts'
import { tagOf } from '../../../platform/http/precondition.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { Success } from '../../../platform/schema.ts'
import { changeConnection, configOf, createConnection, deleteConnection, prepareChange } from './changes.ts'
import { keepTest, testConnection } from './check.ts'
import { connectionErrors } from './errors.ts'
import { connectionEvents } from './events.ts'
import { exampleChanges, exampleConnections, exampleCreations } from './examples.ts'
import { getConnection, listConnections } from './reads.ts'
import {
  ConnectionCreate,
  ConnectionListReply,
  ConnectionParams,
  ConnectionPatch,
  ConnectionReply,
  ConnectionTestReply,
  SignInTrace,
} from './schema.ts'
import { listTraces } from './traces.ts'

const about = { tag: 'Single sign-on', service: 'sso' } as const
const replies = { saml: { connection: exampleConnections.saml }, oidc: { connection: exampleConnections.oidc } }
const one = { ...about, params: ConnectionParams, errors: [connectionErrors.notFound] }

export const connectionRoutes: Route[] = [
  defineRoute({
    ...about,
    method: 'GET',
    path: '/v1/sso/connections',
    operation: 'connections.list',
    scope: 'sso.read',
    directory: 'reach',
    summary: 'List connections',
    description:
      'Lists the connections of one organization. With an org-wide key (not limited to one organization) and without `subOrgId`, lists the connections of the whole environment.',
    query: Type.Object(listQuery),
    reply: ConnectionListReply,
    async handle(work, { query }) {
      const page = readPage(work.platform, '/v1/sso/connections', query)
      const { rows, reply } = finishPage(work, page, await listConnections(work, page), byAge)
      return { connections: await Promise.all(rows.map((row) => row.shown())), ...reply }
    },
  }),
  defineRoute({
    ...about,
    method: 'POST',
    path: '/v1/sso/connections',
    operation: 'connections.create',
    scope: 'sso.write',
    summary: 'Create a connection',
    description:
      'Creates a draft. For SAML, send the metadata of the provider as XML or as a URL, or send idp_entity_id, idp_sso_url and idp_certificate. For OpenID Connect, send oidc_issuer, oidc_client_id and oidc_client_secret. Then test the connection, and set its status to active.',
    body: ConnectionCreate,
    reply: ConnectionReply,
    errors: [connectionErrors.limitReached, connectionErrors.metadataInvalid, httpErrors.privilegeEscalation],
    event: connectionEvents.created,
    prepare: (work, { body }) => configOf(work, body.protocol, body),
    examples: { bodies: exampleCreations, replies },
    handle: async (work, { body }, config) => ({ connection: await createConnection(work, body, config) }),
  }),
  defineRoute({
    ...one,
    method: 'GET',
    path: '/v1/sso/connections/{connectionId}',
    operation: 'connections.get',
    scope: 'sso.read',
    directory: 'reach',
    summary: 'Read a connection',
    reply: ConnectionReply,
    etag: true,
    examples: { replies },
    async handle(work, { params }) {
      const row = await getConnection(work, params.connectionId)
      work.headers.etag = tagOf(row)
      return { connection: await row.shown() }
    },
  }),
  defineRoute({
    ...one,
    method: 'PATCH',
    path: '/v1/sso/connections/{connectionId}',
    operation: 'connections.update',
    scope: 'sso.write',
    summary: 'Change a connection',
    description:
      'Omitted fields are not changed. Fields in the request override the values in idp_metadata_xml or idp_metadata_url.',
    body: ConnectionPatch,
    reply: ConnectionReply,
    errors: [
      ...one.errors,
      connectionErrors.metadataInvalid,
      httpErrors.versionConflict,
      httpErrors.privilegeEscalation,
    ],
    maybeEvents: [connectionEvents.updated, connectionEvents.activated, connectionEvents.deactivated],
    etag: true,
    examples: { bodies: exampleChanges, replies },
    prepare: (work, { params, body }) => prepareChange(work, params.connectionId, body),
    async handle(work, _, change) {
      const { connection, version } = await changeConnection(work, change)
      work.headers.etag = tagOf({ version })
      return { connection }
    },
  }),
  defineRoute({
    ...one,
    method: 'DELETE',
    path: '/v1/sso/connections/{connectionId}',
    operation: 'connections.delete',
    scope: 'sso.write',
    summary: 'Delete a connection',
    description:
      'Deletes the connection and its links to users, but no users. Provisioning that uses the connection for group roles continues without it.',
    reply: Success,
    errors: [...one.errors, httpErrors.versionConflict],
    event: connectionEvents.deleted,
    async handle(work, { params }) {
      await deleteConnection(work, params.connectionId)
      return { success: true }
    },
  }),
  defineRoute({
    ...one,
    method: 'POST',
    path: '/v1/sso/connections/{connectionId}/test',
    operation: 'connections.test',
    scope: 'sso.write',
    summary: 'Test a connection',
    description:
      'Runs every check that is possible without a user. Each check has a message and, if it failed, a fix. `status` in the response is always `testing`, but an active connection stays `active`. At most 60 tests an hour.',
    reply: ConnectionTestReply,
    maybeEvents: [connectionEvents.updated, connectionEvents.testFailed],
    prepare: (work, { params }) => testConnection(work, params.connectionId),
    handle: async (work, _, test) => ({ ...(await keepTest(work, test)), status: 'testing' as const }),
  }),
  defineRoute({
    ...one,
    method: 'GET',
    path: '/v1/sso/connections/{connectionId}/traces',
    operation: 'connections.listTraces',
    scope: 'sso.read',
    directory: 'reach',
    summary: 'List sign-ins through a connection',
    description:
      'Lists recent sign-ins with what the provider sent and the outcome, newest first. At most 50 traces of a connection are kept, for a week.',
    reply: Type.Object({ traces: Type.Array(SignInTrace, { description: 'The latest sign-ins, newest first.' }) }),
    handle: async (work, { params }) => ({ traces: await listTraces(work, params.connectionId) }),
  }),
]
