import { type Identity, identify } from '../../../platform/crypto/identity.ts'
import type { HashedPassword } from '../../../platform/crypto/password-format.ts'
import { issuerOf } from '../../../platform/crypto/signing-keys.ts'
import { invalidField } from '../../../platform/errors.ts'
import { record } from '../../../platform/events/events.ts'
import { defineSlot } from '../../../platform/platform.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import {
  assertDoorOpen,
  assertMaySignIn,
  completeMailboxLogin,
  findSignInFacts,
  type SessionReply,
  type SignInFacts,
  type SignInMethod,
} from '../../access/login/login.ts'
import { assertSsoNotRequired } from '../../access/login/sso-only/sso-only.ts'
import { keepsFactors, proveMailbox } from '../../directory/users/proof/proof.ts'
import { findUserById, findUserForUpdate, type UserRow } from '../../directory/users/users.ts'
import { type LinkRow, linkErrors } from '../links/links.ts'
import {
  consumeLink,
  countLinkUse,
  findLink,
  proofOfLink,
  redeemLink,
  refuseForgedToken,
} from '../links/presented/presented.ts'
import {
  deletePassword,
  findPasswordSettings,
  hasChosenPassword,
  hashNewPassword,
  hasPassword,
  type PasswordSettings,
  storePassword,
} from '../password/password.ts'
import { inviteErrors } from './errors.ts'
import { inviteEvents } from './events.ts'
import { firstPasswordSettings } from './first-password.ts'
import { invitePurpose } from './link-purpose.ts'
import { toInvite } from './schema.ts'
import { findAcceptedRow } from './store.ts'

/** What invitations to the team need to know about the team. */
interface Team {
  /** Whether the person with the address is an active member. */
  isOnTeam(work: Work, emailNorm: string): Promise<boolean>
  /** Makes the user a member, in the transaction that accepts the link. Throws `token_invalid`. */
  join(work: TxWork, user: UserRow, linkId: string): Promise<void>
}

// Slot: team members belong to `tenancy`, which may not be imported from here. `src/wiring` fills the slot.
export const teamInvites = defineSlot<Team>('what an invitation to the team does')

/** The error for an invitation that was withdrawn. */
export function invitationWithdrawn() {
  return linkErrors.tokenInvalid({ detail: 'The invitation was withdrawn.', extra: { reason: 'withdrawn' } })
}

export const inviteMethod: SignInMethod = { id: 'invite', offer: null }

/** An invitation as the holder of its token sees it. */
export interface Invitation {
  token: string
  link: LinkRow
  user: UserRow
  who: Identity
  /**
   * The user can already sign in (`hasLastingCredential`). Only invitations to the team can be accepted by such a
   * user.
   */
  hasCredential: boolean
  /**
   * The invitation is to the team, and the person is already on it or has a credential. The link alone is enough to
   * accept: no password is set, and the user does not change otherwise.
   */
  joinsAsIs: boolean
}

/**
 * Finds the live invitation of a token, with its user. Consumes nothing.
 * Throws `organization_suspended`, `token_invalid`, `token_expired`.
 */
export async function findInvitation(work: Work, token: string): Promise<Invitation> {
  await assertDoorOpen(work, null)
  return invitationOf(work, token, await findLink(work, inviteLookup(token)))
}

/** Throws `token_invalid`. */
async function invitationOf(work: Work, token: string, link: LinkRow): Promise<Invitation> {
  const user = link.user_id === null ? null : await findUserById(work, link.user_id)
  if (!user) throw linkErrors.tokenInvalid()
  const who = identify(work.platform, { email: user.email, norm: user.email_norm })
  if (!who.hash.equals(link.identity)) throw linkErrors.tokenInvalid()
  const hasCredential = await hasLastingCredential(work, user)
  const joinsAsIs =
    work.directory.kind === 'console' &&
    (hasCredential || (await teamInvites.of(work.platform).isOnTeam(work, user.email_norm)))
  return { token, link, user, who, hasCredential, joinsAsIs }
}

/** The token of an invitation, and the first password if one is required. */
interface Sent {
  token: string
  password?: string | undefined
}

/**
 * Exchanges an invitation for a session, and sets a first password if passwords are on. This is atomic: on failure the
 * invitation stays valid. A person who joins the team and already has an account gets no session and signs in as
 * usual: the link is valid for days and survives a change of password, so it must not sign anyone in (ASVS 7.4.3).
 * Throws `method_disabled`, `invalid_request` for a password that is missing or not allowed, `token_invalid`,
 * `token_expired`, `sso_required`, `credential_exists`, `weak_password`, `password_breached`, `unavailable` when too
 * many hashes wait, and what the gates throw.
 */
export async function acceptInvite(work: Work, sent: Sent): Promise<SessionReply> {
  // Loads the signing keys, or creates them, before a transaction changes the membership. They are inserted through
  // another connection, and a distributed database would block that insert until the transaction ends.
  await issuerOf(work.platform, work.directory.environmentId)
  return redeemInvite(work, sent, async (acceptance) => {
    if (acceptance.joinsAsIs) {
      await acceptWithoutSession(work, acceptance)
      return { session: null, sign_in_required: true }
    }
    const { link, facts } = acceptance
    const proof = {
      method: inviteMethod,
      // The user proved that they have the link. The password is new and proves nothing.
      amr: ['otp'],
      linkId: link.id,
      spends: [proofOfLink(link)],
    }
    const answer = await completeMailboxLogin(work, facts, proof, (work) => write(work, acceptance))
    if (!answer) throw linkErrors.tokenInvalid()
    return answer
  })
}

