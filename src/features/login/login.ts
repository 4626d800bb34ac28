import { lockoutErrors } from '../lockout/lockout.ts'
import { loginErrors } from './errors.ts'

export { answerChallenge } from './challenge.ts'
export {
  assertDoorOpen,
  assertMaySignIn,
  assertOrganizationOpen,
  authMethods,
  completeLogin,
  findSignInFacts,
  handOut,
  type Identity,
  identify,
  mentionGrace,
  type Proof,
} from './door.ts'
export { loginErrors } from './errors.ts'
export { completeMailboxLogin, type MailboxProof } from './mailbox.ts'
export { type PresentedLink, presentLink } from './present-link.ts'
export { defaultRedirect } from './redirects.ts'
export { Delivery, Email, LinkReply, TokenHash } from './schema.ts'
export {
  countMail,
  type LinkDelivery,
  type LinkMail,
  mailLink,
  nothingSent,
  readDelivery,
  type SentLink,
  sendLink,
} from './send-link.ts'
export { type SessionAnswer, SessionReply, SessionTokens } from './session-reply.ts'
export { sessionRoute } from './session-route.ts'
export { type AuthSettings, authSettings } from './settings.ts'
export { findSignInFactsById, type SignInFacts } from './store.ts'
export { inTxUnlessSpent } from './unless-spent.ts'

/** What the door may answer before anybody is known: for routes that send codes and links. */
export const sendErrors = [loginErrors.organizationSuspended, loginErrors.methodDisabled, lockoutErrors.accountLocked]

/** What it may answer to whoever asks for a session. */
export const doorErrors = [
  ...sendErrors,
  loginErrors.userInactive,
  loginErrors.sessionLimitReached,
  loginErrors.signupDisabled,
]
