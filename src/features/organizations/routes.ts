import { Type } from 'typebox'
import { httpErrors } from '../../platform/errors.ts'
import { byAge, finishPage, listQuery, readPage } from '../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { organizationErrors } from './errors.ts'
import { createOrganization, getOrganization, organizationTag, updateOrganization } from './organizations.ts'
import {
  OrganizationCreate,
  OrganizationFilters,
  OrganizationListReply,
  OrganizationParams,
  OrganizationPatch,
  OrganizationReply,
  toOrganization,
} from './schema.ts'
import { countOrganizationRows, listOrganizationRows } from './store.ts'

const tag = 'Organizations'
const changes = ['organization.updated', 'organization.suspended', 'organization.activated', 'organization.archived']

export const organizationRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/organizations',
    scope: 'sub_orgs.read',
    directory: 'account',
    tag,
    summary: 'List organizations',
    description: 'All of the account, archived ones too. A key of one organization sees that one.',
    query: Type.Object({ ...OrganizationFilters, ...listQuery }),
    reply: OrganizationListReply,
    async handle({ platform, headers, directory, input: { query } }) {
      const page = readPage(platform, '/v1/organizations', query)
      const rows = await listOrganizationRows(platform.db, directory, query, page)
      const total = page.includeTotal ? await countOrganizationRows(platform.db, directory, query) : undefined
      const list = finishPage({ platform, headers }, page, rows, byAge, total)
      return { subOrganizations: list.rows.map(toOrganization), ...list.reply }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organizations',
    scope: 'sub_orgs.write',
    directory: 'account',
    tag,
    summary: 'Create an organization',
    description: 'Needs an org-wide key. `subOrgId`, where given, becomes the `parentId` of the new organization.',
    body: OrganizationCreate,
    reply: OrganizationReply,
    errors: [organizationErrors.slugTaken],
    event: 'organization.created',
    async handle({ tx, headers, principal, directory, origin, input: { body } }) {
      if (principal.organizationId !== null)
        throw httpErrors.subOrgMismatch({ detail: 'A key of one organization cannot create others.' })
      const row = await tx((db) => createOrganization(db, directory, origin, body))
      headers.etag = organizationTag(row)
      return { subOrganization: toOrganization(row) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organizations/{subOrgId}',
    scope: 'sub_orgs.read',
    directory: 'account',
    tag,
    summary: 'Read an organization',
    params: OrganizationParams,
    reply: OrganizationReply,
    errors: [organizationErrors.notFound],
    async handle({ platform, headers, directory, input: { params } }) {
      const row = await getOrganization(platform.db, directory, params.subOrgId)
      headers.etag = organizationTag(row)
      return { subOrganization: toOrganization(row) }
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/organizations/{subOrgId}',
    scope: 'sub_orgs.write',
    directory: 'account',
    tag,
    summary: 'Change an organization',
    description:
      'Absent fields stay, null clears. Suspending or archiving ends every session of the organization at once; only an ' +
      'org-wide key brings it back.',
    params: OrganizationParams,
    body: OrganizationPatch,
    reply: OrganizationReply,
    errors: [organizationErrors.notFound, httpErrors.versionConflict],
    maybeEvents: [...changes, 'session.revoked'],
    async handle({ tx, headers, principal, ifMatch, directory, origin, input: { params, body } }) {
      const change = { patch: body, ifMatch, mayReopen: principal.organizationId === null }
      const row = await tx((db) => updateOrganization(db, directory, origin, params.subOrgId, change))
      headers.etag = organizationTag(row)
      return { subOrganization: toOrganization(row) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/organizations/{subOrgId}',
    scope: 'sub_orgs.write',
    directory: 'account',
    tag,
    summary: 'Archive an organization',
    description: 'Its sessions end at once. It stays listed with its slug, and a change of status brings it back.',
    params: OrganizationParams,
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [organizationErrors.notFound, httpErrors.versionConflict],
    maybeEvents: ['organization.archived', 'session.revoked'],
    async handle({ tx, ifMatch, directory, origin, input: { params } }) {
      const change = { patch: { status: 'archived' } as const, ifMatch, mayReopen: false }
      await tx((db) => updateOrganization(db, directory, origin, params.subOrgId, change))
      return { success: true }
    },
  }),
]
