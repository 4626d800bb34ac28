import { defineEvents } from '../../../platform/events/events.ts'
import { Role, RoleAssignment } from './schema.ts'

export const roleEvents = defineEvents({
  created: ['role.created', 'A role was created.', Role],
  updated: [
    'role.updated',
    'A role was changed. `assignmentCount` counts at most 10 000 users and 10 000 members.',
    Role,
  ],
  deleted: [
    'role.deleted',
    'A role was deleted. `assignmentCount` counts at most 10 000 users and 10 000 members.',
    Role,
  ],
  assigned: ['role.assigned', 'A user or member got a role.', RoleAssignment],
  unassigned: [
    'role.unassigned',
    'A user or member lost a role. The event is not recorded when the role itself is deleted.',
    RoleAssignment,
  ],
})
