import { defineEndReasons } from '../../platform/end-reasons.ts'
import type { EventFactory } from '../../platform/events.ts'
import { record } from '../../platform/events.ts'
import {
  type AccountScope,
  accountDirectory,
  directoryOfOrganization,
  homeEnvironmentOf,
  teamDirectory,
} from '../../platform/http/directory.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { cutOff, deleteUser, findUserByEmail, findUserForUpdate } from '../users/users.ts'
import { type Member, type MemberRow, toMember } from './schema.ts'
import { findMemberUsers, listRowsOfAddress } from './store.ts'

const reasons = defineEndReasons('member_changed')

/** The records of members, with their users of the console directory. */
export async function toMembers(work: Work<AccountScope>, rows: MemberRow[]): Promise<Member[]> {
  if (rows.length === 0) return []
  const team = await teamDirectory(work.platform, work.directory.accountId)
  const users = await findMemberUsers(work.db, team, [...new Set(rows.map((row) => row.email_norm))])
  return rows.map((row) => toMember(row, users.get(row.email_norm)))
}

/** The same of one. */
export async function describeMember(work: Work<AccountScope>, row: MemberRow): Promise<Member> {
  const team = await teamDirectory(work.platform, work.directory.accountId)
  return toMember(row, (await findMemberUsers(work.db, team, [row.email_norm])).get(row.email_norm))
}

/** Records a change of a membership in its organization, or in the account, in the home environment of either. */
export async function recordMember(
  work: TxWork<AccountScope>,
  event: EventFactory<typeof Member>,
  data: Member,
  previous?: Partial<Member>,
): Promise<void> {
  const { platform, directory: scope } = work
  const home = await homeEnvironmentOf(platform, scope.accountId, data.subOrgId)
  const directory = await (data.subOrgId
    ? directoryOfOrganization(platform, home, data.subOrgId)
    : accountDirectory(platform, home))
  const target = { type: 'member', id: data.membershipId }
  await record({ ...work, directory }, event({ target, data, ...(previous ? { previous } : {}) }))
}

/**
 * Where the team signs in. What is recorded there is nobody's to read, so that the events that a route declares are not
 * those.
 */
export async function inTeam<W extends Work<AccountScope>>(work: W) {
  const directory = await teamDirectory(work.platform, work.directory.accountId)
  return { ...work, directory, origin: { ...work.origin, recorded: [] } }
}

/**
 * Ends every session of somebody who may do less from now on, and every sign-in under way. Whoever is no member of
 * anything any more is no user of the console directory either.
 */
export async function endAccess(work: TxWork<AccountScope>, emailNorm: string): Promise<void> {
  const team = await inTeam(work)
  const user = await findUserByEmail(team, emailNorm)
  if (!user) return
  const left = await listRowsOfAddress(work.db, work.directory, emailNorm)
  if (left.length === 0) return deleteUser(team, user.id, { ifMatch: null })
  const held = await findUserForUpdate(team, user.id)
  if (held) await cutOff(team, held, reasons.member_changed)
}
