import { SessionReply } from './door.ts'

/** What every route has in common that ends in a session by a proof of the mailbox. */
export const sessionRoute = {
  reply: SessionReply,
  event: 'auth.login.succeeded',
  maybeEvents: ['session.created', 'session.revoked', 'user.email_verified', 'auth.signup.succeeded'],
  secretReply: true,
}
