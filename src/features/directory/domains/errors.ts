import { defineErrors } from '../../../platform/errors.ts'
import { MAX_DOMAINS } from './schema.ts'

export const domainErrors = defineErrors({
  notFound: [404, 'domain_not_found', 'Domain not found', 'The organization has no such domain.'],
  claimed: [
    409,
    'domain_claimed',
    'Another organization has the domain',
    'Only one organization of an environment can have a domain. The domain is free when its owner removes it or its DNS record is gone.',
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
    'An archived organization keeps its domains and gets no new ones. Set its status to active first.',
  ],
  notAllowed: [
    422,
    'domain_not_allowed',
    'No organization can have this domain',
    'No organization can own shared names such as co.uk and gmail.com. Send your own domain.',
  ],
})
