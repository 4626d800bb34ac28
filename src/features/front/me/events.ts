import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'

export const meEvents = defineEvents({
  steppedUp: [
    'auth.step_up.succeeded',
    'A user proved again, within a session, who they are.',
    Type.Object({
      method: Type.String({ description: 'By what.', examples: ['totp'] }),
      session_id: Type.String({ format: 'uuid' }),
      amr: Type.Array(Type.String({ examples: ['otp'] })),
      aal: Type.String({ examples: ['aal2'] }),
    }),
  ],
})
