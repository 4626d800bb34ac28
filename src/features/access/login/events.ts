import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { countedMembers } from '../../../platform/events/failures.ts'
import { described, named, nullable } from '../../../platform/schema.ts'

const method = Type.String({
  description: 'Sign-in method that was tried, such as `otp` or `password`.',
  examples: ['otp'],
})

const Id = Type.String({ format: 'uuid' })

/** The data of an event about a trusted device. */
const DeviceTrust = named(
  'DeviceTrust',
  Type.Object(
    {
      id: Id,
      directory_user_id: Id,
      user_agent: nullable(
        Type.String({ description: 'User agent of the device when it was trusted.', examples: ['Mozilla/5.0'] }),
      ),
    },
    { description: 'A trusted device of a user.' },
  ),
)

/** Includes the events of gates, since every route that ends in a sign-in declares them. */
export const loginEvents = defineEvents({
  succeeded: [
    'auth.login.succeeded',
    'A user signed in. Every required factor was correct, and a session was created.',
    Type.Object({ method }),
  ],
  failed: [
    'auth.login.failed',
    'A sign-in was refused, or a code or link was requested for an address that cannot sign in. When similar failures are frequent, one event with a `count` stands for several of them.',
    Type.Object(
      {
        method,
        reason: Type.String({
          description: 'Why the sign-in was refused, such as the error code.',
          examples: ['wrong'],
        }),
        passkey_id: Type.Optional(Type.String({ format: 'uuid', description: 'The passkey, if it is known.' })),
        connection_id: Type.Optional(
          Type.String({ format: 'uuid', description: 'The connection, for single sign-on.' }),
        ),
        trace_id: Type.Optional(
          Type.String({
            format: 'uuid',
            description:
              'The trace of the sign-in (`GET /v1/sso/connections/{connectionId}/traces`). Absent with `count`.',
          }),
        ),
        ...countedMembers,
      },
      { examples: [{ method: 'otp', reason: 'wrong' }] },
    ),
  ],
  signedUp: [
    'auth.signup.succeeded',
    'A user completed sign-up. The user proved the mailbox, unless the organization requires no proof.',
    Type.Object({ method }),
  ],
  challengeCreated: [
    'mfa.challenge.created',
    'The first factor was correct and a second factor is required. No session exists yet.',
    Type.Object({
      id: described(Id, 'Id of the challenge. Later events about the challenge have the same id.'),
      directory_user_id: Id,
      auth_method: Type.String({ description: 'Sign-in method of the first factor.', examples: ['password'] }),
      enrollment_required: Type.Boolean({ description: 'The user has no factor and must enroll one to sign in.' }),
    }),
  ],
  trustedDeviceUsed: [
    'mfa.trusted_device.used',
    'A trusted device replaced the second factor of a sign-in.',
    DeviceTrust,
  ],
})
