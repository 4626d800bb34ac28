import { Type } from 'typebox'
import { defineEvents, type EventDefinition } from '../../../platform/events/events.ts'
import { doorRoutes, loginEvents } from '../../access/login/login.ts'
import { userEvents } from '../../directory/users/users.ts'
import { LinkEventData } from '../links/links.ts'

export const passwordEvents = defineEvents({
  resetRequested: ['auth.password_reset.requested', 'A password reset link was created for a user.', LinkEventData],
  resetCompleted: [
    'auth.password_reset.completed',
    'A user chose a new password with a mailed link.',
    Type.Object({ link_id: Type.String({ description: 'The reset link that was redeemed.', format: 'uuid' }) }),
  ],
  changed: [
    'auth.password.changed',
    'A password was set by the user or by an administrator.',
    Type.Object({
      by: Type.Enum(['user', 'administrator'], {
        description: 'Whether the user chose the new password, or your backend set it.',
      }),
      must_change: Type.Optional(
        Type.Boolean({
          description:
            'Whether the user must choose another password at the next sign-in. Only if an administrator set the password.',
        }),
      ),
    }),
  ],
})

/** Events that `resetOnPage` may record. */
export const resetOnPageEvents: EventDefinition[] = [
  passwordEvents.resetCompleted,
  passwordEvents.changed,
  userEvents.unlocked,
  ...doorRoutes.proofEvents,
  loginEvents.failed,
]

/** Events that `provePassword` may record for a wrong password. */
export const provePasswordEvents: EventDefinition[] = [loginEvents.failed, userEvents.locked]
