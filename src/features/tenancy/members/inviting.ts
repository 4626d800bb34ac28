import { hashIdentity } from '../../../platform/crypto/identity.ts'
import { now } from '../../../platform/db/now.ts'
import { newId } from '../../../platform/ids.ts'
import {
  count,
  countAct,
  idBytes,
  type RateLimit,
  type RateState,
  showRate,
} from '../../../platform/limits/rate-limit.ts'
import { type EmailAddress, requireEmail } from '../../../platform/mail/address.ts'
import { credentialOf } from '../../../platform/tenancy/caller.ts'
import { homeEnvironmentOf, teamDirectory } from '../../../platform/tenancy/directory.ts'
import type { AccountTxWork, AccountWork } from '../../../platform/work.ts'
import { inviteErrors, inviteToTeam, type SentInvite } from '../../sign-in/invites/invites.ts'
import {
  describeMember,
  endInvitations,
  inTeam,
  inviterColumns,
  memberForEvents,
  recordMember,
  type TeamRequest,
} from './access.ts'
import { memberErrors } from './errors.ts'
import { memberEvents } from './events.ts'
import { findHeldMember, findTeamRow, removeRow } from './members.ts'
import { type Member, type MemberRow, type TeamInvite, toTeamInvite } from './schema.ts'
import {
  findTeamName,
  insertMemberRows,
  listRowsOfAddress,
  lockRowsOfAddress,
  lockTeam,
  updateMemberRows,
} from './store.ts'
import { assertMayActOn, assertMayGive, type TeamRole } from './team-roles/team-roles.ts'
import { inTeamTurn } from './turns.ts'

interface Invited {
  member: Member
  /** Null for a person who is already on the team and joins at once. */
  invite: TeamInvite | null
  delivery_hint: string | null
}

/** A request whose response has rate limit headers. */
type InvitingRequest = TeamRequest & { headers: Record<string, string> }

/** Invitations by one organization, one org-wide key, or one member of the account. */
const CALLER_LIMIT = { bucket: 'team_invite.caller', limit: 200, windowSeconds: 3600 }

/**
 * Limits on all invitations of an account together. 2000 an hour is ten inviters at their own limit; an import of 10
 * 000 administrators takes 5 hours. Callers limited to one organization have a separate limit, so that they cannot
 * use up the team's. Environments other than production share a smaller limit, so that their keys cannot use up
 * production's.
 */
const ACCOUNT_LIMITS = {
  production: { bucket: 'team_invite.production', limit: 2000, windowSeconds: 3600 },
  organizations: { bucket: 'team_invite.organizations', limit: 2000, windowSeconds: 3600 },
  others: { bucket: 'team_invite.others', limit: 500, windowSeconds: 3600 },
}

/** Invitations to one address by one inviter. */
const ADDRESS_LIMITS: RateLimit[] = [
  { bucket: 'team_invite.minute', limit: 3, windowSeconds: 60 },
  { bucket: 'team_invite.hour', limit: 10, windowSeconds: 3600 },
]

/**
 * Invites a person to the account, or to the organization in `account`. A person who was already invited gets a new
 * link and the new role. If the caller reaches the whole account, a person who is already on the team is added at
 * once. If the caller is limited to one organization, the response is always the same and each person must accept.
 * Throws `member_exists`, `privilege_escalation`, `rate_limited`, and what `sendInvitation` throws.
 */
export async function inviteMember(
  work: InvitingRequest,
  invitee: { email: string; role: TeamRole; displayName?: string | null },
): Promise<Invited> {
  const address = requireEmail(invitee.email)
  const { organizationId: limitedTo } = work.caller
  await countInviter(work)
  return inTeamTurn(work, async (work) => {
    const { db, account } = work
    await lockTeam(db, account)
    await lockRowsOfAddress(db, account, address.norm)
    const rows = await listRowsOfAddress(db, account, address.norm)
    const present = rows.find((row) => row.organization_id === account.organizationId)
    if (present?.status === 'active') throw memberErrors.exists()
    if (present) assertMayActOn(work.caller, present.role)
    assertMayGive(work.caller, invitee.role)
    const joinsAtOnce = limitedTo === null && rows.some(({ status }) => status === 'active')
    // `joinsAtOnce` is false for a caller limited to one organization, so this refusal cannot tell it who is on the
    // team.
    if (joinsAtOnce) for (const held of rows.flatMap(rolesHeldInAccount)) assertMayActOn(work.caller, held)
    const id = await keepRow(work, { ...invitee, address, present, joinsAtOnce })
    if (joinsAtOnce) {
      if (present) await endInvitations(work, [present])
      const row = await getRow(work, address, id)
      await recordMember(work, memberEvents.added, await memberForEvents(work, row))
      return { member: await describeMember(work, row), invite: null, delivery_hint: null }
    }
    return mailInvitation(work, { ...invitee, address, id, present })
  })
}

interface ToMail {
  address: EmailAddress
  /** The id of the membership. */
  id: string
  displayName?: string | null
  /** The invitation that this one renews. */
  present: MemberRow | undefined
}

