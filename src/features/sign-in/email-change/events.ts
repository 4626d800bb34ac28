import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'

export const emailChangeEvents = defineEvents({
  emailRestored: [
    'user.email_restored',
    'A change of a user’s email address was undone with the link in the email to the old address.',
    Type.Object({
      link_id: Type.String({ description: 'The link in the mail that undid the change.', format: 'uuid' }),
    }),
  ],
})
