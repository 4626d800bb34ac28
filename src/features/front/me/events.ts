import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'

export const meEvents = defineEvents({
  steppedUp: [
    'auth.step_up.succeeded',
    'A user completed a step-up in a session.',
    Type.Object({
      method: Type.String({ description: 'Method of the step-up.', examples: ['totp'] }),
      session_id: Type.String({ description: 'The session that was stepped up.', format: 'uuid' }),
      amr: Type.Array(Type.String({ examples: ['otp'] })),
      aal: Type.String({ examples: ['aal2'] }),
    }),
  ],
})
