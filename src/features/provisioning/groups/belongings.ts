import { sql } from 'kysely'
import {
  type Belonging,
  exportsColumns,
  isPending,
  type Step,
  type UserChange,
} from '../../../platform/lifecycle/belongings.ts'
import type { TxWork } from '../../../platform/work.ts'
import { groupEvents } from './events.ts'
import { raisedGroups } from './versions.ts'

/** A group that the user was a member of. */
interface Left {
  id: string
  display_name: string
  external_id: string | null
  organization_id: string | null
  member_id: string
}

/** Removes the user from every group. This changes the representations of these groups. */
function leave({ directory }: TxWork, { user }: UserChange): Step {
  return {
    taken: sql`
      delete from scim_group_members where directory_id = ${directory.id} and user_id = ${user.id} returning group_id`,
    also: raisedGroups(directory, sql`select group_id as id from scim_group_members_taken`),
    query: sql`
      select g.id, g.display_name, g.external_id, ${directory.organizationId}::uuid as organization_id,
        ${user.id}::uuid as member_id
      from scim_group_members_taken left_group
        join scim_groups g on g.directory_id = ${directory.id} and g.id = left_group.group_id`,
  }
}

const memberships: Belonging<Left> = {
  table: 'scim_group_members',
  proof: { kept: 'The client decides the members of a group.' },
  cutOff: { kept: 'The client decides the members of a group.' },
  removal: leave,
  move: leave,
  exports: exportsColumns('scim_group_members', 'group_id', 'group_id', ''),
  isAbsent: isPending,
  announce: {
    event: groupEvents.memberRemoved,
    of: ({ id, display_name, external_id, organization_id, member_id }) =>
      groupEvents.memberRemoved({
        target: { type: 'group', id },
        data: {
          group: { id, subOrgId: organization_id, displayName: display_name, externalId: external_id },
          memberId: member_id,
        },
      }),
  },
}

/** The group memberships of a user. */
export const groupBelongings: Belonging[] = [memberships]
