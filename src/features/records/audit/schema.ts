import { type Static, Type } from 'typebox'
import { anyEvent } from '../../../platform/events/event-envelope.ts'
import { MAX_NAME, nullable } from '../../../platform/schema.ts'

const Id = (description: string) => Type.Optional(Type.String({ format: 'uuid', description }))
const Time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))
const Word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 128, description }))

/** What events are looked for by; all of it must hold. */
export const auditQuery = {
  types: Type.Optional(
    Type.String({ maxLength: 2000, description: 'Types, separated by commas; `user.*` matches all with that prefix.' }),
  ),
  actor_type: Type.Optional(Type.Enum(['api_key', 'user', 'scim', 'system', 'cli'])),
  actor_id: Id('Who did it, or the API key or team member through whom a user signed in.'),
  on_behalf_of: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_NAME,
      description: 'Your id of the person that your backend acted for.',
    }),
  ),
  target_type: Word('Such as `user`.'),
  target_id: Id('What it was done to.'),
  user_id: Id('By either id of a user: what they did, what was done to them, and what tells of them.'),
  ip_address: Word('Of the end user.'),
  request_id: Word('The request that did it.'),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'A text somewhere in it, whatever the case.' }),
  ),
  from: Time('What happened then or later.'),
  to: Time('What happened then or before.'),
}

const AuditQuery = Type.Object(auditQuery)
export type AuditQuery = Static<typeof AuditQuery>

export const AuditPage = Type.Object({
  events: Type.Array(anyEvent),
  has_more: Type.Boolean(),
  next_cursor: nullable(
    Type.String({
      examples: ['40XWT9-Xl29pafx27PHTegAAYaVdbA37poeYVlyFvQ8XUAfu7mpb6c4JZXwT8LLXQogJqxkJan-VkNEa'],
    }),
  ),
})
