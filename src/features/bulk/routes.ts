import { Type } from 'typebox'
import type { EventDefinition } from '../../platform/events.ts'
import { defineRoute, open, type Route } from '../../platform/http/route.ts'
import { checkedApart } from '../../platform/schema.ts'
import { groupEvents } from '../groups/groups.ts'
import { provisioningEvents } from '../provisioning/provisioning.ts'
import { admissionErrors, scimErrors, scimRoute, serve } from '../scim/scim.ts'
import { userEvents } from '../users/users.ts'
import { runBulk } from './run.ts'

const users = '/Users'
const example = { method: 'POST', path: users, bulkId: '1', data: { userName: 'ada@acme.example' } }

/** `announced`: the events of what hangs on a user and ends with a change of them. */
export function bulkRoutes(announced: EventDefinition[]): Route[] {
  const { created, updated, activated, deactivated, deleted, emailVerified } = userEvents
  const ofUsers = [created, updated, activated, deactivated, deleted, emailVerified]
  return [
    defineRoute({
      ...scimRoute.about,
      auth: 'scim',
      method: 'POST',
      path: '/api/os/scim/v2/Bulk',
      operation: 'scim.bulk',
      summary: 'Perform up to 1 000 operations',
      body: open(
        Type.Object({
          Operations: checkedApart(Type.Optional(Type.Array(Type.Unsafe<unknown>({}), { examples: [[example]] }))),
        }),
      ),
      reply: scimRoute.Resource,
      errors: [...admissionErrors, scimErrors.invalidSyntax],
      maybeEvents: [...ofUsers, ...announced, ...Object.values(provisioningEvents), ...Object.values(groupEvents)],
      handle: (work, { body }) => serve(work, (provisioning) => runBulk(work, body, provisioning)),
    }),
  ]
}
