import { defineErrors } from '../../platform/errors.ts'

export const loginErrors = defineErrors({
  methodDisabled: [
    403,
    'method_disabled',
    'The method is disabled',
    'A setting of the organization turns this way of signing in off.',
  ],
  signupDisabled: [
    403,
    'signup_disabled',
    'Sign-up is disabled',
    'allow_sign_up is off here; or nobody has the address, and neither openSignup nor open_signup_default opens sign-up.',
  ],
  userInactive: [
    403,
    'user_inactive',
    'The user is inactive',
    'The user was deactivated: PATCH /v1/users/{userId} with active true lets them in again.',
  ],
  organizationSuspended: [
    403,
    'organization_suspended',
    'The organization is suspended or archived',
    'organization_status says which. Nobody signs in or refreshes until the organization is active again.',
  ],
  invalidRedirectUri: [
    400,
    'invalid_redirect_uri',
    'The address to return to is not allowed',
    'It has to equal an entry of allowed_redirect_uris (PATCH /v1/auth/settings).',
  ],
  sessionLimitReached: [
    403,
    'session_limit_reached',
    'The user has as many sessions as allowed',
    'max_concurrent_sessions is reached and concurrent_session_policy is deny_new: end another session first.',
  ],
})
