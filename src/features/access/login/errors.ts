import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

export const loginErrors = defineErrors({
  signupDisabled: [
    403,
    'signup_disabled',
    'Sign-up is disabled',
    'Either the setting allow_sign_up is off, or no user has the address and new users are allowed neither by openSignup in the request nor by the setting open_signup_default.',
  ],
  userInactive: [
    403,
    'user_inactive',
    'The user is inactive',
    'The user was deactivated. Reactivate the user with PATCH /v1/users/{userId} and active true.',
  ],
  userLocked: [
    403,
    'user_locked',
    'The user is locked',
    'An administrator has locked the user. GET /v1/users/{userId} shows the reason and the end of the lock; POST /v1/users/{userId}/unlock ends it.',
  ],
  accountLocked: [
    429,
    'account_locked',
    'Too many wrong passwords',
    'Passwords are refused for retry_after seconds, whether or not a user has the address. If lockout_scope is all, every method is refused. The link in the email about the lock, or POST /v1/users/{userId}/unlock, ends the lock at once.',
    { retry_after: Type.Integer({ description: 'Seconds to wait before the next attempt.' }) },
  ],
  sessionLimitReached: [
    403,
    'session_limit_reached',
    'Too many sessions',
    'The user already has the maximum number of sessions (max_concurrent_sessions), and concurrent_session_policy is deny_new. End another session of the user first.',
  ],
  ssoRequired: [
    403,
    'sso_required',
    'Single sign-on is required',
    'The organization’s setting enforce_sso is on. Start the sign-in with POST /v1/auth/login/sso/start. Only users in sso_exempt_user_ids can use other methods.',
    { connection_id: Type.String({ description: 'The connection to start. Absent if no connection is available.' }) },
  ],
  methodDisabled: [
    403,
    'method_disabled',
    'The sign-in method is disabled',
    'The settings of the organization turn this method off. See GET /v1/auth/settings.',
  ],
})
