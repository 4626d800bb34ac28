import { defineEvents } from '../../../platform/events/events.ts'
import { Organization, OrganizationErasure } from './schema.ts'

export const organizationEvents = defineEvents({
  created: ['organization.created', 'An organization was created.', Organization],
  updated: ['organization.updated', 'Fields of an organization other than its status were changed.', Organization],
  suspended: [
    'organization.suspended',
    'An organization was suspended, and all its sessions ended.',
    Organization,
    { status: 'suspended' },
  ],
  activated: ['organization.activated', 'A suspended or archived organization was reactivated.', Organization],
  archived: [
    'organization.archived',
    'An organization was archived, and all its sessions ended.',
    Organization,
    { status: 'archived', archivedAt: '2026-11-22T10:10:00.000Z' },
  ],
  erasureScheduled: [
    'organization.erasure_scheduled',
    'The erasure of an organization was scheduled. Changing the status of the organization before `eraseAt` cancels the erasure.',
    OrganizationErasure,
  ],
  erasureCancelled: [
    'organization.erasure_cancelled',
    'An organization was restored before its erasure began.',
    OrganizationErasure,
  ],
  erased: [
    'organization.erased',
    'The users, credentials and personal data of an organization were erased. The organization no longer exists.',
    OrganizationErasure,
  ],
})
