import { loginErrors } from './errors.ts'

// For features that reach sessions only through other features.
export { isLiveSession, sessionEvents } from '../sessions/sessions.ts'
export {
  assertDoorOpen,
  assertOrganizationOpen,
  completeLogin,
  findSignInFacts,
  holdBack,
  issueTokens,
  type Proof,
} from './door.ts'
export { loginErrors } from './errors.ts'
export { DeviceTrust, describeNothingSent, gateEvents, loginEvents } from './events.ts'
export { defineReading, type Reading, readFacts, readFactsOf, type SignInFacts } from './facts.ts'
export {
  activeGate,
  assertAddressWelcome,
  assertMaySignIn,
  type Entry,
  type Gate,
  gates,
  organizationGate,
  passGates,
} from './gates.ts'
export { completeMailboxLogin, type MailboxProof } from './mailbox.ts'
export { type SignInMethod, signInMethods, signupMethod } from './methods.ts'
export { isOriginAllowed } from './origins.ts'
export { type SessionAnswer, SessionReply, SessionTokens } from './session-reply.ts'
export { doorRoute, sessionRoute } from './session-route.ts'
export { type AuthSettings, authSettings } from './settings.ts'
export { inTxUnlessConsumed } from './unless-consumed.ts'

/** What the door may refuse before the user is known: for routes that send codes and links. */
export const sendErrors = [loginErrors.organizationSuspended, loginErrors.methodDisabled, loginErrors.accountLocked]

/** What it may refuse when a session is requested. */
export const doorErrors = [
  ...sendErrors,
  loginErrors.userInactive,
  loginErrors.sessionLimitReached,
  loginErrors.signupDisabled,
]
