import { Type } from 'typebox'
import { tagOf } from '../../../platform/http/precondition.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { described, Name } from '../../../platform/schema.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import {
  getOrganization,
  OrganizationParams,
  OrganizationReply,
  organizationErrors,
  organizationEvents,
  toOrganization,
} from '../organizations/organizations.ts'
import { erasureErrors } from './errors.ts'
import { requestErasure } from './schedule.ts'
import { ERASURE_DAYS } from './store.ts'

const OrganizationErase = Type.Object({
  name: described({ ...Name, examples: ['Acme'] }, 'The exact name of the organization, as a confirmation.'),
})

export const erasureRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/organizations/{subOrgId}/erase',
    operation: 'organizations.erase',
    scope: 'sub_orgs.write',
    directory: 'account',
    writes: 'home',
    ownerOf: async (work, { params }) => (await getOrganization(work, params.subOrgId)).id,
    tag: 'Organizations',
    summary: 'Schedule the erasure of an organization',
    description:
      `Archives the organization at once, and erases it after ${ERASURE_DAYS} days (\`eraseAt\`): users, credentials, keys, ` +
      'settings, domains and the personal parts of its events, in every environment. Setting `status` to `active` before then cancels the erasure and restores everything. A repeated request does not change the date. Requires an owner of the account, or an ' +
      'org-wide key (not limited to one organization) with the scope `*` of its home environment.',
    params: OrganizationParams,
    body: OrganizationErase,
    reply: OrganizationReply,
    errors: [organizationErrors.notFound, erasureErrors.nameMismatch],
    maybeEvents: [organizationEvents.erasureScheduled, organizationEvents.archived, sessionEvents.revoked],
    etag: true,
    async handle(work, { params, body }) {
      const row = await requestErasure(work, params.subOrgId, body)
      work.headers.etag = tagOf(row)
      return { subOrganization: toOrganization(row) }
    },
  }),
]
