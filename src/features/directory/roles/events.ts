import { defineEvents } from '../../../platform/events/events.ts'
import { Role, RoleAssignment } from './schema.ts'

export const roleEvents = defineEvents({
  created: ['role.created', 'A role was created.', Role],
  updated: ['role.updated', 'A role was changed. `assignmentCount` stops at 10 000 users and 10 000 members.', Role],
  deleted: ['role.deleted', 'A role was deleted. `assignmentCount` stops at 10 000 users and 10 000 members.', Role],
  assigned: ['role.assigned', 'A user or member got a role.', RoleAssignment],
  unassigned: [
    'role.unassigned',
    'A user or member lost a role. Not recorded when the role is deleted.',
    RoleAssignment,
  ],
})
