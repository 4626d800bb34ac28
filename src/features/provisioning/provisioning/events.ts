import { type Static, Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { named, nullable } from '../../../platform/schema.ts'
import { userEvents } from '../../directory/users/users.ts'

const Id = Type.String({ format: 'uuid' })

/** A user as the provisioning client has sent them, in events. */
export const ProvisionedUser = named(
  'ProvisionedUser',
  Type.Object(
    {
      id: Id,
      userId: nullable(Id, 'The auth account: `sub` of tokens. Null until the first sign-in, password or invitation.'),
      subOrgId: nullable(Id),
      userName: Type.String({
        description: 'The user’s name at the provisioning client, unique within the organization.',
        examples: ['ada@acme.example'],
      }),
      externalId: nullable(
        Type.String({ examples: ['00u1a2b3c4'] }),
        'Id of the resource at the provisioning client. Null if none was sent.',
      ),
      email: Type.String({
        description: 'The email address of the user in this service.',
        examples: ['ada@acme.example'],
      }),
      active: Type.Boolean({ description: 'Whether the client lets the user sign in.' }),
    },
    { description: 'A user, with the data of the provisioning client.' },
  ),
)
export type ProvisionedUser = Static<typeof ProvisionedUser>

const inactive = { active: false }

export const provisioningEvents = defineEvents({
  provisioned: [
    'scim.user.provisioned',
    'A provisioning client created or restored a user, or took over an existing user whose address is in a verified domain.',
    ProvisionedUser,
  ],
  updated: [
    'scim.user.updated',
    'A provisioning client changed the data that it provides for a user.',
    ProvisionedUser,
  ],
  deprovisioned: [
    'scim.user.deprovisioned',
    'A provisioning client deactivated or deleted a user. Every session ended.',
    ProvisionedUser,
    inactive,
  ],
})

const { created, updated, activated, deactivated, deleted, restored, emailVerified, locked } = userEvents

/** Events that a provisioning client's changes of users may record, except those of rows that belong to the user. */
export const changedUserEvents = [created, updated, activated, deactivated, deleted, restored, emailVerified, locked]
