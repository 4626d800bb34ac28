import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { described } from '../../../platform/schema.ts'

const Id = Type.String({ format: 'uuid' })

export const deviceEvents = defineEvents({
  disowned: [
    'auth.login.disowned',
    'A user used the link in a new-device mail to report the sign-in of a session.',
    Type.Object({
      session_id: described(Id, 'The session that the user did not start. It was ended.'),
      link_id: described(Id, 'The link in the mail that was used.'),
    }),
  ],
})
