import { defineErrors } from '../../platform/errors.ts'

export const loginErrors = defineErrors({
  methodDisabled: [403, 'method_disabled', 'The method is disabled'],
  userInactive: [403, 'user_inactive', 'The user is inactive'],
  organizationSuspended: [403, 'organization_suspended', 'The organization is suspended or archived'],
  sessionLimitReached: [403, 'session_limit_reached', 'The user has as many sessions as allowed'],
})
