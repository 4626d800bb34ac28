import { defineErrors } from '../../../platform/errors.ts'

export const federationErrors = defineErrors({
  stateUnknown: [
    400,
    'state_invalid',
    'This step is no longer open',
    'It was finished already, took too long, or did not begin here. Please go back to your application and start again.',
  ],
  unreachable: [
    503,
    'idp_unreachable',
    'The identity provider does not answer',
    'Its configuration could not be fetched: try again, or test the connection.',
  ],
  identityNotFound: [
    404,
    'identity_not_found',
    'The identity was not found',
    'No identity of this user has the id: it may have been removed already.',
  ],
  codeInvalid: [
    400,
    'code_invalid',
    'The code is not valid',
    'A code is good once, within 60 seconds, for the organization whose sign-in it came from.',
  ],
})

/** What the application learns of a sign-in that failed, as `error` of its redirect. The texts are all that is ever shown. */
export const FAILURES = {
  access_denied: 'The sign-in was cancelled at the provider.',
  account_locked: 'The account is locked.',
  account_not_linked:
    'The person could not be matched with an account here. An administrator of the organization can see why.',
  connection_incomplete: 'The connection lacks what it takes to check an answer.',
  connection_not_active: 'The connection is not active.',
  domain_not_verified: 'The email address is of a domain that the organization has not verified.',
  email_missing: 'The provider gave no usable email address.',
  email_not_verified: 'The provider does not vouch for the email address.',
  expired: 'The sign-in took too long.',
  idp_error: 'The provider refused the sign-in.',
  idp_unreachable: 'The provider could not be reached.',
  organization_suspended: 'The organization is suspended or archived.',
  provider_disabled: 'The provider is off.',
  rate_limited: 'Too many sign-ins: try again in a minute.',
  reauthentication_missing: 'The provider did not show that it has asked again who it is.',
  response_invalid: 'The answer of the provider did not pass its checks.',
  service_disabled: 'Signing in this way is off.',
  session_limit_reached: 'The user has as many sessions as allowed.',
  signup_disabled: 'No user has this address, and signing up is off.',
  sso_required: 'The organization wants its users to sign in by its identity provider.',
  user_inactive: 'The user is inactive.',
  user_locked: 'The user is locked.',
} as const

/** What it learns of a logout that the provider has not, or not wholly, carried out; here the session has ended anyway. */
export const LOGOUT_FAILURES = {
  idp_error: 'The provider did not sign the person out.',
  partial_logout: 'The person is signed out at the provider, but not of everything there.',
  response_invalid: 'The answer of the provider did not pass its checks.',
} as const

export type LogoutFailureCode = keyof typeof LOGOUT_FAILURES

export type FailureCode = keyof typeof FAILURES

export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(FAILURES, code)

/** The note of a trace. The person can leave the claim out, by the scope of the authorization URL. */
export const NO_GROUPS =
  'The provider sent no groups. Roles of group_role_mapping end, and the default_role admin is not given: whether the person is ' +
  'in none of the groups is unknown.'

/** A sign-in at a provider that fails. The detail, a sentence, is for traces; the browser gets the text of the code. */
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
