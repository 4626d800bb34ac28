import { defineEvents } from '../../../platform/events/events.ts'
import { Domain } from './schema.ts'

const failed = { status: 'failed', verified_at: null, last_error: 'txt_not_found' }

export const domainEvents = defineEvents({
  added: [
    'domain.added',
    'A domain was added to an organization and is not verified yet.',
    Domain,
    { status: 'pending', verified_at: null, last_checked_at: null },
  ],
  verified: [
    'domain.verified',
    'The TXT record of a domain was found. The organization owns the domain.',
    Domain,
    { status: 'verified' },
  ],
  verificationFailed: [
    'domain.verification_failed',
    'A requested check did not find the TXT record of a domain, or a periodic check no longer found it.',
    Domain,
    failed,
  ],
  verificationLost: [
    'domain.verification_lost',
    'The TXT record of a verified domain was missing for days. The organization lost the domain.',
    Domain,
    failed,
  ],
  removed: ['domain.removed', 'A domain was removed from its organization.', Domain],
})
