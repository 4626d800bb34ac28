import { defineEvents } from '../../../platform/events/events.ts'
import { Organization } from './schema.ts'

export const organizationEvents = defineEvents({
  created: ['organization.created', 'An organization was created.', Organization],
  updated: ['organization.updated', 'Fields of an organization other than its status were changed.', Organization],
  suspended: [
    'organization.suspended',
    'An organization was suspended; its sessions ended.',
    Organization,
    { status: 'suspended' },
  ],
  activated: ['organization.activated', 'A suspended or archived organization was reactivated.', Organization],
  archived: [
    'organization.archived',
    'An organization was archived; its sessions ended.',
    Organization,
    { status: 'archived', archivedAt: '2026-11-22T10:10:00.000Z' },
  ],
})
