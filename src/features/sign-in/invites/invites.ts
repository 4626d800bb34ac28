import { hashIdentity, identify } from '../../../platform/crypto/identity.ts'
import { record } from '../../../platform/events/events.ts'
import { type Found, type Page, readPage } from '../../../platform/http/pagination.ts'
import { isId } from '../../../platform/ids.ts'
import type { RateLimit, RateState } from '../../../platform/limits/rate-limit.ts'
import { type EmailAddress, maskEmail, parseEmail, requireEmail } from '../../../platform/mail/address.ts'
import { countMail } from '../../../platform/mail/limits.ts'
import { findOrganizationName } from '../../../platform/tenancy/organization-name.ts'
import { inTx, type ReachWork, type TxWork, type Work } from '../../../platform/work.ts'
import { assertActive, assertDoorOpen } from '../../access/login/login.ts'
import { type SignInAccess, signInAccessOf } from '../../access/login/sso-only/sso-only.ts'
import {
  type GivenRoles,
  type InvitedUser,
  markNotInvited,
  provisionInvitedUser,
} from '../../directory/users/invited/invited.ts'
import { findUserByEmail, findUserForUpdate, getUser, type UserRow, userErrors } from '../../directory/users/users.ts'
import { closeLinks } from '../links/links.ts'
import { type LinkDelivery, mailLink } from '../links/send-link/send-link.ts'
import { hasPassword } from '../password/password.ts'
import { hasLastingCredential, teamInvites } from './accept.ts'
import { type InviteMailData, inviteMail, teamInviteMail } from './emails.ts'
import { inviteErrors } from './errors.ts'
import { inviteEvents } from './events.ts'
import { firstPasswordSettings } from './first-password.ts'
import { invitePurpose } from './link-purpose.ts'
import { type Invite, toInvite } from './schema.ts'
import { inviteSettings } from './settings.ts'
import type { InviteStatus } from './status.ts'
import { findInvitePage, findInviteRow, findWaitingInviter, type InviteRow } from './store.ts'

export { acceptInvite, invitationWithdrawn, inviteMethod } from './accept.ts'
export { inviteErrors } from './errors.ts'
export { inviteEvents } from './events.ts'

/** How often an address may be invited. */
const limits: RateLimit[] = [
  { bucket: 'invite.minute', limit: 3, windowSeconds: 60 },
  { bucket: 'invite.hour', limit: 10, windowSeconds: 3600 },
]

export interface Invitee {
  email: string
  displayName?: string | null
  firstName?: string | null
  lastName?: string | null
  locale?: string | null
  /** The name of the person who invites. If absent, the name in the invitation that this one renews is used. */
  invitedBy?: string | null
  /** The roles in the request. */
  given?: GivenRoles | null
}

export interface SentInvite {
  user: UserRow
  invite: Invite
  /** Set only if the caller delivers it. */
  url: string | null
  deliveryHint: string
  /** Whether the user got the roles in the request. Null if the request has none. */
  rolesApplied: boolean | null
  /** False if single sign-on is enforced for the user and no connection accepts them. */
  canSignIn: boolean
}

interface CountedInvite extends SentInvite {
  rate: RateState
}

/** An invitation to the account's team. */
export interface TeamInvitation {
  /** The name of the organization or of the account, or null to show the brand. */
  name: string | null
}

/**
 * Invites a user. A new user is created. An existing user does not change, except that a user who has never signed in
 * gets the roles in the request. Voids the previous invitation. A user who already has a password or passkey is asked
 * to sign in instead.
 * Throws `invalid_request`, `user_locked`, `user_inactive`, `organization_suspended`, `method_disabled`,
 * `rate_limited`, and for roles what `provisionInvitedUser` throws.
 */
export async function invite(work: Work, invitee: Invitee, delivery: LinkDelivery): Promise<CountedInvite> {
  return inviteCounted(work, invitee, { delivery })
}

