import { hashIdentity, identify } from '../../platform/crypto/identity.ts'
import { record } from '../../platform/events.ts'
import type { Reach } from '../../platform/http/directory.ts'
import { type Page, readPage } from '../../platform/http/pagination.ts'
import type { RateLimit, RateState } from '../../platform/http/rate-limit.ts'
import { isId } from '../../platform/ids.ts'
import { type EmailAddress, maskEmail, parseEmail, requireEmail } from '../../platform/mail/address.ts'
import { countMail, isMailWithheld } from '../../platform/mail/limits.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { closeLink, type LinkDelivery, mailLink } from '../links/links.ts'
import { assertActive, assertDoorOpen } from '../login/login.ts'
import { getPasswordSettings } from '../password/password.ts'
import {
  findUserByEmail,
  findUserForUpdate,
  getUser,
  markInvited,
  markNotInvited,
  provisionInvitedUser,
  type UserRow,
  userErrors,
} from '../users/users.ts'
import { signsInAlready, teamInvites } from './accept.ts'
import { inviteMail, teamInviteMail } from './emails.ts'
import { inviteErrors } from './errors.ts'
import { inviteEvents } from './events.ts'
import { invitePurpose } from './link-purpose.ts'
import { type Invite, type InviteStatus, toInvite } from './schema.ts'
import { inviteSettings } from './settings.ts'
import { countInviteRows, findInviteRow, type InviteRow, listInviteRows } from './store.ts'

export { acceptInvite, acceptOnPage, findInvitation, invitationWithdrawn, inviteMethod } from './accept.ts'
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
}

export interface SentInvite {
  user: UserRow
  invite: Invite
  /** Set only if the caller delivers it. */
  url: string | null
  deliveryHint: string
  rate: RateState
}

/** An invitation to the account's team. */
export interface TeamInvitation {
  /** The name of the organization or of the account; null for the brand. */
  name: string | null
  /** The organization that the caller is limited to: the caller must not learn whether the person is on the team. */
  limitedTo: string | null
}

/**
 * Invites a user to choose a password: an existing user, unchanged, or one created for it. Voids the previous
 * invitation. A user who already has a password is asked to sign in instead.
 * Throws `invalid_request`, `user_locked`, `user_inactive`, `organization_suspended`, `method_disabled`, `rate_limited`.
 */
export async function invite(work: Work, invitee: Invitee, delivery: LinkDelivery): Promise<SentInvite> {
  return send(work, invitee, { delivery })
}

/**
 * Invites a person to the team, in its console directory. The link voids no other: each invitation has its own. Throws
 * the same.
 */
export async function inviteToTeam(
  work: Work,
  invitee: Invitee,
  sent: { team: TeamInvitation; delivery: LinkDelivery },
): Promise<SentInvite> {
  return send(work, invitee, sent)
}

/** Withdraws the link of an invitation to the team, unless it has ended already. */
export async function closeTeamInvite(work: TxWork, linkId: string): Promise<void> {
  await closeLink(work, invitePurpose, linkId)
}

/** Invites an existing user. Throws `user_not_found`, and the same. */
export async function inviteUser(work: Work, userId: string, delivery: LinkDelivery): Promise<SentInvite> {
  const { id, email } = await getUser(work, userId)
  return send(work, { email }, { delivery, expectedId: id })
}

interface Sending {
  delivery: LinkDelivery
  /** The user who is to have the address. */
  expectedId?: string
  team?: TeamInvitation
}

async function send(work: Work, invitee: Invitee, sending: Sending): Promise<SentInvite> {
  await getPasswordSettings(work)
  const { invite_ttl_seconds: ttlSeconds } = await inviteSettings.effective(work)
  const address = requireEmail(invitee.email)
  const { expectedId } = sending
  await assertDoorOpen(work, null)
  // Checked before the send is counted, and again in the transaction.
  const invited = await findUserByEmail(work, address.norm)
  if (invited) assertActive(invited)
  const { rate, withheld } = await countInvitation(work, address, sending)
  const sent = await inTx(work, async (work) => {
    const user = await provisionInvitedUser(work, { ...invitee, ...address })
    // Another user, or a new one: the user's address has changed since.
    if (expectedId !== undefined && user.id !== expectedId) throw userErrors.notFound()
    return mailInvite(work, user, { ...sending, ttlSeconds, withheld })
  })
  // Not the spelling of the user: it would show that there was one.
  return { ...sent, deliveryHint: maskEmail(sending.team ? address.email : sent.user.email), rate }
}