/** Accepts an invitation on the hosted page, which cannot hold a session. The user signs in afterwards. */
export async function acceptOnPage(work: Work, sent: Sent): Promise<void> {
  await redeemInvite(work, sent, (acceptance) => acceptWithoutSession(work, acceptance))
}

async function acceptWithoutSession(work: Work, acceptance: Acceptance): Promise<void> {
  await inTx(work, async (work) => {
    const { link, user } = acceptance
    const held = await findUserForUpdate(work, user.id)
    if (held?.email_norm !== user.email_norm) throw linkErrors.tokenInvalid()
    await proveMailbox(work, held, { linkId: link.id, by: inviteMethod.id })
    await write(work, acceptance)
    if (!(await consumeLink(work, link))) throw linkErrors.tokenInvalid()
  })
}

interface Acceptance extends Invitation {
  facts: SignInFacts
  /** Null if no password is set. */
  first: { hashed: HashedPassword; historyKept: number } | null
}

async function redeemInvite<T>(work: Work, sent: Sent, redeem: (acceptance: Acceptance) => Promise<T>): Promise<T> {
  const settings = await firstPasswordSettings(work)
  await refuseForgedToken(work, sent.token)
  await assertDoorOpen(work, null)
  return redeemLink(work, { who: null, token: sent.token, purposes: [invitePurpose] }, async ({ link }) =>
    redeem(await prepare(work, settings, await invitationOf(work, sent.token, link), sent)),
  )
}

/** Checks and hashes the password outside any transaction, because hashing takes time. */
async function prepare(
  work: Work,
  settings: PasswordSettings | null,
  invitation: Invitation,
  sent: Sent,
): Promise<Acceptance> {
  const facts = await findSignInFacts(work, invitation.who)
  if (facts?.user_id !== invitation.user.id) throw linkErrors.tokenInvalid()
  await assertMaySignIn(work, facts)
  if (invitation.joinsAsIs) {
    if (sent.password !== undefined)
      throw inviteErrors.credentialExists({
        detail: 'The person already has a user in the team. Accept the invitation without a password.',
      })
    return { ...invitation, facts, first: null }
  }
  // Checked before a password is asked for, because this user could not use one.
  await assertSsoNotRequired(work, facts)
  if (invitation.hasCredential) {
    // If another request has just accepted the invitation with the same password, reports the used invitation instead.
    await findLink(work, inviteLookup(sent.token))
    throw inviteErrors.credentialExists()
  }
  if (settings === null) {
    if (sent.password !== undefined)
      throw invalidField('password', 'not_allowed', 'Passwords are off in this organization: accept without password')
    return { ...invitation, facts, first: null }
  }
  if (sent.password === undefined) throw invalidField('password', 'required', 'password is required')
  await countLinkUse(work, invitation.link)
  const hashed = await hashNewPassword(work, settings, invitation.user, sent.password)
  return { ...invitation, facts, first: { hashed, historyKept: settings.password_history } }
}

/**
 * Writes everything except the consumption of the link. The proof of the mailbox has locked the user's row, so the
 * state read here cannot change.
 */
async function write(work: TxWork, acceptance: Acceptance): Promise<void> {
  const { db, directory } = work
  const { token, link, user, who, first, joinsAsIs } = acceptance
  // Checked again, because the state may have changed while the password was hashed.
  await findLink(work, inviteLookup(token))
  const facts = await findSignInFacts(work, who)
  if (facts?.user_id !== user.id) throw linkErrors.tokenInvalid()
  await assertMaySignIn(work, facts)
  // The proof of the mailbox removed every credential set before it, except a password set by a manager. That password
  // is removed here: the person has not chosen it, and it would work again once passwords are turned on.
  if (!joinsAsIs && (await hasSetUp(work, user.id))) throw inviteErrors.credentialExists()
  if (first) await storePassword(db, directory, { userId: user.id, ...first, mustChange: false })
  else if (!joinsAsIs) await deletePassword(db, directory, user.id)
  if (directory.kind === 'console') await teamInvites.of(work.platform).join(work, user, link.id)
  const data = toInvite(await findAcceptedRow(db, directory, link.id))
  await record(work, inviteEvents.accepted({ target: { type: 'invite', id: link.id }, data }))
}

/**
 * Whether the user can already sign in: with a password or a passkey that stays when the mailbox is proved, or, if
 * passwords are off, because they have signed in before. The link is valid for days and must not sign such a user in
 * again (ASVS 7.4.3).
 */
export async function hasLastingCredential(work: Work, user: UserRow): Promise<boolean> {
  if (user.last_login_at !== null && work.directory.kind !== 'console' && !(await findPasswordSettings(work)))
    return true
  if (user.email_verified) return signsInAlready(work, user.id)
  return user.passkey_count > 0 && (await keepsFactors(work, user))
}

/** Whether the user has a password or a passkey. */
async function signsInAlready(work: Work, userId: string): Promise<boolean> {
  const user = await findUserById(work, userId)
  return (user?.passkey_count ?? 0) > 0 || hasPassword(work.db, work.directory, userId)
}

/** Whether the user has chosen a password or registered a passkey. */
async function hasSetUp(work: Work, userId: string): Promise<boolean> {
  const user = await findUserById(work, userId)
  if (!user) return false
  return user.passkey_count > 0 || hasChosenPassword(work.db, work.directory, user)
}

function inviteLookup(token: string) {
  return { token, purposes: [invitePurpose] as const, who: null }
}