/**
 * Invites a person to the team, in its console directory. Voids no other link, because each team invitation has its
 * own. Counts nothing, because the limits of team invitations apply to the inviter. Throws the same errors as
 * `invite`, except `rate_limited`.
 */
export async function inviteToTeam(
  work: Work,
  invitee: Invitee,
  sent: { team: TeamInvitation; delivery: LinkDelivery },
): Promise<SentInvite> {
  return send(work, invitee, { ...sent, ...(await checkInvitee(work, invitee)) })
}

/** Withdraws the links of team invitations that are still open. */
export async function closeTeamInvites(work: TxWork, linkIds: string[]): Promise<void> {
  await closeLinks(work, invitePurpose, linkIds)
}

/** Invites an existing user. Throws `user_not_found`, and what `invite` throws. */
export async function inviteUser(
  work: Work,
  userId: string,
  { delivery, ...invitation }: Pick<Invitee, 'invitedBy' | 'given'> & { delivery: LinkDelivery },
): Promise<CountedInvite> {
  const { id, email } = await getUser(work, userId)
  return inviteCounted(work, { email, ...invitation }, { delivery, expectedId: id })
}

interface Sending {
  delivery: LinkDelivery
  /** The id that the user with the address must have. */
  expectedId?: string
  team?: TeamInvitation
}

interface CheckedInvitee {
  address: EmailAddress
  ttlSeconds: number
  /** Whether a first password is needed to accept. */
  asksPassword: boolean
}

async function inviteCounted(work: Work, invitee: Invitee, sending: Sending): Promise<CountedInvite> {
  const checked = await checkInvitee(work, invitee)
  const who = identify(work.platform, checked.address)
  const rate = await countMail(work, who, limits, { leaves: sending.delivery.deliver, byAnyone: false })
  return { ...(await send(work, invitee, { ...sending, ...checked })), rate }
}

/** Makes the checks that can refuse the request before the mail is counted. The transaction checks the user again. */
async function checkInvitee(work: Work, invitee: Invitee): Promise<CheckedInvitee> {
  const asksPassword = (await firstPasswordSettings(work)) !== null
  const { invite_ttl_seconds: ttlSeconds } = await inviteSettings.effective(work)
  const address = requireEmail(invitee.email)
  await assertDoorOpen(work, null)
  const invited = await findUserByEmail(work, address.norm)
  if (invited) assertActive(invited)
  return { address, ttlSeconds, asksPassword }
}

async function send(work: Work, invitee: Invitee, sending: Sending & CheckedInvitee): Promise<SentInvite> {
  const { expectedId, address } = sending
  const sent = await inTx(work, async (work) => {
    const invited = await provisionInvitedUser(work, { ...invitee, ...address }, invitee.given ?? null)
    // The user's address has changed meanwhile, so the address now has another user or a new one.
    if (expectedId !== undefined && invited.user.id !== expectedId) throw userErrors.notFound()
    return mailInvite(work, invited, sending, invitee.invitedBy)
  })
  // For the team, shows the address as it was sent. The stored spelling would reveal that the user already existed.
  return { ...sent, deliveryHint: maskEmail(sending.team ? address.email : sent.user.email) }
}

