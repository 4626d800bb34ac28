import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { changeMailSettings, mailSettings } from '../../../platform/mail/settings.ts'
import { domainErrors, domainEvents } from '../../directory/domains/domains.ts'
import { actOnDomain, prepareAction, readOverview } from './overview.ts'
import { brandingPatch, DomainAction, DomainActionReply, OverviewReply } from './schema.ts'

const about = { tag: 'Admin portal', path: '/v1/admin-portal', service: 'admin_portal' } as const

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
        'Its branding, its domains, and a checklist. Without subOrgId, an org-wide key reads what the organizations of its ' +
        'environment inherit.',
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
        'Absent fields are kept, null returns one to the inherited value. They are those of the mail settings.',
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
        'add_domain with domain answers the TXT record to set; one that the organization has already is answered as it is. ' +
        'verify_domain with domainId looks for the record: up to 60 times an hour. remove_domain with domainId.',
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
  ]
}
