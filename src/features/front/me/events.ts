import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'

export const meEvents = defineEvents({
  steppedUp: [
    'auth.step_up.succeeded',
    'A user proved again, within a session, who they are.',
    Type.Object({
      method: Type.String({ description: 'Method that the user stepped up with.', examples: ['totp'] }),
      session_id: Type.String({ description: 'The session that was stepped up.', format: 'uuid' }),
      amr: Type.Array(Type.String({ examples: ['otp'] })),
      aal: Type.String({ examples: ['aal2'] }),
    }),
  ],
})
