import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import { answer } from '../../../platform/http/answer.ts'
import { matches } from '../../../platform/http/precondition.ts'
import { type CallerContext, defineRoute, type Route } from '../../../platform/http/route.ts'
import { userEvents } from '../../directory/users/users.ts'
import { type ListRequest, listErrors } from '../scim/lists/lists.ts'
import { conditionOf, languageErrors, provisioningErrors, scimErrors, scimRoute, serve } from '../scim/scim.ts'
import { deprovisionUser, patchUser, replaceUser } from './change.ts'
import { provisioningEvents } from './events.ts'
import { provisionUser } from './provision.ts'
import { getProvisioned, listProvisioned, selectAttributes, showUser } from './read.ts'
import { locationOf, versionOf } from './resource.ts'
import type { Provisioned } from './write.ts'

const { about, ListReply, listed, Patch, params, searched, selected } = scimRoute
// Accepts any type and case, because SCIM's schemas define how a client's resource is read.
const text = { type: ['string', 'null'] }
const UserResource = scimRoute.resource('ScimUser', {
  userName: Type.Optional(
    Type.Unsafe<unknown>({
      ...text,
      description: 'Must be an email address unless `emails` has one.',
      examples: ['ada@acme.example'],
    }),
  ),
  displayName: Type.Optional(Type.Unsafe<unknown>({ description: 'Full name.', ...text, examples: ['Ada Lovelace'] })),
  active: Type.Optional(
    Type.Unsafe<unknown>({
      description: '`false` ends every session at once and refuses every sign-in.',
      type: ['boolean', 'string', 'null'],
      examples: [true],
    }),
  ),
})

/** The response after a write, with the new version. */
async function show(work: CallerContext<'scim'>, user: Provisioned, query: ListRequest) {
  work.headers.etag = versionOf(user)
  return showUser(work, user, selectAttributes(query))
}

const reading: Route[] = [
  defineRoute({
    ...about,
    auth: 'scim',
    method: 'GET',
    path: '/api/os/scim/v2/Users',
    operation: 'scim.listUsers',
    summary: 'List provisioned users',
    query: listed,
    reply: ListReply,
    errors: listErrors,
    handle: (work, { query }) => serve(work, () => listProvisioned(work, query)),
  }),
  defineRoute({
    ...about,
    auth: 'scim',
    method: 'POST',
    path: '/api/os/scim/v2/Users/.search',
    operation: 'scim.searchUsers',
    summary: 'Search provisioned users',
    body: searched,
    reply: ListReply,
    errors: listErrors,
    handle: (work, { body }) => serve(work, () => listProvisioned(work, body)),
  }),
  defineRoute({
    ...about,
    auth: 'scim',
    method: 'GET',
    path: '/api/os/scim/v2/Users/{id}',
    operation: 'scim.getUser',
    summary: 'Read a provisioned user',
    params,
    query: selected,
    reply: UserResource,
    replies: { 304: Type.Null() },
    errors: [...provisioningErrors, scimErrors.resourceNotFound],
    etag: true,
    handle: (work, { params, query }) =>
      serve(work, async () => {
        const user = await getProvisioned(work, params.id)
        const isSame = work.ifNoneMatch !== null && matches(work.ifNoneMatch, versionOf(user))
        const shown = await show(work, user, query)
        return isSame ? answer(304, null) : shown
      }),
  }),
]

/** `announced` lists the events of rows that belong to a user and end with a change of the user. */
export function provisioningRoutes(announced: EventDefinition[]): Route[] {
  const { created, updated, activated, deactivated, deleted, restored, emailVerified, locked } = userEvents
  const changed = [updated, activated, deactivated, deleted, ...announced]
  return [
    ...reading,
    addRoute([created, restored, emailVerified, locked, ...changed]),
    ...changeRoutes(changed),
    removeRoute(changed),
  ]
}

function addRoute(changed: EventDefinition[]): Route {
  return defineRoute({
    ...about,
    auth: 'scim',
    method: 'POST',
    path: '/api/os/scim/v2/Users',
    operation: 'scim.createUser',
    summary: 'Provision a user',
    description:
      'Creates a user. If a user with an address in a verified domain exists and no client provisions that user, takes over the existing user. If the client deleted a user with the same externalId in the last 30 days, restores that user.',
    query: selected,
    body: UserResource,
    replies: { 201: UserResource },
    errors: [...provisioningErrors, ...languageErrors, scimErrors.uniqueness],
    event: provisioningEvents.provisioned,
    maybeEvents: changed,
    etag: true,
    handle: (work, { query, body }) =>
      serve(work, async () => {
        const user = await provisionUser(work, body)
        work.headers['location'] = locationOf(work.platform, 'Users', user.row.id)
        return answer(201, await show(work, user, query))
      }),
  })
}

function changeRoutes(changed: EventDefinition[]): Route[] {
  const one = {
    ...about,
    params,
    query: selected,
    reply: UserResource,
    errors: [...provisioningErrors, ...languageErrors, scimErrors.resourceNotFound, scimErrors.uniqueness],
    maybeEvents: [...changed, ...Object.values(provisioningEvents)],
    etag: true,
  }
  return [
    defineRoute({
      ...one,
      auth: 'scim',
      method: 'PUT',
      path: '/api/os/scim/v2/Users/{id}',
      operation: 'scim.replaceUser',
      summary: 'Replace a provisioned user',
      body: UserResource,
      errors: [...one.errors, httpErrors.versionConflict],
      handle: (work, { params, query, body }) =>
        serve(work, async () => show(work, await replaceUser(work, params.id, { ...conditionOf(work), body }), query)),
    }),
    defineRoute({
      ...one,
      auth: 'scim',
      method: 'PATCH',
      path: '/api/os/scim/v2/Users/{id}',
      operation: 'scim.patchUser',
      summary: 'Change a provisioned user',
      description: 'Setting `active` to false ends every session of the user at once.',
      body: Patch,
      errors: [...one.errors, httpErrors.versionConflict],
      handle: (work, { params, query, body }) =>
        serve(work, async () => show(work, await patchUser(work, params.id, { ...conditionOf(work), body }), query)),
    }),
  ]
}

function removeRoute(changed: EventDefinition[]): Route {
  return defineRoute({
    ...about,
    auth: 'scim',
    method: 'DELETE',
    path: '/api/os/scim/v2/Users/{id}',
    operation: 'scim.deleteUser',
    summary: 'Deprovision a user',
    description:
      'Deactivates or deletes the user, depending on the setting onDeprovision. For 30 days, creating a user with the same externalId restores the user.',
    params,
    replies: { 204: Type.Null() },
    errors: [...provisioningErrors, scimErrors.resourceNotFound, httpErrors.versionConflict],
    event: provisioningEvents.deprovisioned,
    maybeEvents: changed,
    handle: (work, { params }) =>
      serve(work, async ({ on_deprovision }) => {
        await deprovisionUser(work, params.id, { ...conditionOf(work), on_deprovision })
        return answer(204, null)
      }),
  })
}
