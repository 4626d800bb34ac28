import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { described } from '../../../platform/schema.ts'

const Id = Type.String({ format: 'uuid' })

export const deviceEvents = defineEvents({
  disowned: [
    'auth.login.disowned',
    'A user followed the link in a new-device email and reported that the sign-in was not theirs.',
    Type.Object({
      session_id: described(Id, 'The reported session, which the user did not start. The session was ended.'),
      link_id: described(Id, 'The link in the mail that was used.'),
    }),
  ],
})
