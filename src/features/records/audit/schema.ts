import { type Static, Type } from 'typebox'
import { anyEvent } from '../../../platform/events/event-envelope.ts'
import { MAX_NAME, nullable } from '../../../platform/schema.ts'

const Id = (description: string) => Type.Optional(Type.String({ format: 'uuid', description }))
const Time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))
const Word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 128, description }))

/** Filters for events. All of them must match. */
export const auditQuery = {
  types: Type.Optional(
    Type.String({ maxLength: 2000, description: 'Types, separated by commas; `user.*` matches all with that prefix.' }),
  ),
  actor_type: Type.Optional(
    Type.Enum(['api_key', 'user', 'scim', 'system', 'cli'], {
      description:
        'Only events with this kind of actor: `api_key`, `user`, `scim` (provisioning), `system` (jobs) or `cli`.',
    }),
  ),
  actor_id: Id(
    'Only events whose actor has this id. For sign-ins and sign-outs, also the id of the API key or team member that sent the request for the user.',
  ),
  on_behalf_of: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_NAME,
      description: 'Only events with this `X-Actor-Id`: the person that your backend acted for.',
    }),
  ),
  target_type: Word('Only events about this type of resource, such as `user`.'),
  target_id: Id('Only events about the resource with this id.'),
  user_id: Id('Only events with this user (`id` or `userId`) as actor, as target or in the data.'),
  ip_address: Word('Only events with this IP address of the end user.'),
  request_id: Word('Only events of the request with this `X-Request-Id`.'),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only events that contain this text. Case does not matter.',
    }),
  ),
  from: Time('Only events at this time or later.'),
  to: Time('Only events at this time or before.'),
}

const AuditQuery = Type.Object(auditQuery)
export type AuditQuery = Static<typeof AuditQuery>

export const AuditPage = Type.Object({
  events: Type.Array(anyEvent, { description: 'Matching events, newest first.' }),
  names: Type.Record(Type.String(), Type.String(), {
    description:
      'The current names of users, team members and API keys that are actors or targets of these events, by id. For a person, this is the display name, else first and last name, else the email address. Deleted users and keys have no entry. A key of one organization gets only the names of that organization’s users and keys. Names of users require the scope `users.read`, names of team members `members.read`, and names of API keys `api_keys.read`.',
    examples: [{ '0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21': 'Ada Lovelace' }],
  }),
  has_more: Type.Boolean(),
  next_cursor: nullable(
    Type.String({
      examples: ['40XWT9-Xl29pafx27PHTegAAYaVdbA37poeYVlyFvQ8XUAfu7mpb6c4JZXwT8LLXQogJqxkJan-VkNEa'],
    }),
  ),
})
