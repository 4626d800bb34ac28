import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'

export const emailChangeEvents = defineEvents({
  emailRestored: [
    'user.email_restored',
    'A user’s change of their address was undone by a link that was mailed to the old one.',
    Type.Object({
      link_id: Type.String({ description: 'The link in the mail that undid the change.', format: 'uuid' }),
    }),
  ],
})
