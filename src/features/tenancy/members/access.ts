import type { EventFactory } from '../../../platform/events/events.ts'
import { record } from '../../../platform/events/events.ts'
import type { KeyedContext } from '../../../platform/http/route.ts'
import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'
import {
  accountDirectory,
  type Directory,
  directoryOfOrganization,
  homeEnvironmentOf,
  teamDirectory,
} from '../../../platform/tenancy/directory.ts'
import type { AccountTxWork, AccountWork, TxWork, Work } from '../../../platform/work.ts'
import { cutOff, deleteUser } from '../../directory/users/changes/changes.ts'
import { findUserForUpdate } from '../../directory/users/users.ts'
import { closeTeamInvites } from '../../sign-in/invites/invites.ts'
import { type Member, type MemberRow, type MemberUser, toMember } from './schema.ts'
import { findMemberUsers, listRowsOfAddresses } from './store.ts'

const reasons = defineEndReasons('member_changed')

/** A request about the team, with its caller. */
export type TeamRequest = AccountWork & Pick<KeyedContext<'account'>, 'caller' | 'renewCaller'>

/**
 * The records of members, with their users in the console directory. A caller limited to one organization does not
 * see the user of an invited person: the user would show that the person is on the team elsewhere.
 */
export async function toMembers(work: TeamRequest, rows: MemberRow[]): Promise<Member[]> {
  const shown = rows.filter(({ status }) => status === 'active' || work.caller.organizationId === null)
  const users = await findUsers(work, shown)
  return rows.map((row) => toMember(row, shown.includes(row) ? users.get(row.email_norm) : undefined))
}

/** The record of one member, as `toMembers` returns it. */
export async function describeMember(work: TeamRequest, row: MemberRow): Promise<Member> {
  const [member] = await toMembers(work, [row])
  return member ?? toMember(row, undefined)
}

/**
 * The records of members in events. An invited person's user is left out, since an organization's events can be read
 * by callers limited to it.
 */
export async function membersForEvents(work: AccountWork, rows: MemberRow[]): Promise<Member[]> {
  const shown = rows.filter(({ status }) => status === 'active')
  const users = await findUsers(work, shown)
  return rows.map((row) => toMember(row, shown.includes(row) ? users.get(row.email_norm) : undefined))
}

/** The record of one member, as `tellMembers` returns it. */
export async function memberForEvents(work: AccountWork, row: MemberRow): Promise<Member> {
  const [member] = await membersForEvents(work, [row])
  return member ?? toMember(row, undefined)
}

async function findUsers(work: AccountWork, rows: MemberRow[]) {
  if (rows.length === 0) return new Map<string, MemberUser>()
  const team = await teamDirectory(work.platform, work.account.accountId)
  return findMemberUsers(work.db, team, [...new Set(rows.map((row) => row.email_norm))])
}

/** The columns of a membership that name the inviter: the request's actor. */
export function inviterColumns({ origin: { actor } }: Pick<Work, 'origin'>) {
  return { invited_by_type: actor.type, invited_by_id: actor.id }
}

/** A change of a membership, for its event. */
export interface MemberChange {
  event: EventFactory<typeof Member>
  data: Member
  previous?: Partial<Member> | undefined
}

/** Records a change of a membership in the organization, or in the account; either way in the home environment. */
export async function recordMember(
  work: AccountTxWork,
  event: EventFactory<typeof Member>,
  data: Member,
  previous?: Partial<Member>,
): Promise<void> {
  await recordMembers(work, data.subOrgId, [{ event, data, previous }])
}

/** Records changes of several memberships of the same organization, or of the account. */
export async function recordMembers(
  work: AccountTxWork,
  organizationId: string | null,
  changes: MemberChange[],
): Promise<void> {
  const directory = await directoryOfMembership(work, organizationId)
  const events = changes.map(({ event, data, previous }) =>
    event({ target: { type: 'member', id: data.membershipId }, data, ...(previous ? { previous } : {}) }),
  )
  await record({ ...work, directory }, ...events)
}

/** The directory whose log records a membership: in the home environment of its organization, or of the account. */
export async function directoryOfMembership(
  { platform, account: { accountId } }: AccountWork,
  organizationId: string | null,
): Promise<Directory> {
  const home = await homeEnvironmentOf(platform, accountId, organizationId)
  return organizationId === null
    ? accountDirectory(platform, home)
    : directoryOfOrganization(platform, home, organizationId)
}

/**
 * Changes the work to the directory that the team signs in to. Routes do not declare events recorded there, since no
 * key can read them.
 */
export async function inTeam<W extends AccountWork>(work: W) {
  const directory = await teamDirectory(work.platform, work.account.accountId)
  return { ...work, directory, origin: { ...work.origin, recorded: [] } }
}

/**
 * Ends the access of people who have fewer rights from now on. Changing a membership of the account ends all of the
 * person's sessions. Changing a place on a roster ends them only if the person has no other membership, since roles
 * are read at each request. A person without any membership is removed from the console directory.
 * @param changed the memberships before the change, one for each person.
 */
export async function endAccess(work: AccountTxWork, changed: MemberRow[]): Promise<void> {
  if (changed.length === 0) return
  const team = await inTeam(work)
  const norms = changed.map(({ email_norm }) => email_norm)
  const users = await findMemberUsers(work.db, team.directory, norms)
  const left = Map.groupBy(await listRowsOfAddresses(work.db, work.account, norms), ({ email_norm }) => email_norm)
  for (const row of changed) {
    const user = users.get(row.email_norm)
    if (user) await endAccessOf(team, user.id, { row, left: left.get(row.email_norm) ?? [] })
  }
}

async function endAccessOf(team: TxWork, userId: string, { row, left }: { row: MemberRow; left: MemberRow[] }) {
  if (left.length === 0) return deleteUser(team, userId, { ifMatch: null, force: true })
  // An open invitation gives no access that could end.
  if (row.status === 'invited') return
  const { organization_id: roster } = row
  const isElsewhere = left.some(({ status, organization_id }) => status === 'active' && organization_id !== roster)
  if (roster !== null && isElsewhere) return
  const held = await findUserForUpdate(team, userId)
  if (held) await cutOff(team, held, reasons.member_changed)
}

/**
 * Ends the access and the invitation links of memberships whose rows were deleted.
 * @param placements the places on rosters that were deleted with them.
 */
export async function endMemberships(
  work: AccountTxWork,
  rows: MemberRow[],
  placements: MemberRow[] = [],
): Promise<void> {
  await endInvitations(work, [...rows, ...placements])
  await endAccess(work, rows)
}

/** Revokes the links of invitations. */
export async function endInvitations(work: AccountTxWork, rows: MemberRow[]): Promise<void> {
  const linkIds = rows.flatMap(({ invite_link_id: linkId }) => (linkId === null ? [] : [linkId]))
  await closeTeamInvites(await inTeam(work), linkIds)
}
