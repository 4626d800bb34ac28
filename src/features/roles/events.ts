import { defineEvents } from '../../platform/events.ts'
import { Role, RoleAssignment } from './schema.ts'

export const roleEvents = defineEvents({
  created: ['role.created', 'A role was made.', Role],
  updated: [
    'role.updated',
    'A role was changed. `assignmentCount` is the number of its users and members, each counted up to 10 000.',
    Role,
  ],
  deleted: [
    'role.deleted',
    'A role was deleted with its assignments. `assignmentCount` counts up to 10 000 users and 10 000 members.',
    Role,
  ],
  assigned: ['role.assigned', 'A user or member got a role.', RoleAssignment],
  unassigned: ['role.unassigned', 'A user or member lost a role, other than with the role itself.', RoleAssignment],
})
