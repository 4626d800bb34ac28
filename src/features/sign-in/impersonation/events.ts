import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { described, nullable } from '../../../platform/schema.ts'
import { Impersonator } from '../../access/sessions/sessions.ts'

const Id = Type.String({ format: 'uuid' })
const about = Type.Object({
  id: described(Id, 'The impersonation session.'),
  user_id: Id,
  directory_user_id: Id,
  impersonator: Impersonator,
  ended: nullable(Type.Enum(['expired', 'revoked']), 'Why the session ended. Null in the event of its start.'),
})

export const impersonationEvents = defineEvents({
  started: ['impersonation.started', 'A support agent started a read-only session as a user.', about, { ended: null }],
  ended: [
    'impersonation.ended',
    'An impersonation session ended. The event is recorded within two minutes of the end.',
    about,
    { ended: 'expired' },
  ],
})
