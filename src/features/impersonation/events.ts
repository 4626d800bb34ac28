import { Type } from 'typebox'
import { defineEvents } from '../../platform/events.ts'
import { Impersonator } from '../sessions/sessions.ts'

const Id = Type.String({ format: 'uuid' })
const about = { id: Id, user_id: Id, directory_user_id: Id, impersonator: Impersonator }

export const impersonationEvents = defineEvents({
  started: [
    'impersonation.started',
    'Somebody acts for a user, in a session of its own that only reads.',
    Type.Object({ ...about, duration_seconds: Type.Integer({ examples: [900] }) }),
  ],
  ended: [
    'impersonation.ended',
    'Such a session is over; recorded within a minute or two.',
    Type.Object({ ...about, ended: Type.Enum(['expired', 'revoked']) }),
  ],
})