async function mailInvite(
  work: TxWork,
  { user, isRenewed, rolesApplied }: InvitedUser,
  { delivery, team, ttlSeconds, asksPassword }: Sending & CheckedInvitee,
  invitedBy: Invitee['invitedBy'],
): Promise<Omit<SentInvite, 'deliveryHint'>> {
  assertActive(user)
  const mayOnlySignIn = await hasLastingCredential(work, user)
  const isKnown = mayOnlySignIn || (team ? await teamInvites.of(work.platform).isOnTeam(work, user.email_norm) : false)
  const kept = invitedBy === undefined && !team
  const inviter = kept ? await findWaitingInviter(work.db, work.directory, user.id) : (invitedBy ?? null)
  const way = team ? 'any' : await signInAccessOf(work, { ...user, user_id: user.id })
  const { linkId, url } = await mailLink(work, {
    purpose: invitePurpose,
    who: identify(work.platform, { email: user.email, norm: user.email_norm }),
    locale: user.locale,
    userId: user.id,
    details: { email: user.email, ...(inviter === null ? {} : { invitedBy: inviter }) },
    decoy: null,
    ttlSeconds,
    delivery,
    ...(team ? { replaces: 'none' as const } : {}),
    compose: async (work, mail) =>
      team
        ? teamInviteMail(mail, { name: team.name, isKnown })
        : inviteMail(mail, {
            organization: await findOrganizationName(work.db, work.directory),
            inviter,
            asks: await askOf(work, user, { way, mayOnlySignIn, asksPassword }),
          }),
  })
  const made = toInvite(await getInviteRow(work, linkId))
  const event = isRenewed ? inviteEvents.resent : inviteEvents.created
  await record(work, event({ target: { type: 'invite', id: linkId }, data: made }))
  return {
    user: await getUser(work, user.id),
    invite: made,
    url,
    rolesApplied,
    canSignIn: way === 'any' || way === 'singleSignOn',
  }
}

/** Chooses what the mail asks the user to do. */
async function askOf(
  work: Work,
  user: UserRow,
  { way, mayOnlySignIn, asksPassword }: { way: SignInAccess; mayOnlySignIn: boolean; asksPassword: boolean },
): Promise<InviteMailData['asks']> {
  if (way !== 'any') return way
  if (!mayOnlySignIn) return asksPassword ? 'password' : 'acceptance'
  return asksPassword && (await hasPassword(work.db, work.directory, user.id)) ? 'signInByPassword' : 'signIn'
}

/**
 * Withdraws an invitation. The user is not deleted. Withdrawing an invitation that has expired or was withdrawn
 * changes nothing.
 * Throws `invite_not_found`, `invite_accepted`.
 */
export async function revokeInvite(work: Work, id: string): Promise<Invite> {
  return inTx(work, async (work) => {
    const before = await getInviteRow(work, id)
    if (before.user_id) await findUserForUpdate(work, before.user_id)
    if ((await closeLinks(work, invitePurpose, [before.id])) === 0) {
      // Read again, because the invitation may just have been accepted.
      const over = await getInviteRow(work, before.id)
      if (over.status === 'accepted') throw inviteErrors.accepted()
      return toInvite(over)
    }
    await markNotInvited(work, before.user_id)
    const revoked = toInvite(await getInviteRow(work, before.id))
    await record(work, inviteEvents.revoked({ target: { type: 'invite', id: before.id }, data: revoked }))
    return revoked
  })
}

async function getInviteRow(work: TxWork, id: string): Promise<InviteRow> {
  const row = isId(id) ? await findInviteRow(work.db, work.directory, id) : undefined
  if (!row) throw inviteErrors.notFound()
  return row
}

/** Finds an invitation that the caller can reach. Throws `invite_not_found`. */
export async function getInvite({ platform, db, reach }: ReachWork, text: string): Promise<Invite> {
  const id = text.toLowerCase()
  const page = readPage(platform, '/v1/users/invites', { limit: 1 })
  const {
    rows: [row],
  } = isId(id) ? await findInvitePage(db, reach, { id }, page) : { rows: [] }
  if (!row) throw inviteErrors.notFound()
  return toInvite(row)
}

/** Lists one page of the invitations that the caller can reach, with the total if requested. */
export async function listInvites(
  work: ReachWork,
  query: { status?: InviteStatus; email?: string },
  page: Page,
): Promise<Found<InviteRow>> {
  const { platform, db, reach } = work
  const { email } = query
  // Text that is not an email address matches nothing.
  const identity = email === undefined ? undefined : hashIdentity(platform, parseEmail(email)?.norm ?? '')
  const filter = { status: query.status, identity }
  return findInvitePage(db, reach, filter, page)
}
