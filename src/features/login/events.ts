import { Type } from 'typebox'
import { defineEvents } from '../../platform/events.ts'
import { named } from '../../platform/schema.ts'

const method = Type.String({ description: 'How the user tried to sign in.', examples: ['otp'] })

/** The data of an event about a link that was created for a user. */
export const LinkEventData = named(
  'MailedLink',
  Type.Object({
    link_id: Type.String({ format: 'uuid' }),
    channel: Type.String({ examples: ['email'] }),
  }),
)

export const loginEvents = defineEvents({
  succeeded: [
    'auth.login.succeeded',
    'A user signed in: every required factor was right, and a session was created.',
    Type.Object({ method }),
  ],
  failed: [
    'auth.login.failed',
    'A sign-in was refused, or a code or link was requested for an address that cannot sign in.',
    Type.Object(
      {
        method,
        reason: Type.String({ description: 'Why, such as the error code.', examples: ['wrong'] }),
        passkey_id: Type.Optional(Type.String({ format: 'uuid', description: 'The passkey, if it is known.' })),
      },
      { examples: [{ method: 'otp', reason: 'wrong' }] },
    ),
  ],
  signedUp: [
    'auth.signup.succeeded',
    'A user finished signing up: by proving their mailbox, or without a proof where none is required.',
    Type.Object({ method }),
  ],
})
