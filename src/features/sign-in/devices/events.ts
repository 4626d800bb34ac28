import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { described } from '../../../platform/schema.ts'

const Id = Type.String({ format: 'uuid' })

export const deviceEvents = defineEvents({
  disowned: [
    'auth.login.disowned',
    'A user said, by the link of the mail about a new device, that the sign-in of this session was not theirs.',
    Type.Object({
      session_id: described(Id, 'The session that the user did not start. It was ended.'),
      link_id: described(Id, 'The link in the mail that was used.'),
    }),
  ],
})
