import { defineErrors } from '../../../platform/errors.ts'
import { MAX_DOMAINS } from './schema.ts'

export const domainErrors = defineErrors({
  notFound: [404, 'domain_not_found', 'Domain not found', 'The organization has no such domain.'],
  claimed: [
    409,
    'domain_claimed',
    'Another organization has the domain',
    'In an environment, a domain can belong to only one organization. The domain becomes free when that organization removes it or when its DNS record is gone.',
  ],
  limitReached: [
    409,
    'domain_limit_reached',
    'Too many domains',
    `An organization has at most ${MAX_DOMAINS} domains. Remove one first.`,
  ],
  organizationArchived: [
    409,
    'organization_archived',
    'The organization is archived',
    'An archived organization keeps its domains but cannot add or verify any. Set the organization’s status to active first.',
  ],
  notAllowed: [
    422,
    'domain_not_allowed',
    'No organization can have this domain',
    'Domains that many people share, such as co.uk and gmail.com, cannot belong to an organization. Send a domain that the organization owns.',
  ],
})
