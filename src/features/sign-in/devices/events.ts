import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'

const Id = Type.String({ format: 'uuid' })

export const deviceEvents = defineEvents({
  disowned: [
    'auth.login.disowned',
    'A user said, by the link of the mail about a new device, that the sign-in of this session was not theirs.',
    Type.Object({ session_id: Id, link_id: Id }),
  ],
})
