import { defineErrors } from '../../../platform/errors.ts'
import { MAX_DOMAINS } from './schema.ts'

export const domainErrors = defineErrors({
  notFound: [404, 'domain_not_found', 'Domain not found', 'The organization has no such domain.'],
  claimed: [
    409,
    'domain_claimed',
    'Another organization has the domain',
    'One organization of an environment has a domain. Once its record is gone from the DNS, or it removes the domain, another one can have it.',
  ],
  limitReached: [
    409,
    'domain_limit_reached',
    'The organization has as many domains as allowed',
    `An organization has at most ${MAX_DOMAINS} domains: remove one.`,
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
    'It belongs to everybody, such as co.uk and gmail.com: give a domain of your own.',
  ],
})
