import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { answer } from '../../../platform/http/answer.ts'
import { matches } from '../../../platform/http/precondition.ts'
import { type CallerContext, defineRoute, type Route } from '../../../platform/http/route.ts'
import { checkedApart } from '../../../platform/schema.ts'
import { roleEvents } from '../../directory/roles/roles.ts'
import { userEvents } from '../../directory/users/users.ts'
import { versionTag } from '../language/versions.ts'
import { type ListRequest, listErrors } from '../scim/lists/lists.ts'
import { conditionOf, languageErrors, provisioningErrors, scimErrors, scimRoute, serve } from '../scim/scim.ts'
import { groupEvents } from './events.ts'
import { getGroup, listGroups, selectAttributes, showGroup } from './read.ts'
import { locationOf } from './resource.ts'
import type { GroupRow } from './store.ts'
import { createGroup, deleteGroup, patchGroup, replaceGroup } from './write.ts'

const { about, ListReply, listed, Patch, params, searched, selected } = scimRoute
const GroupResource = scimRoute.resource('ScimGroup', {
  displayName: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'The group’s name: the key in `group_role_mapping` of the connection.',
      type: ['string', 'null'],
      examples: ['Engineering'],
    }),
  ),
  // The size of the body limits the number of members. A rule checks each.
  members: checkedApart(
    Type.Optional(
      Type.Array(Type.Unsafe<unknown>({}), {
        description: 'Users and groups in the group. `value` contains the `id` of the member.',
        examples: [[{ value: '0198b6f2-81d0-7b55-8c0e-2f64a9d7b310' }]],
      }),
    ),
  ),
})

const WRITING = [...provisioningErrors, ...languageErrors, scimErrors.uniqueness]
/** Events about the roles that members of groups get and lose. */
const GIVEN = [userEvents.updated, roleEvents.assigned, roleEvents.unassigned]
const CHANGED = [groupEvents.updated, groupEvents.memberAdded, groupEvents.memberRemoved, ...GIVEN]
const BODY_LIMIT = 5 * 1024 * 1024

async function show(work: CallerContext<'scim'>, group: GroupRow, query: ListRequest) {
  work.headers.etag = versionTag(group)
  return showGroup(work, group, selectAttributes(query))
}

const reading: Route[] = [
  defineRoute({
    ...about,
    auth: 'scim',
    method: 'GET',
    path: '/api/os/scim/v2/Groups',
    operation: 'scim.listGroups',
    summary: 'List provisioned groups',
    query: listed,
    reply: ListReply,
    errors: listErrors,
    handle: (work, { query }) => serve(work, () => listGroups(work, query)),
  }),
  defineRoute({
    ...about,
    auth: 'scim',
    method: 'POST',
    path: '/api/os/scim/v2/Groups/.search',
    operation: 'scim.searchGroups',
    summary: 'Search provisioned groups',
    body: searched,
    reply: ListReply,
    errors: listErrors,
    handle: (work, { body }) => serve(work, () => listGroups(work, body)),
  }),
  defineRoute({
    ...about,
    auth: 'scim',
    method: 'GET',
    path: '/api/os/scim/v2/Groups/{id}',
    operation: 'scim.getGroup',
    summary: 'Read a provisioned group',
    params,
    query: selected,
    reply: GroupResource,
    replies: { 304: Type.Null() },
    errors: [...provisioningErrors, scimErrors.resourceNotFound],
    etag: true,
    handle: (work, { params, query }) =>
      serve(work, async () => {
        const group = await getGroup(work, params.id)
        work.headers.etag = versionTag(group)
        if (work.ifNoneMatch !== null && matches(work.ifNoneMatch, versionTag(group))) return answer(304, null)
        return show(work, group, query)
      }),
  }),
]

const writing: Route[] = [
  defineRoute({
    ...about,
    auth: 'scim',
    method: 'POST',
    path: '/api/os/scim/v2/Groups',
    operation: 'scim.createGroup',
    summary: 'Create a group',
    query: selected,
    body: GroupResource,
    bodyLimit: BODY_LIMIT,
    replies: { 201: GroupResource },
    errors: WRITING,
    event: groupEvents.created,
    maybeEvents: CHANGED,
    etag: true,
    handle: (work, { query, body }) =>
      serve(work, async () => {
        const group = await createGroup(work, body)
        work.headers['location'] = locationOf(work.platform, 'Groups', group.id)
        return answer(201, await show(work, group, query))
      }),
  }),
  defineRoute({
    ...about,
    auth: 'scim',
    method: 'PUT',
    path: '/api/os/scim/v2/Groups/{id}',
    operation: 'scim.replaceGroup',
    summary: 'Replace a group and its members',
    params,
    query: selected,
    body: GroupResource,
    bodyLimit: BODY_LIMIT,
    reply: GroupResource,
    errors: [...WRITING, scimErrors.resourceNotFound, httpErrors.versionConflict],
    maybeEvents: CHANGED,
    etag: true,
    handle: (work, { params, query, body }) =>
      serve(work, async () => show(work, await replaceGroup(work, params.id, { ...conditionOf(work), body }), query)),
  }),
  defineRoute({
    ...about,
    auth: 'scim',
    method: 'PATCH',
    path: '/api/os/scim/v2/Groups/{id}',
    operation: 'scim.patchGroup',
    summary: 'Change a group or its members',
    description: 'Returns 204, or 200 if the request has `attributes`.',
    params,
    query: selected,
    body: Patch,
    bodyLimit: BODY_LIMIT,
    reply: GroupResource,
    replies: { 204: Type.Null() },
    errors: [...WRITING, scimErrors.resourceNotFound, httpErrors.versionConflict],
    maybeEvents: CHANGED,
    etag: true,
    handle: (work, { params, query, body }) =>
      serve(work, async () => {
        const group = await patchGroup(work, params.id, { ...conditionOf(work), body })
        work.headers.etag = versionTag(group)
        return query.attributes === undefined ? answer(204, null) : show(work, group, query)
      }),
  }),
  defineRoute({
    ...about,
    auth: 'scim',
    method: 'DELETE',
    path: '/api/os/scim/v2/Groups/{id}',
    operation: 'scim.deleteGroup',
    summary: 'Delete a group',
    params,
    replies: { 204: Type.Null() },
    errors: [...provisioningErrors, scimErrors.resourceNotFound, httpErrors.versionConflict],
    event: groupEvents.deleted,
    maybeEvents: [groupEvents.memberRemoved, ...GIVEN],
    handle: (work, { params }) =>
      serve(work, async () => {
        await deleteGroup(work, params.id, conditionOf(work))
        return answer(204, null)
      }),
  }),
]

export const groupRoutes: Route[] = [...reading, ...writing]
