import { Type } from 'typebox'
import { defineEvents, type EventDefinition } from '../../../platform/events/events.ts'
import { loginEvents } from '../../access/login/login.ts'
import { MFA_METHODS } from '../../access/mfa/mfa.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import { userEvents } from '../../directory/users/users.ts'

const Id = Type.String({ format: 'uuid' })

export const challengeEvents = defineEvents({
  succeeded: [
    'mfa.challenge.succeeded',
    'A correct code passed a challenge.',
    Type.Object({
      id: Id,
      directory_user_id: Id,
      method: Type.Enum(MFA_METHODS, { description: 'The factor that the user proved.' }),
    }),
  ],
  failed: [
    'mfa.challenge.failed',
    'A wrong code was sent for a challenge.',
    Type.Object({
      id: Id,
      directory_user_id: Id,
      reason: Type.Enum(['wrong_code'], { description: 'Always `wrong_code`.' }),
      locked: Type.Boolean({ description: 'Whether this attempt locked the second step for a while.' }),
    }),
  ],
})

/**
 * Events that `completeChallenge` may record. `changes` are the events of changes that waited for the second factor.
 */
export const completedEvents = (changes: EventDefinition[]): EventDefinition[] => [
  sessionEvents.created,
  sessionEvents.revoked,
  loginEvents.succeeded,
  userEvents.updated,
  ...changes,
]
