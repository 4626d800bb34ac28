import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { changeMailSettings, mailSettings } from '../../../platform/mail/settings.ts'
import { Success } from '../../../platform/schema.ts'
import {
  addDomain,
  domainErrors,
  domainEvents,
  listDomains,
  lookForRecord,
  removeDomain,
  verifyDomain,
} from '../../directory/domains/domains.ts'
import { actOnDomain, prepareAction, readOverview } from './overview.ts'
import {
  brandingPatch,
  DomainAction,
  DomainActionReply,
  DomainCheckReply,
  DomainCreate,
  DomainListReply,
  DomainParams,
  DomainReply,
  OverviewReply,
} from './schema.ts'

const service = { tag: 'Admin portal', service: 'admin_portal' } as const
const about = { ...service, path: '/v1/admin-portal' } as const
const one = { ...service, scope: 'admin_portal.write', params: DomainParams } as const

/** Each action on a domain as a separate operation. */
const domainRoutes: Route[] = [
  defineRoute({
    ...service,
    method: 'GET',
    path: '/v1/admin-portal/domains',
    operation: 'domains.list',
    scope: 'admin_portal.read',
    summary: 'List the domains of an organization',
    reply: DomainListReply,
    handle: async (work) => ({ domains: await listDomains(work) }),
  }),
  defineRoute({
    ...service,
    method: 'POST',
    path: '/v1/admin-portal/domains',
    operation: 'domains.create',
    scope: 'admin_portal.write',
    summary: 'Add a domain',
    description:
      'The response has the TXT record to set. A domain that the organization already has is returned unchanged.',
    body: DomainCreate,
    reply: DomainReply,
    errors: [
      domainErrors.claimed,
      domainErrors.limitReached,
      domainErrors.notAllowed,
      domainErrors.organizationArchived,
    ],
    maybeEvents: [domainEvents.added],
    handle: async (work, { body }) => ({ domain: await addDomain(work, body.domain) }),
  }),
  defineRoute({
    ...one,
    method: 'POST',
    path: '/v1/admin-portal/domains/{domainId}/verify',
    operation: 'domains.verify',
    summary: 'Verify a domain',
    description:
      'Looks for the TXT record of the domain, at most 60 times an hour. If the record is not found, `success` is false and `error` says why.',
    reply: DomainCheckReply,
    errors: [domainErrors.notFound, domainErrors.claimed, domainErrors.organizationArchived],
    maybeEvents: [domainEvents.verified, domainEvents.verificationFailed],
    prepare: (work, { params }) => lookForRecord(work, params.domainId),
    async handle(work, { params }, seen) {
      const { domain, error } = await verifyDomain(work, seen ?? (await lookForRecord(work, params.domainId)))
      return { success: error === null, error, domain }
    },
  }),
  defineRoute({
    ...one,
    method: 'DELETE',
    path: '/v1/admin-portal/domains/{domainId}',
    operation: 'domains.delete',
    summary: 'Remove a domain',
    reply: Success,
    errors: [domainErrors.notFound],
    event: domainEvents.removed,
    async handle(work, { params }) {
      await removeDomain(work, params.domainId)
      return { success: true }
    },
  }),
]

/** A function, because every feature must have defined its kinds of mail first. */
export function adminPortalRoutes(): Route[] {
  return [
    defineRoute({
      ...about,
      method: 'GET',
      operation: 'adminPortal.get',
      scope: 'admin_portal.read',
      summary: 'Read the set-up of an organization',
      description:
        'Returns the branding, the domains and a checklist. Without subOrgId, an org-wide key (not limited to one organization) reads the defaults that the organizations of its environment inherit.',
      reply: OverviewReply,
      handle: async (work) => ({ overview: await readOverview(work) }),
    }),
    defineRoute({
      ...about,
      method: 'PATCH',
      operation: 'adminPortal.update',
      scope: 'admin_portal.write',
      summary: 'Change the branding of an organization',
      description:
        'Omitted fields are not changed, and null resets a field to the inherited value. The mail settings contain the same fields, so the change applies there too.',
      body: brandingPatch(),
      reply: OverviewReply,
      event: mailSettings().events.updated,
      async handle(work, { body }) {
        await changeMailSettings(work, body)
        return { overview: await readOverview(work) }
      },
    }),
    defineRoute({
      ...about,
      method: 'POST',
      operation: 'adminPortal.changeDomain',
      scope: 'admin_portal.write',
      summary: 'Add, verify or remove a domain',
      description:
        '`add_domain` adds `domain` and returns the TXT record to set. A domain that the organization already has is returned unchanged. `verify_domain` looks for the TXT record of the domain with `domainId`, at most 60 times an hour. `remove_domain` removes the domain with `domainId`.',
      body: DomainAction,
      reply: DomainActionReply,
      errors: Object.values(domainErrors),
      maybeEvents: [domainEvents.added, domainEvents.verified, domainEvents.verificationFailed, domainEvents.removed],
      prepare: (work, { body }) => prepareAction(work, body),
      async handle(work, { body }, seen) {
        const { domain, error } = await actOnDomain(work, body, seen)
        return { success: error === null, error, domain, overview: await readOverview(work) }
      },
    }),
    ...domainRoutes,
  ]
}
