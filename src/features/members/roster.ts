import { sql } from 'kysely'
import { httpErrors, invalidField } from '../../platform/errors.ts'
import { type AccountScope, findDirectoryOfOrganization } from '../../platform/http/directory.ts'
import { isId, newId } from '../../platform/ids.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import {
  endAccess,
  endMembership,
  inviterColumns,
  recordMember,
  type TeamRequest,
  tellMember,
  toMembers,
} from './access.ts'
import { memberErrors } from './errors.ts'
import { memberEvents } from './events.ts'
import { endOf } from './members.ts'
import { type Member, type MemberRow, type RosterEntry, rolesHeld } from './schema.ts'
import {
  deleteMemberRow,
  findAccountMemberRows,
  findMemberRow,
  insertMemberRow,
  listMemberRows,
  lockInvitedRows,
  lockTeam,
  type TeamScope,
  updateMemberRow,
} from './store.ts'
import { assertMayActOn, assertMayChange, assertMayGive, coversRole, type TeamRole } from './team-roles.ts'

/** The organization of a path, within the caller's reach. Throws `organization_not_found`. */
export async function rosterScope(work: Work<AccountScope>, subOrgId: string): Promise<TeamScope> {
  const { accountId, organizationId: only } = work.directory
  const directory = await findDirectoryOfOrganization(work.platform, work.directory, subOrgId)
  const organizationId = directory?.organizationId
  if (!organizationId || (only !== null && only !== organizationId)) throw httpErrors.organizationNotFound()
  return { accountId, organizationId }
}

/** Who is on the roster of an organization, oldest first. */
export async function listRoster(work: TeamRequest, scope: TeamScope): Promise<Member[]> {
  return toMembers(work, await listMemberRows(work.db, scope))
}

/** Somebody as they are to be on the roster. */
interface Wanted {
  /** Their row on the roster; null where they are not on it yet. */
  row: MemberRow | null
  /** The membership of the account that they come by. */
  account: MemberRow | null
  role: TeamRole
}

/**
 * Replaces the roster of an organization, all or nothing: whoever is not named leaves it, members of the account come
 * onto it, and a role that is not given stays, or is that in the account.
 * Throws `invalid_request` for memberships that are unknown here or named twice, `last_owner`, `privilege_escalation`.
 */
export async function replaceRoster(work: TeamRequest, scope: TeamScope, entries: RosterEntry[]): Promise<Member[]> {
  return inTx(work, async (work) => {
    await lockTeam(work.db, scope)
    await lockInvitedRows(work.db, scope)
    const present = await listMemberRows(work.db, scope)
    const wanted = await resolve(work, scope, present, entries)
    if (!wanted.some(({ role, row, account }) => role === 'owner' && (row ?? account)?.status === 'active'))
      throw memberErrors.lastOwner({
        detail: 'The roster names no owner who has joined. Give a member who has joined the role owner.',
      })
    const kept = new Set(wanted.map(({ row }) => row?.id))
    const gone = present.filter((row) => !kept.has(row.id))
    for (const row of gone) assertMayTouch(work, row)
    for (const each of wanted) assertMayPut(work, each)
    for (const row of gone) await takeOff(work, row)
    for (const each of wanted) await put(work, scope, each)
    return listRoster(work, scope)
  })
}

function assertMayTouch({ caller }: TeamRequest, row: MemberRow): void {
  for (const role of rolesHeld(row)) assertMayActOn(caller, role)
}

function assertMayPut(work: TeamRequest, { row, account, role }: Wanted): void {
  if (row?.role === role) return
  if (row) {
    assertMayTouch(work, row)
    assertMayChange(work.caller, row.role, role)
  } else {
    if (account) assertMayTouch(work, account)
    assertMayGive(work.caller, role)
  }
}

async function resolve(
  work: TxWork<AccountScope> & TeamRequest,
  scope: TeamScope,
  present: MemberRow[],
  entries: RosterEntry[],
): Promise<Wanted[]> {
  const ids = entries.map(({ membershipId }) => membershipId.toLowerCase())
  // A caller limited to this organization finds no other member of the account. Naming subOrgId limits nobody.
  const isOrgWide = work.caller.organizationId === null
  const accounts = isOrgWide ? await findAccountMemberRows(work.db, scope, ids.filter(isId)) : []
  const wanted = entries.map(({ role }, i) => {
    const account = accounts.find((row) => row.id === ids[i]) ?? null
    const named = present.find((row) => row.membership_id === ids[i])
    // Who belongs to the organization alone may be a member of the account by now: on a roster they are one person.
    const row = named ?? present.find((row) => row.email_norm === account?.email_norm) ?? null
    const who = row ?? account
    return who && { row, account, role: role ?? who.role, address: who.email_norm }
  })
  refuse(entries, 'unknown', 'is no membership of the account or of this roster', (_, i) => !wanted[i])
  const addresses = wanted.map((each) => each?.address)
  refuse(entries, 'duplicate', 'is named before', (_, i) => addresses.indexOf(addresses[i]) < i)
  return wanted.filter((each) => each !== null)
}

function refuse(entries: RosterEntry[], code: string, why: string, is: (entry: RosterEntry, i: number) => boolean) {
  const wrong = entries.flatMap((entry, i) => (is(entry, i) ? [`members.${i}.membershipId`] : []))
  if (wrong.length) throw invalidField(wrong, code, `membershipId ${why}`)
}

async function takeOff(work: TxWork<AccountScope>, row: MemberRow): Promise<void> {
  const member = await tellMember(work, row)
  await deleteMemberRow(work.db, work.directory, row.id)
  await endMembership(work, row)
  await recordMember(work, endOf(member), member)
}

async function put(work: TxWork<AccountScope>, scope: TeamScope, { row, account, role }: Wanted): Promise<void> {
  if (row === null && account !== null) return bringIn(work, scope, account, role)
  if (row === null) return
  const accountMemberId = account?.id ?? row.account_member_id
  if (row.role === role && row.account_member_id === accountMemberId) return
  await updateMemberRow(work.db, work.directory, row.id, { role, account_member_id: accountMemberId })
  if (row.role === role) return
  if (!coversRole(row.role, role)) await endAccess(work, row)
  const after = { ...row, role, membership_id: accountMemberId ?? row.id }
  await recordMember(work, memberEvents.roleUpdated, await tellMember(work, after), { role: row.role })
}

async function bringIn(work: TxWork<AccountScope>, scope: TeamScope, account: MemberRow, role: TeamRole) {
  const { organizationId } = scope
  await insertMemberRow(work.db, {
    id: newId(),
    account_id: scope.accountId,
    organization_id: organizationId,
    account_member_id: account.id,
    email: account.email,
    email_norm: account.email_norm,
    display_name: account.display_name,
    role,
    status: account.status,
    // An invited person joins the roster with the account.
    ...(account.status === 'invited' ? inviterColumns(work) : {}),
    joined_at: account.status === 'active' ? sql`clock_now()` : null,
  })
  const row = await findMemberRow(work.db, scope, account.id)
  if (!row) throw new Error('A place on a roster is gone while the team is locked')
  const event = row.status === 'active' ? memberEvents.added : memberEvents.invited
  await recordMember(work, event, await tellMember(work, row))
}
