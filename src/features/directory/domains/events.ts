import { defineEvents } from '../../../platform/events/events.ts'
import { Domain } from './schema.ts'

const failed = { status: 'failed', verified_at: null, last_error: 'txt_not_found' }

export const domainEvents = defineEvents({
  added: [
    'domain.added',
    'A domain was added to an organization, and waits for its proof.',
    Domain,
    { status: 'pending', verified_at: null, last_checked_at: null },
  ],
  verified: [
    'domain.verified',
    'The TXT record of a domain was found: the organization has it.',
    Domain,
    { status: 'verified' },
  ],
  verificationFailed: [
    'domain.verification_failed',
    'A check that was asked for did not find the record of a domain, or the periodic ones find it no longer.',
    Domain,
    failed,
  ],
  verificationLost: [
    'domain.verification_lost',
    'The record of a verified domain was missing for days: the organization has the domain no longer.',
    Domain,
    failed,
  ],
  removed: ['domain.removed', 'A domain was removed from its organization.', Domain],
})
