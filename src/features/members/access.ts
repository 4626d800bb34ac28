import { defineEndReasons } from '../../platform/end-reasons.ts'
import type { EventFactory } from '../../platform/events.ts'
import { record } from '../../platform/events.ts'
import type { KeyCaller } from '../../platform/http/caller.ts'
import {
  type AccountScope,
  accountDirectory,
  type Directory,
  directoryOfOrganization,
  homeEnvironmentOf,
  teamDirectory,
} from '../../platform/http/directory.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { closeTeamInvite } from '../invites/invites.ts'
import { cutOff, deleteUser, findUserByEmail, findUserForUpdate } from '../users/users.ts'
import { type Member, type MemberRow, type MemberUser, toMember } from './schema.ts'
import { findMemberUsers, listRowsOfAddress } from './store.ts'

const reasons = defineEndReasons('member_changed')

/** A request about the team, with its caller. */
export interface TeamRequest extends Work<AccountScope> {
  caller: KeyCaller
}

/**
 * The records of members, with their users of the console directory. A caller limited to one organization does not see
 * the user of an invited person: that would show whether they are on the team elsewhere.
 */
export async function toMembers(work: TeamRequest, rows: MemberRow[]): Promise<Member[]> {
  const shown = rows.filter(({ status }) => status === 'active' || work.caller.organizationId === null)
  const users = await findUsers(work, shown)
  return rows.map((row) => toMember(row, shown.includes(row) ? users.get(row.email_norm) : undefined))
}

/** The same for one member. */
export async function describeMember(work: TeamRequest, row: MemberRow): Promise<Member> {
  const [member] = await toMembers(work, [row])
  return member ?? toMember(row, undefined)
}

/** A member for events: a reader of an organization's events sees no user of an invited person. */
export async function tellMember(work: Work<AccountScope>, row: MemberRow): Promise<Member> {
  const users = await findUsers(work, row.status === 'active' ? [row] : [])
  return toMember(row, users.get(row.email_norm))
}

async function findUsers(work: Work<AccountScope>, rows: MemberRow[]) {
  if (rows.length === 0) return new Map<string, MemberUser>()
  const team = await teamDirectory(work.platform, work.directory.accountId)
  return findMemberUsers(work.db, team, [...new Set(rows.map((row) => row.email_norm))])
}

/** The actor of a request that invites, for the row of the membership. */
export function inviterColumns({ origin: { actor } }: Pick<Work, 'origin'>) {
  return { invited_by_type: actor.type, invited_by_id: actor.id }
}

/** Records a change of a membership in its organization, or in the account, in the home environment of either. */
export async function recordMember(
  work: TxWork<AccountScope>,
  event: EventFactory<typeof Member>,
  data: Member,
  previous?: Partial<Member>,
): Promise<void> {
  const directory = await directoryOfMembership(work, data.subOrgId)
  const target = { type: 'member', id: data.membershipId }
  await record({ ...work, directory }, event({ target, data, ...(previous ? { previous } : {}) }))
}

/** Where events of a membership are recorded: in the home environment of its organization, or of the account. */
export async function directoryOfMembership(
  { platform, directory: { accountId } }: Work<AccountScope>,
  organizationId: string | null,
): Promise<Directory> {
  const home = await homeEnvironmentOf(platform, accountId, organizationId)
  return organizationId === null
    ? accountDirectory(platform, home)
    : directoryOfOrganization(platform, home, organizationId)
}

/** Work in the directory that the team signs in to. No route declares the events recorded there: no key reads them. */
export async function inTeam<W extends Work<AccountScope>>(work: W) {
  const directory = await teamDirectory(work.platform, work.directory.accountId)
  return { ...work, directory, origin: { ...work.origin, recorded: [] } }
}

/**
 * Ends the access of a person who may do less from now on. A change of a membership of the account ends all their
 * sessions. A change on a roster ends them only if the person has no membership elsewhere: roles are read at each request.
 * A person without any membership is removed from the console directory.
 * @param changed the membership as it was before.
 */
export async function endAccess(work: TxWork<AccountScope>, changed: MemberRow): Promise<void> {
  const team = await inTeam(work)
  const user = await findUserByEmail(team, changed.email_norm)
  if (!user) return
  const left = await listRowsOfAddress(work.db, work.directory, changed.email_norm)
  if (left.length === 0) return deleteUser(team, user.id, { ifMatch: null })
  // An invitation gave no access.
  if (changed.status === 'invited') return
  const { organization_id: roster } = changed
  const isElsewhere = left.some((row) => row.status === 'active' && row.organization_id !== roster)
  if (roster !== null && isElsewhere) return
  const held = await findUserForUpdate(team, user.id)
  if (held) await cutOff(team, held, reasons.member_changed)
}

/**
 * Ends a membership or an invitation whose row is deleted: the access, and the link by which it would be accepted.
 * @param placements the places on rosters that were deleted with it.
 */
export async function endMembership(
  work: TxWork<AccountScope>,
  row: MemberRow,
  placements: MemberRow[] = [],
): Promise<void> {
  for (const { invite_link_id: linkId } of [row, ...placements])
    if (linkId !== null) await closeTeamInvite(await inTeam(work), linkId)
  await endAccess(work, row)
}
