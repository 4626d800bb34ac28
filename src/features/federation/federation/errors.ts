import { defineErrors } from '../../../platform/errors.ts'

export const federationErrors = defineErrors({
  stateUnknown: [
    400,
    'state_invalid',
    'This step is no longer open',
    'This step was already completed, took too long, or was not started here. Go back to your application and start again.',
  ],
  unreachable: [
    503,
    'idp_unreachable',
    'The identity provider does not answer',
    'The configuration of the provider could not be fetched. Try again, or test the connection.',
  ],
  identityNotFound: [
    404,
    'identity_not_found',
    'Identity not found',
    'The user has no identity with this id. The identity may already have been removed.',
  ],
  codeInvalid: [
    400,
    'code_invalid',
    'The code is not valid',
    'A code works once, within 60 seconds, and only for the organization that the user signed in to. Start the sign-in again.',
  ],
})

/** The `error` of the redirect to the application after a failed sign-in. The browser sees only these texts. */
export const FAILURES = {
  access_denied: 'The sign-in was cancelled at the provider.',
  account_locked: 'The account is locked.',
  account_not_linked:
    'The person could not be matched with an account. An administrator of the organization can see why.',
  connection_incomplete: 'The connection is incomplete.',
  connection_not_active: 'The connection is not active.',
  domain_not_verified: 'The organization has not verified the domain of the email address.',
  email_missing: 'The provider gave no usable email address.',
  email_not_verified: 'The provider does not vouch for the email address.',
  expired: 'The sign-in took too long.',
  idp_error: 'The provider refused the sign-in.',
  idp_unreachable: 'The provider could not be reached.',
  organization_suspended: 'The organization is suspended or archived.',
  provider_disabled: 'The provider is turned off.',
  rate_limited: 'Too many sign-ins. Try again in a minute.',
  reauthentication_missing: 'The provider did not authenticate the person again.',
  response_invalid: 'The response of the provider is not valid.',
  service_disabled: 'This sign-in method is off.',
  session_limit_reached: 'The user has as many sessions as allowed.',
  signup_disabled: 'No user has this address, and sign-up is disabled.',
  sso_required: 'The organization requires sign-in through its identity provider.',
  user_inactive: 'The user is inactive.',
  user_locked: 'The user is locked.',
} as const

/**
 * The `error` of the redirect if the provider did not carry out a logout, or not completely. The session here has
 * ended anyway.
 */
export const LOGOUT_FAILURES = {
  idp_error: 'The provider did not sign the person out.',
  partial_logout: 'The provider signed the person out, but not of all applications.',
  response_invalid: 'The response of the provider is not valid.',
} as const

export type LogoutFailureCode = keyof typeof LOGOUT_FAILURES

export type FailureCode = keyof typeof FAILURES

export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(FAILURES, code)

/** The note in a trace. Users can leave the claim out by changing the scope in the authorization URL. */
export const NO_GROUPS =
  'The provider sent no groups, so the groups of the person are unknown. Roles of group_role_mapping are removed, and the default_role admin is not given.'

/** A failed sign-in at a provider. The detail is a sentence for traces; the browser gets the text for the code. */
export class FederationFailure extends Error {
  override name = 'FederationFailure'
  readonly code: FailureCode
  readonly detail: string

  constructor(code: FailureCode, detail: string = FAILURES[code]) {
    super(`Federated sign-in failed: ${code}`)
    this.code = code
    this.detail = detail
  }
}