/**
 * Counts an invitation. A caller limited to one organization is refused for what it sends itself: what others send to the
 * address withholds its mail, and changes nothing in the response.
 */
async function countInvitation(work: Work, address: EmailAddress, { delivery, team }: Sending) {
  const who = identify(work.platform, address)
  const counted = { leaves: delivery.deliver, byAnyone: false }
  if (!team?.limitedTo) return { rate: await countMail(work, who, limits, counted), withheld: false }
  const own = { address, hash: hashIdentity(work.platform, `${team.limitedTo}/${address.norm}`) }
  const rate = await countMail(work, own, limits, counted)
  return { rate, withheld: await isMailWithheld(work, who, limits) }
}

async function mailInvite(
  work: TxWork,
  user: UserRow,
  { delivery, team, ttlSeconds, withheld }: Sending & { ttlSeconds: number; withheld: boolean },
): Promise<Pick<SentInvite, 'user' | 'invite' | 'url'>> {
  assertActive(user)
  // A password set before the mailbox was proved is removed by the first proof.
  const mayOnlySignIn = user.email_verified && (await signsInAlready(work, user.id))
  const isKnown = mayOnlySignIn || (team ? await teamInvites.of(work.platform).isOnTeam(work, user.email_norm) : false)
  await markInvited(work, user)
  const { linkId, url } = await mailLink(work, {
    purpose: invitePurpose,
    who: identify(work.platform, { email: user.email, norm: user.email_norm }),
    locale: user.locale,
    userId: user.id,
    details: { email: user.email },
    decoy: withheld ? 'the address was sent too many mails' : null,
    ttlSeconds,
    delivery,
    ...(team ? { replaces: 'none' as const } : {}),
    compose: (_, mail) => (team ? teamInviteMail(mail, { name: team.name, isKnown }) : inviteMail(mail, mayOnlySignIn)),
  })
  const made = toInvite(await getInviteRow(work, linkId))
  const event = user.invited_at === null ? inviteEvents.created : inviteEvents.resent
  await record(work, event({ target: { type: 'invite', id: linkId }, data: made }))
  return { user: await getUser(work, user.id), invite: made, url }
}

/**
 * Withdraws an invitation; the user remains. Idempotent for one that has expired or was withdrawn.
 * Throws `invite_not_found`, `invite_accepted`.
 */
export async function revokeInvite(work: Work, id: string): Promise<Invite> {
  return inTx(work, async (work) => {
    const before = await getInviteRow(work, id)
    if (before.user_id) await findUserForUpdate(work, before.user_id)
    if (!(await closeLink(work, invitePurpose, before.id))) {
      // Read again: it may just have been accepted.
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

/** An invitation within the caller's reach. Throws `invite_not_found`. */
export async function getInvite({ platform, db, directory }: Work<Reach>, text: string): Promise<Invite> {
  const id = text.toLowerCase()
  const page = readPage(platform, '/v1/users/invites', { limit: 1 })
  const [row] = isId(id) ? await listInviteRows(db, directory, { id }, page) : []
  if (!row) throw inviteErrors.notFound()
  return toInvite(row)
}

/** One page of what the caller reaches, and the total if requested. */
export async function listInvites(
  work: Work<Reach>,
  query: { status?: InviteStatus; email?: string },
  page: Page,
): Promise<{ rows: InviteRow[]; total: number | undefined }> {
  const { platform, db, directory: reach } = work
  const { email } = query
  // A text that is not an address matches nothing.
  const identity = email === undefined ? undefined : hashIdentity(platform, parseEmail(email)?.norm ?? '')
  const filter = { status: query.status, identity }
  const rows = await listInviteRows(db, reach, filter, page)
  return { rows, total: page.includeTotal ? await countInviteRows(db, reach, filter) : undefined }
}
