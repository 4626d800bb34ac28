import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

export const loginErrors = defineErrors({
  signupDisabled: [
    403,
    'signup_disabled',
    'Sign-up is disabled',
    'allow_sign_up is off; or no user has the address, and neither openSignup nor open_signup_default opens sign-up.',
  ],
  userInactive: [
    403,
    'user_inactive',
    'The user is inactive',
    'The user was deactivated: PATCH /v1/users/{userId} with active true reactivates them.',
  ],
  userLocked: [
    403,
    'user_locked',
    'The user is locked',
    'An administrator has locked the user. POST /v1/users/{userId}/unlock ends the lock; GET /v1/users/{userId} shows its ' +
      'reason and end.',
  ],
  accountLocked: [
    429,
    'account_locked',
    'Too many wrong passwords',
    'Passwords are refused for retry_after seconds, whether or not a user has the address, and every other method too ' +
      'where lockout_scope is all. The link in the email about the lock, or POST /v1/users/{userId}/unlock, ends it at once.',
    { retry_after: Type.Integer({ description: 'Seconds to wait before the next attempt.' }) },
  ],
  sessionLimitReached: [
    403,
    'session_limit_reached',
    'The user has as many sessions as allowed',
    'max_concurrent_sessions is reached and concurrent_session_policy is deny_new: end another session first.',
  ],
  ssoRequired: [
    403,
    'sso_required',
    'Single sign-on is required',
    'enforce_sso is on here: POST /v1/auth/login/sso/start signs in; sso_exempt_user_ids names who needs not.',
    { connection_id: Type.String({ description: 'The connection to start. Absent where there is none.' }) },
  ],
  methodDisabled: [
    403,
    'method_disabled',
    'The method is disabled',
    'A setting of the organization turns this sign-in method off.',
  ],
})
