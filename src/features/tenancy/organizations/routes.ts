import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { byAge, finishPage, listQuery, readPage } from '../../../platform/http/pagination.ts'
import { tagOf } from '../../../platform/http/precondition.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { Success } from '../../../platform/schema.ts'
import type { AccountWork } from '../../../platform/work.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import { findCountedPage } from './counted.ts'
import { createOrganization } from './create.ts'
import { organizationErrors } from './errors.ts'
import { organizationEvents } from './events.ts'
import { getOrganization, updateOrganization } from './organizations.ts'
import {
  OrganizationCreate,
  OrganizationFilters,
  OrganizationListReply,
  OrganizationParams,
  OrganizationPatch,
  OrganizationReply,
  toOrganization,
} from './schema.ts'

const tag = 'Organizations'
const { created, updated, suspended, activated, archived, erasureCancelled } = organizationEvents
const changes = [updated, suspended, activated, archived, erasureCancelled]

/** The owner of an organization's record is the organization itself. */
async function ownerOfRecord(work: AccountWork, { params }: { params: { subOrgId: string } }): Promise<string> {
  return (await getOrganization(work, params.subOrgId)).id
}

export const organizationRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/organizations',
    operation: 'organizations.list',
    scope: 'sub_orgs.read',
    directory: 'account',
    tag,
    summary: 'List organizations',
    description:
      'Lists the organizations of the key’s environment, including archived ones. A key of one organization sees only that organization.',
    query: Type.Object({ ...OrganizationFilters, ...listQuery }),
    reply: OrganizationListReply,
    async handle(work, { query }) {
      const { db, account } = work
      const page = readPage(work.platform, '/v1/organizations', query)
      const list = finishPage(work, page, await findCountedPage(db, account, query, page), byAge)
      return { subOrganizations: list.rows.map(toOrganization), ...list.reply }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organizations',
    operation: 'organizations.create',
    scope: 'sub_orgs.write',
    directory: 'account',
    writes: 'new-organization',
    tag,
    summary: 'Create an organization',
    description:
      'Requires an org-wide key (not limited to one organization). The environment of the key becomes the home environment of the organization. An organization created with a production key exists in every environment. Any other organization exists only in its home environment. `subOrgId`, if sent, becomes the `parentId` of the organization.',
    body: OrganizationCreate,
    reply: OrganizationReply,
    errors: [organizationErrors.slugTaken],
    event: created,
    etag: true,
    async handle(work, { body }) {
      if (work.caller.organizationId !== null)
        throw httpErrors.subOrgMismatch({
          detail: 'A key or team member limited to one organization cannot create organizations.',
        })
      const row = await createOrganization(work, body)
      work.headers.etag = tagOf(row)
      return { subOrganization: toOrganization(row) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organizations/{subOrgId}',
    operation: 'organizations.get',
    scope: 'sub_orgs.read',
    directory: 'account',
    tag,
    summary: 'Read an organization',
    params: OrganizationParams,
    reply: OrganizationReply,
    errors: [organizationErrors.notFound],
    etag: true,
    async handle(work, { params }) {
      const row = await getOrganization(work, params.subOrgId)
      work.headers.etag = tagOf(row)
      return { subOrganization: toOrganization(row) }
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/organizations/{subOrgId}',
    operation: 'organizations.update',
    scope: 'sub_orgs.write',
    directory: 'account',
    writes: 'home',
    ownerOf: ownerOfRecord,
    tag,
    summary: 'Change an organization',
    description:
      'Omitted fields are not changed, and null clears a field. Only keys of the organization’s home environment can change the organization. Suspending or ' +
      'archiving the organization ends all its sessions immediately. Reactivating or restoring it requires an org-wide key (not limited to one organization) or a member of the account. A member also needs the permission `organizations:archive` to archive or restore it. Restoring an organization cancels its scheduled erasure.',
    params: OrganizationParams,
    body: OrganizationPatch,
    reply: OrganizationReply,
    errors: [organizationErrors.notFound, httpErrors.versionConflict],
    maybeEvents: [...changes, sessionEvents.revoked],
    etag: true,
    async handle(work, { params, body }) {
      const row = await updateOrganization(work, params.subOrgId, { patch: body, ifMatch: work.ifMatch })
      work.headers.etag = tagOf(row)
      return { subOrganization: toOrganization(row) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/organizations/{subOrgId}',
    operation: 'organizations.archive',
    scope: 'sub_orgs.write',
    directory: 'account',
    writes: 'home',
    ownerOf: ownerOfRecord,
    tag,
    summary: 'Archive an organization',
    description:
      'Ends all sessions of the organization immediately. Only keys of its home environment can archive an organization. An archived organization stays in lists and keeps its slug and its verified domains. Set `status` to `active` or `suspended` to restore it.',
    params: OrganizationParams,
    reply: Success,
    errors: [organizationErrors.notFound, httpErrors.versionConflict],
    maybeEvents: [archived, sessionEvents.revoked],
    async handle(work, { params }) {
      await updateOrganization(work, params.subOrgId, { patch: { status: 'archived' }, ifMatch: work.ifMatch })
      return { success: true }
    },
  }),
]