async function mailInvitation(
  work: AccountTxWork & InvitingRequest,
  { address, id, present, displayName = null }: ToMail,
): Promise<Invited> {
  // The link is only mailed, never returned: anyone who has it can become the member.
  const delivery = { redirectTo: null, deliver: true }
  const row = await getRow(work, address, id)
  showRate(work, { rate: await countInvitation(work, address) })
  const sent = await sendInvitation(work, { row, displayName, delivery })
  const invited = await getRow(work, address, id)
  const before = present && present.role !== invited.role ? { role: present.role } : undefined
  await recordMember(work, memberEvents.invited, await memberForEvents(work, invited), before)
  return {
    member: await describeMember(work, invited),
    invite: toTeamInvite(invited),
    delivery_hint: sent.deliveryHint,
  }
}

/**
 * Counts an invitation for the caller, and then for the account. Which limit applies depends on the home environment
 * of the organization or account that the person is invited to. An invitation that the caller's own limit refuses
 * does not count for the account. Throws `rate_limited`.
 */
async function countInviter({ platform, account, caller }: InvitingRequest): Promise<void> {
  const { accountId, organizationId } = account
  const directory = await teamDirectory(platform, accountId)
  // The team's directory is in production.
  const { environmentId } = await homeEnvironmentOf(platform, accountId, organizationId)
  const { production, organizations, others } = ACCOUNT_LIMITS
  const inProduction = caller.organizationId === null ? production : organizations
  const limit = environmentId === directory.environmentId ? inProduction : others
  const identity =
    caller.organizationId === null ? hashIdentity(platform, credentialOf(caller)) : idBytes(caller.organizationId)
  const ofAccount = { ...limit, directory, identity: idBytes(accountId), policy: 'account' as const }
  await count(platform, [{ ...CALLER_LIMIT, directory, identity }], [ofAccount])
}

/**
 * Counts an invitation to this address for its inviter, which is the organization that the caller is limited to, or
 * else the account in the home environment of the organization or account. It counts neither as a mail to the address
 * nor as a mail of the console directory: otherwise inviters could use up the team's codes and password resets.
 * Throws `rate_limited`.
 */
async function countInvitation(work: AccountTxWork & InvitingRequest, { norm }: EmailAddress): Promise<RateState> {
  const { platform, account, caller } = work
  const home = await homeEnvironmentOf(platform, account.accountId, account.organizationId)
  const inviter = caller.organizationId ?? home.environmentId
  return countAct(await inTeam(work), hashIdentity(platform, `${inviter}/${norm}`), ADDRESS_LIMITS)
}

interface ToSend {
  row: MemberRow
  displayName?: string | null
  delivery: Parameters<typeof inviteToTeam>[2]['delivery']
}

/**
 * Creates a link for an invitation and revokes the previous link. Does not count toward rate limits. Throws what
 * `inviteToTeam` throws.
 */
export async function sendInvitation(work: AccountTxWork, sending: ToSend): Promise<SentInvite> {
  const { row, displayName = row.display_name, delivery } = sending
  await endInvitations(work, [row])
  const { account_id: accountId, organization_id: organizationId } = row
  const name = await findTeamName(work.db, { accountId, organizationId })
  const invitee = { email: row.email, displayName }
  const sent = await inviteToTeam(await inTeam(work), invitee, { team: { name }, delivery })
  const { id: invite_link_id, expires_at } = sent.invite
  await updateMemberRows(work.db, work.account, [row.id], { invite_expires_at: new Date(expires_at), invite_link_id })
  return sent
}

async function getRow(work: AccountTxWork, { norm }: EmailAddress, id: string): Promise<MemberRow> {
  const row = (await listRowsOfAddress(work.db, work.account, norm)).find((row) => row.id === id)
  if (!row) throw new Error('A membership is gone while the team is locked')
  return row
}

const rolesHeldInAccount = ({ organization_id, status, role }: MemberRow) =>
  organization_id === null && status === 'active' ? [role] : []

interface ToKeep {
  address: EmailAddress
  role: TeamRole
  displayName?: string | null
  present: MemberRow | undefined
  joinsAtOnce: boolean
}

async function keepRow(work: AccountTxWork, kept: ToKeep): Promise<string> {
  const { address, role, displayName, present, joinsAtOnce } = kept
  const status = joinsAtOnce
    ? { status: 'active', joined_at: now, invite_expires_at: null, invite_link_id: null }
    : { status: 'invited' }
  if (present) {
    const named = displayName === undefined ? {} : { display_name: displayName }
    await updateMemberRows(work.db, work.account, [present.id], {
      role,
      ...named,
      ...status,
      ...inviterColumns(work),
    })
    return present.id
  }
  const { accountId: account_id, organizationId: organization_id } = work.account
  const id = newId()
  const who = { email: address.email, email_norm: address.norm, display_name: displayName ?? null }
  const row = { id, account_id, organization_id, role, ...who, ...status, ...inviterColumns(work) }
  await insertMemberRows(work.db, [row])
  return id
}

/** The membership of an invitation, whether the invitation is open or accepted. Throws `invite_not_found`. */
export async function getInviteRow(work: AccountWork, id: string): Promise<MemberRow> {
  const row = await findTeamRow(work, id)
  if (!row) throw inviteErrors.notFound()
  return row
}

/** Withdraws an invitation. Throws `invite_not_found`, `invite_accepted`, `privilege_escalation`. */
export async function withdrawInvite(work: TeamRequest, id: string): Promise<void> {
  await inTeamTurn(work, async (work) => {
    const row = await findHeldMember(work, id)
    if (!row) throw inviteErrors.notFound()
    if (row.status === 'active')
      throw inviteErrors.accepted({
        detail: 'The person has already joined. Remove the member with DELETE /v1/members/{membershipId}.',
      })
    await removeRow(work, row)
  })
}
