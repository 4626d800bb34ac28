import { Type } from 'typebox'
import type { EventDefinition } from '../../../platform/events/events.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { described } from '../../../platform/schema.ts'
import { SessionTokens } from '../../access/claims/claims.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { mfaEvents } from '../../access/mfa/mfa.ts'
import { challengeErrors } from './errors.ts'
import { challengeEvents, completedEvents } from './events.ts'
import { passChallenge } from './pass.ts'
import { ChallengeToken } from './schema.ts'
import { sendChallengeCode } from './send.ts'

const tag = 'MFA'

function verifyRoute(changes: EventDefinition[]): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/mfa/challenge/verify',
    team: true,
    operation: 'mfa.challenge.verify',
    idempotency: false,
    scope: 'auth.login',
    takesDevice: true,
    service: 'mfa',
    tag,
    summary: 'Complete a challenge',
    description:
      'Exchanges the challenge of a sign-in and a code for a session. The code can come from an authenticator app or a text message, or be a backup code. A challenge allows five attempts. Wrong codes in all challenges of a user together lock the second step for a while, in the same way as wrong passwords lock an address (settings `lockout_*`).',
    body: Type.Object({
      challenge_token: ChallengeToken,
      code: Type.String({
        description: 'The six digits of the app or the text message, or a backup code.',
        minLength: 1,
        maxLength: 40,
        examples: ['492039'],
      }),
      trust_device: Type.Optional(
        Type.Boolean({
          description: 'Trust the device for trusted_device_days, if the settings allow it.',
          examples: [true],
        }),
      ),
    }),
    reply: Type.Object({
      session: described(SessionTokens, 'The session of the sign-in.'),
      trusted_device_token: Type.Optional(
        Type.String({
          description: 'Store it on the device, and send it as X-Trusted-Device at later sign-ins.',
          examples: ['td_9fKq2LrVb6XwZ1mTnC8sJ4hYpD7gE3aUoR5iNtBvMxQ'],
        }),
      ),
      trusted_device_expires_at: Type.Optional(
        Type.String({ description: 'When the device is no longer trusted.', format: 'date-time' }),
      ),
    }),
    errors: [challengeErrors.codeInvalid, challengeErrors.expired, ...doorRoutes.errors],
    event: challengeEvents.succeeded,
    maybeEvents: [...completedEvents(changes), mfaEvents.trustedDeviceAdded],
    handle: async (work, { body }) => {
      const sent = { token: body.challenge_token, code: body.code, trustDevice: body.trust_device ?? false }
      const { session, device } = await passChallenge(work, sent)
      if (!device) return { session }
      const { token, expiresAt } = device
      return { session, trusted_device_token: token, trusted_device_expires_at: expiresAt.toISOString() }
    },
  })
}

const sendRoute = defineRoute({
  method: 'POST',
  path: '/v1/auth/mfa/challenge/send',
  team: true,
  operation: 'mfa.challenge.send',
  aliases: ['/v1/mfa/challenge/send'],
  scope: 'auth.login',
  service: 'mfa',
  tag,
  summary: 'Send a challenge code by SMS',
  description:
    'Sends a six-digit code to the phone that the user has enrolled. Only the newest code is valid, and only until the challenge ends.',
  body: Type.Object({ challenge_token: ChallengeToken, method: Type.Enum(['sms'], { description: 'Always `sms`.' }) }),
  reply: Type.Object({
    delivery_hint: Type.String({ description: 'The phone number, masked.', examples: ['+•••••23'] }),
  }),
  errors: [challengeErrors.expired, ...doorRoutes.errors],
  handle: async (work, { body }) => {
    const sent = await sendChallengeCode(work, body.challenge_token)
    return { delivery_hint: sent.deliveryHint }
  },
})

/** `changes`: the events of changes that waited for the second factor. */
export const challengeRoutes = (changes: EventDefinition[]): Route[] => [verifyRoute(changes), sendRoute]
