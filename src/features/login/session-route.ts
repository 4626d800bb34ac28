import { SessionReply } from './session-reply.ts'

/** What every route has in common that ends in a session by a proof of the mailbox. */
export const sessionRoute = {
  reply: SessionReply,
  // The one or the other.
  event: ['auth.login.succeeded', 'mfa.challenge.created'],
  maybeEvents: ['session.created', 'session.revoked', 'user.email_verified', 'auth.signup.succeeded'],
  secretReply: true,
}
