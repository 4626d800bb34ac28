import { Type } from 'typebox'
import type { Route } from '../../../platform/http/route.ts'
import { described, RevokedCount } from '../../../platform/schema.ts'
import { loginErrors } from '../../access/login/login.ts'
import { defineSignInMethodRoute } from '../../access/self-management/self-management.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import { userEvents } from '../../directory/users/users.ts'
import { newPasswordErrors, passwordErrors } from './errors.ts'
import { passwordEvents } from './events.ts'
import { changeOwnPassword } from './own.ts'
import { NewPassword, Password } from './schema.ts'

export const ownPasswordRoutes: Route[] = [
  defineSignInMethodRoute({
    method: 'POST',
    path: '/v1/me/password',
    operation: 'me.password.update',
    service: 'password',
    signInMethod: 'password',
    summary: 'Change your password',
    description:
      'A user without a password sets their first password and omits current_password. Ends the user’s other sessions, removes all trusted devices, and cancels sign-ins in progress. The user is notified by email. A wrong current_password counts as a failed sign-in.',
    body: Type.Object({
      current_password: Type.Optional(
        described(Password, 'The current password of the user. Required if the user has one.'),
      ),
      new_password: NewPassword,
    }),
    reply: Type.Object({ success: Type.Boolean(), sessions_revoked: RevokedCount }),
    errors: [passwordErrors.invalidCredentials, loginErrors.methodDisabled, ...Object.values(newPasswordErrors)],
    event: passwordEvents.changed,
    maybeEvents: [sessionEvents.revoked, userEvents.unlocked],
    async handle(work, { body }) {
      const { current_password: current = null, new_password: password } = body
      return { success: true, sessions_revoked: await changeOwnPassword(work, { current, password }) }
    },
  }),
]
