import type { Tx } from '../../platform/db/pool.ts'
import { record } from '../../platform/events.ts'
import type { RateLimit } from '../../platform/http/rate-limit.ts'
import { requireEmail } from '../../platform/mail/address.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../platform/mail/outbox.ts'
import { assertNotReused, type HashedPassword, storePassword } from '../credentials/credentials.ts'
import { consumeLink, countLinkUse, type LinkRow, linkErrors } from '../links/links.ts'
import {
  type AuthSettings,
  assertMaySignIn,
  completeLogin,
  completeMailboxLogin,
  findSignInFacts,
  identify,
  inTxUnlessSpent,
  type LinkDelivery,
  type LoginContext,
  type MailboxProof,
  type Proof,
  presentLink,
  type SentLink,
  type SessionAnswer,
  type SignInFacts,
  sendLink,
} from '../login/login.ts'
import { cutOff, getUser, lockUser, proveMailbox, type UserRow } from '../users/users.ts'
import { passwordChangedMail, resetMail } from './emails.ts'
import { passwordErrors } from './errors.ts'
import { hashNewPassword, passwordSettings } from './policy.ts'

/** How often an address may be sent a reset link. */
export const resetLimits: RateLimit[] = [
  { bucket: 'password.reset.minute', limit: 3, windowSeconds: 60 },
  { bucket: 'password.reset.hour', limit: 10, windowSeconds: 3600 },
]

/** Throws `password_reset_disabled`, `method_disabled`. */
export async function resetSettings(context: Pick<LoginContext, 'platform' | 'directory'>): Promise<AuthSettings> {
  const settings = await passwordSettings(context)
  if (!settings.password_reset_enabled) throw passwordErrors.passwordResetDisabled()
  return settings
}

/**
 * Mails a link to choose a new password, if somebody active has the address; the answer tells nothing of that.
 * Throws `password_reset_disabled`, and what sendLink throws.
 */
export async function sendReset(
  context: LoginContext,
  sent: { email: string; delivery: LinkDelivery },
): Promise<SentLink> {
  const settings = await resetSettings(context)
  return sendLink(context, {
    purpose: 'password_reset',
    email: sent.email,
    delivery: sent.delivery,
    ttlSeconds: settings.password_reset_ttl_seconds,
    limits: resetLimits,
    // Nothing can be attached to a sign-up before its proof.
    addressee: (facts) => (facts?.active && !facts.pending ? { userId: facts.user_id } : null),
    compose: (_, mail) => resetMail(mail),
    event: 'auth.password_reset.requested',
  })
}

/**
 * Exchanges a reset link, or the token that a password due for change was answered with, and a new password for a
 * session. Every session, code and link from before ends. A password that is refused leaves the link as it was.
 * Throws `token_invalid`, `token_expired`, `weak_password`, `password_breached`, and what the door throws.
 */
export async function confirmReset(
  context: LoginContext,
  sent: { email: string; token: string; password: string },
): Promise<SessionAnswer> {
  const { platform, directory } = context
  const settings = await passwordSettings(context)
  const who = identify(platform, requireEmail(sent.email))
  const purposes = ['password_reset', 'password_change'] as const
  return presentLink(context, { who, token: sent.token, purposes }, async ({ link, facts }) => {
    const isMailed = link.purpose === 'password_reset'
    if (isMailed) await resetSettings(context)
    const reset = await prepare(context, settings, link, facts, sent.password)
    const proof: MailboxProof = {
      method: 'password',
      // What was shown is the mailed link; the password is only being chosen.
      amr: isMailed ? ['otp'] : ['pwd'],
      linkId: link.id,
      consume: (db) => consumeLink(db, directory, link),
    }
    const answer = isMailed
      ? await completeMailboxLogin(context, reset.facts, proof, reset.write)
      : await changeAndSignIn(context, reset, proof)
    if (!answer) throw linkErrors.tokenInvalid()
    return answer
  })
}

interface Reset {
  facts: SignInFacts
  write(tx: Tx): Promise<void>
}

/** The token came with a right password, not by mail: it proves no mailbox. */
function changeAndSignIn(context: LoginContext, reset: Reset, proof: Proof) {
  return inTxUnlessSpent(context.platform, async (tx) => {
    const user = await lockUser(tx, context.directory, reset.facts.user_id)
    if (user?.epoch !== reset.facts.epoch) return null
    await reset.write(tx)
    // What that cut off is the other ways in.
    const { epoch, mfa_enrolled, passkey_count } = await getUser(tx, context.directory, user.id)
    return completeLogin(context, tx, { ...reset.facts, epoch, mfa_enrolled, passkey_count }, proof)
  })
}

async function prepare(
  context: LoginContext,
  settings: AuthSettings,
  link: LinkRow,
  facts: SignInFacts | null,
  password: string,
): Promise<Reset> {
  const { platform, directory } = context
  if (!facts || facts.user_id !== link.user_id) throw linkErrors.tokenInvalid()
  assertMaySignIn(facts)
  await countLinkUse(platform, directory, link)
  const user = await getUser(platform.db, directory, facts.user_id)
  // One that is due for change is not changed by choosing it again.
  if (link.purpose === 'password_change') await assertNotReused(platform, platform.db, directory, user.id, password, 1)
  const hashed = await hashNewPassword(context, settings, user, password)
  return { facts, write: (tx) => writeReset(tx, context, settings, link, user, hashed) }
}

async function writeReset(
  tx: Tx,
  context: LoginContext,
  settings: AuthSettings,
  link: LinkRow,
  user: UserRow,
  hashed: HashedPassword,
): Promise<void> {
  const { platform, directory, origin } = context
  await storePassword(tx, directory, user.id, hashed, {
    historyKept: settings.password_history,
    mustChange: false,
  })
  await cutOff(tx, context, user, 'password_changed', link.id)
  await queueMail(tx, platform, directory, passwordChangedMail(user.email, 'user'), NOTICE_USEFUL_SECONDS)
  const target = { type: 'user', id: user.id }
  if (link.purpose === 'password_reset')
    await record(tx, directory, origin, { type: 'auth.password_reset.completed', target, data: { link_id: link.id } })
  await record(tx, directory, origin, { type: 'auth.password.changed', target, data: { by: 'user' } })
}

/**
 * The same for the page of the service, which holds no session: the person signs in afterwards.
 * Throws `token_invalid`, `token_expired`, `weak_password`, `password_breached`, and what the door throws.
 */
export async function resetOnPage(context: LoginContext, sent: { token: string; password: string }): Promise<void> {
  const { platform, directory } = context
  const settings = await resetSettings(context)
  await presentLink(context, { who: null, token: sent.token, purposes: ['password_reset'] }, async ({ link }) => {
    if (link.user_id === null) throw linkErrors.tokenInvalid()
    const user = await getUser(platform.db, directory, link.user_id)
    const who = identify(platform, { email: user.email, norm: user.email_norm })
    if (!who.hash.equals(link.identity)) throw linkErrors.tokenInvalid()
    const facts = await findSignInFacts(context, platform.db, who)
    const reset = await prepare(context, settings, link, facts, sent.password)
    await platform.tx(async (tx) => {
      const isTheirs = await proveMailbox(tx, context, user, { linkId: link.id })
      if (!isTheirs) throw linkErrors.tokenInvalid()
      if ((await consumeLink(tx, directory, link).execute()).length === 0) throw linkErrors.tokenInvalid()
      await reset.write(tx)
    })
  })
}
