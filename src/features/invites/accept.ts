import type { Db, Tx } from '../../platform/db/pool.ts'
import { record } from '../../platform/events.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { type HashedPassword, hasPassword, storePassword } from '../credentials/credentials.ts'
import { consumeLink, countLinkUse, findLink, type LinkRow, linkErrors } from '../links/links.ts'
import {
  type AuthSettings,
  assertMaySignIn,
  assertOrganizationOpen,
  completeMailboxLogin,
  findSignInFacts,
  type Identity,
  identify,
  type LoginContext,
  type MailboxProof,
  presentLink,
  type SessionAnswer,
  type SignInFacts,
} from '../login/login.ts'
import { hashNewPassword, passwordSettings } from '../password/password.ts'
import { findUserById, markNotInvited, proveMailbox, type UserRow } from '../users/users.ts'
import { inviteErrors } from './errors.ts'
import { toInvite } from './schema.ts'
import { findAcceptedRow } from './store.ts'

/** An invitation as whoever holds its token sees it. */
export interface Invitation {
  token: string
  link: LinkRow
  user: UserRow
  who: Identity
  /** The user signs in with a password already: there is nothing to accept. */
  hasCredential: boolean
}

/**
 * The invitation that a token stands for, live at this moment, and whose it is. Spends nothing.
 * Throws `organization_suspended`, `token_invalid`, `token_expired`.
 */
export async function findInvitation(context: LoginContext, token: string): Promise<Invitation> {
  const { platform, directory } = context
  await assertOrganizationOpen(context)
  return invitationOf(context, token, await findLink(platform.db, platform, directory, presentedAs(token)))
}

/** Throws `token_invalid`. */
async function invitationOf(context: LoginContext, token: string, link: LinkRow): Promise<Invitation> {
  const { platform, directory } = context
  const user = link.user_id === null ? null : await findUserById(platform.db, directory, link.user_id)
  if (!user) throw linkErrors.tokenInvalid()
  const who = identify(platform, { email: user.email, norm: user.email_norm })
  if (!who.hash.equals(link.identity)) throw linkErrors.tokenInvalid()
  const hasCredential = user.email_verified && (await signsInAlready(platform.db, directory, user.id))
  return { token, link, user, who, hasCredential }
}

/**
 * Exchanges an invitation and a first password for a session. Nothing is written, and the invitation stays as it is,
 * unless all of it succeeds.
 * Throws `token_invalid`, `token_expired`, `credential_exists`, `weak_password`, `password_breached`, `unavailable`
 * when too many hashes wait, and what the door throws.
 */
export async function acceptInvite(
  context: LoginContext,
  sent: { token: string; password: string },
): Promise<SessionAnswer> {
  return presentInvite(context, sent, async (acceptance) => {
    const { link, facts } = acceptance
    const proof: MailboxProof = {
      method: 'invite',
      // What was shown is the link; the password was chosen, not known.
      amr: ['otp'],
      linkId: link.id,
      consume: (db) => consumeLink(db, context.directory, link),
    }
    const answer = await completeMailboxLogin(context, facts, proof, (tx) => write(tx, context, acceptance))
    if (!answer) throw linkErrors.tokenInvalid()
    return answer
  })
}

/** The same for the page of the service, which holds no session: the person signs in afterwards. */
export async function acceptOnPage(context: LoginContext, sent: { token: string; password: string }): Promise<void> {
  const { platform, directory } = context
  await presentInvite(context, sent, (acceptance) =>
    platform.tx(async (tx) => {
      const { link, user } = acceptance
      const isTheirs = await proveMailbox(tx, context, user, { linkId: link.id })
      if (!isTheirs) throw linkErrors.tokenInvalid()
      await write(tx, context, acceptance)
      if ((await consumeLink(tx, directory, link).execute()).length === 0) throw linkErrors.tokenInvalid()
    }),
  )
}

interface Acceptance extends Invitation {
  facts: SignInFacts
  hashed: HashedPassword
  settings: AuthSettings
}

async function presentInvite<T>(
  context: LoginContext,
  sent: { token: string; password: string },
  redeem: (acceptance: Acceptance) => Promise<T>,
): Promise<T> {
  const settings = await passwordSettings(context)
  await assertOrganizationOpen(context)
  return presentLink(context, { who: null, token: sent.token, purposes: ['invite'] }, async ({ link }) =>
    redeem(await prepare(context, settings, await invitationOf(context, sent.token, link), sent)),
  )
}

/** Judges and hashes the password, outside any transaction, for a hash takes a while. */
async function prepare(
  context: LoginContext,
  settings: AuthSettings,
  invitation: Invitation,
  sent: { token: string; password: string },
): Promise<Acceptance> {
  const facts = await findSignInFacts(context, context.platform.db, invitation.who)
  if (facts?.user_id !== invitation.user.id) throw linkErrors.tokenInvalid()
  assertMaySignIn(facts)
  if (invitation.hasCredential) {
    // Unless it is the password that another request has just accepted this very invitation with.
    await findLink(context.platform.db, context.platform, context.directory, presentedAs(sent.token))
    throw inviteErrors.credentialExists()
  }
  await countLinkUse(context.platform, context.directory, invitation.link)
  const hashed = await hashNewPassword(context, settings, invitation.user, sent.password)
  return { ...invitation, facts, hashed, settings }
}

/** All but the spending of the link. The proof of the mailbox holds the user's row, so what is read here stays. */
async function write(tx: Tx, context: LoginContext, acceptance: Acceptance): Promise<void> {
  const { platform, directory, origin } = context
  const { token, link, user, who, hashed, settings } = acceptance
  // Looked at once more: the hash took a while, and another request may have been faster.
  await findLink(tx, platform, directory, presentedAs(token))
  const facts = await findSignInFacts(context, tx, who)
  if (facts?.user_id !== user.id) throw linkErrors.tokenInvalid()
  assertMaySignIn(facts)
  // The proof of the mailbox has taken away what was set before it.
  if (await signsInAlready(tx, directory, user.id)) throw inviteErrors.credentialExists()
  await storePassword(tx, directory, user.id, hashed, { historyKept: settings.password_history, mustChange: false })
  await markNotInvited(tx, directory, user.id)
  const data = toInvite(await findAcceptedRow(tx, directory, link.id))
  await record(tx, directory, origin, { type: 'invite.accepted', target: { type: 'invite', id: link.id }, data })
}

/** With a password or a passkey. */
export async function signsInAlready(db: Db, directory: Directory, userId: string): Promise<boolean> {
  const user = await findUserById(db, directory, userId)
  return (user?.passkey_count ?? 0) > 0 || hasPassword(db, directory, userId)
}

function presentedAs(token: string) {
  return { token, purposes: ['invite'] as const, identity: null }
}
