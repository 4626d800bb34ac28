import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import { open } from '../../../platform/http/object-schemas.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { checkedApart } from '../../../platform/schema.ts'
import { groupEvents } from '../groups/groups.ts'
import { changedUserEvents, provisioningEvents } from '../provisioning/provisioning.ts'
import { listErrors } from '../scim/lists/lists.ts'
import { provisioningErrors, ScimLog, scimErrors, scimRoute, serve } from '../scim/scim.ts'
import { replayLog } from './replay.ts'
import { runBulk } from './run.ts'
import { searchAll } from './search.ts'

const users = '/Users'
const example = { method: 'POST', path: users, bulkId: '1', data: { userName: 'ada@acme.example' } }

/** Searches over all resource types (RFC 7644 §3.4.2.1, §3.4.3). */
const searchRoutes: Route[] = [
  defineRoute({
    ...scimRoute.about,
    auth: 'scim',
    method: 'GET',
    path: '/api/os/scim/v2',
    operation: 'scim.list',
    summary: 'List provisioned users and groups',
    query: scimRoute.listed,
    reply: scimRoute.ListReply,
    errors: listErrors,
    handle: (work, { query }) => serve(work, () => searchAll(work, query)),
  }),
  defineRoute({
    ...scimRoute.about,
    auth: 'scim',
    method: 'POST',
    path: '/api/os/scim/v2/.search',
    operation: 'scim.search',
    summary: 'Search provisioned users and groups',
    body: scimRoute.searched,
    reply: scimRoute.ListReply,
    errors: listErrors,
    handle: (work, { body }) => serve(work, () => searchAll(work, body)),
  }),
]

/** `announced` lists the events of rows that belong to a user and end with a change of the user. */
export function bulkRoutes(announced: EventDefinition[]): Route[] {
  const own = [...Object.values(provisioningEvents), ...Object.values(groupEvents)]
  const maybeEvents = [...changedUserEvents, ...announced, ...own]
  return [
    defineRoute({
      ...scimRoute.about,
      auth: 'scim',
      method: 'POST',
      path: '/api/os/scim/v2/Bulk',
      operation: 'scim.bulk',
      longRunning: true,
      summary: 'Perform up to 1 000 operations',
      body: open(
        Type.Object({
          Operations: checkedApart(
            Type.Optional(
              Type.Array(Type.Unsafe<unknown>({}), {
                description: 'The operations (RFC 7644 §3.7), performed in order.',
                examples: [[example]],
              }),
            ),
          ),
        }),
      ),
      reply: scimRoute.Resource,
      errors: [...provisioningErrors, scimErrors.invalidSyntax],
      maybeEvents,
      handle: (work, { body }) => serve(work, () => runBulk(work, body)),
    }),
    ...searchRoutes,
    defineRoute({
      method: 'POST',
      path: '/v1/scim/logs/{id}/replay',
      operation: 'scim.replayLog',
      longRunning: true,
      scope: 'scim_config.write',
      service: 'scim',
      tag: 'SCIM',
      summary: 'Repeat a refused SCIM write',
      description:
        'Repeats a refused write without its `If-Match` header. The replay is logged as a new request, even if it is refused again. The caller must have the right to grant the roles that the groups of the SCIM client give.',
      params: scimRoute.params,
      reply: Type.Object({ log: ScimLog }),
      errors: [...provisioningErrors, scimErrors.logNotFound, scimErrors.notReplayable, httpErrors.privilegeEscalation],
      maybeEvents,
      handle: async (work, { params }) => ({ log: await replayLog(work, params.id) }),
    }),
  ]
}
