import { type Static, Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { described, named, nullable } from '../../../platform/schema.ts'

const Id = Type.String({ format: 'uuid' })

/** A provisioning client's group, as events show it. */
const ProvisionedGroup = named(
  'ProvisionedGroup',
  Type.Object(
    {
      id: Id,
      subOrgId: nullable(Id),
      displayName: Type.String({
        description: 'The group’s name at the provisioning client, which is the key in `group_role_mapping`.',
        examples: ['Engineering'],
      }),
      externalId: nullable(
        Type.String({ examples: ['00g1a2b3c4'] }),
        'Id of the resource at the provisioning client. Null if none was sent.',
      ),
    },
    { description: 'A group of a provisioning client.' },
  ),
)
export type ProvisionedGroup = Static<typeof ProvisionedGroup>

const Membership = Type.Object(
  {
    group: described(ProvisionedGroup, 'The group whose members changed.'),
    memberId: described(Id, '`id` of a provisioned user or of another group.'),
  },
  { description: 'A user, or another group.' },
)

export const groupEvents = defineEvents({
  created: ['scim.group.created', 'A provisioning client added a group.', ProvisionedGroup],
  updated: ['scim.group.updated', 'A provisioning client changed the data of a group.', ProvisionedGroup],
  deleted: ['scim.group.deleted', 'A provisioning client deleted a group.', ProvisionedGroup],
  memberAdded: ['scim.group.member_added', 'A provisioning client added a member to a group.', Membership],
  memberRemoved: [
    'scim.group.member_removed',
    'A member left a group, because a provisioning client removed the member or because the member was deleted or moved.',
    Membership,
  ],
})
