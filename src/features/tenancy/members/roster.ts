import { now } from '../../../platform/db/now.ts'
import { httpErrors, invalidField } from '../../../platform/errors.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { findDirectoryOfOrganization } from '../../../platform/tenancy/directory.ts'
import type { AccountTxWork, AccountWork } from '../../../platform/work.ts'
import {
  endAccess,
  endInvitations,
  endMemberships,
  inviterColumns,
  type MemberChange,
  membersForEvents,
  recordMembers,
  type TeamRequest,
  toMembers,
} from './access.ts'
import { memberErrors } from './errors.ts'
import { memberEvents } from './events.ts'
import { endEventOf } from './members.ts'
import { type Member, type MemberRow, type RosterEntry, rolesHeld } from './schema.ts'
import {
  deleteMemberRows,
  findAccountMemberRows,
  insertMemberRows,
  linkRowsToMembers,
  listMemberRows,
  lockInvitedRows,
  lockTeam,
  type TeamScope,
  updateMemberRows,
} from './store.ts'
import {
  assertMayActOn,
  assertMayChange,
  assertMayGive,
  coversRole,
  TEAM_ROLES,
  type TeamRole,
} from './team-roles/team-roles.ts'
import { inTeamTurn } from './turns.ts'

/** The organization in the path, if the caller reaches it. Throws `organization_not_found`. */
export async function rosterScope(work: AccountWork, subOrgId: string): Promise<TeamScope> {
  const { accountId, organizationId: only } = work.account
  const directory = await findDirectoryOfOrganization(work.platform, work.account, subOrgId)
  const organizationId = directory?.organizationId
  if (!organizationId || (only !== null && only !== organizationId)) throw httpErrors.organizationNotFound()
  return { accountId, organizationId }
}

/** The members on the roster of an organization, oldest first. */
export async function listRoster(work: TeamRequest, scope: TeamScope): Promise<Member[]> {
  return toMembers(work, await listMemberRows(work.db, scope))
}

/** A member as they should be on the roster. */
interface Wanted {
  /** The person's row on the roster; null if they are not on it yet. */
  row: MemberRow | null
  /** The account membership through which the person joins the roster. */
  account: MemberRow | null
  role: TeamRole
}

/**
 * Replaces the roster of an organization, all or nothing. Members who are not named leave the roster, and named
 * members of the account join it. Without a `role`, members keep their role on the roster, or get their role in the
 * account. Throws `invalid_request` for memberships that are unknown here or named twice, `last_owner`,
 * `privilege_escalation`.
 */
export async function replaceRoster(work: TeamRequest, scope: TeamScope, entries: RosterEntry[]): Promise<Member[]> {
  return inTeamTurn(work, async (work) => {
    await lockTeam(work.db, scope)
    await lockInvitedRows(work.db, scope, idsOf(entries).filter(isId))
    const present = await listMemberRows(work.db, scope)
    const wanted = await resolve(work, scope, present, entries)
    if (!wanted.some((each) => each.role === 'owner' && isActive(each)))
      throw memberErrors.lastOwner({
        detail: 'The roster would have no owner who has joined. Give the role owner to a member who has joined.',
      })
    const kept = new Set(wanted.map(({ row }) => row?.id))
    const gone = present.filter((row) => !kept.has(row.id))
    for (const row of gone) assertMayTouch(work, row)
    for (const each of wanted) assertMayPut(work, each)
    const ended = await takeOff(work, gone)
    const given = [...(await change(work, scope, wanted.filter(isPresent))), ...(await bringIn(work, scope, wanted))]
    const rows = await listMemberRows(work.db, scope)
    await recordMembers(work, scope.organizationId, [...ended, ...(await tellGiven(work, rows, given))])
    return toMembers(work, rows)
  })
}

function assertMayTouch({ caller }: TeamRequest, row: MemberRow): void {
  for (const role of rolesHeld(row)) assertMayActOn(caller, role)
}

function assertMayPut(work: TeamRequest, wanted: Wanted): void {
  const { row, account, role } = wanted
  if (row && !isJoining(wanted)) {
    if (row.role === role) return
    assertMayTouch(work, row)
    assertMayChange(work.caller, row.role, role)
    return
  }
  for (const each of [row, account]) if (each) assertMayTouch(work, each)
  assertMayGive(work.caller, role)
}

/** Whether the person is an active member of the new roster. */
const isActive = ({ row, account }: Wanted) => [row, account].some((each) => each?.status === 'active')

/** Whether a member of the account has an open invitation to the roster, and therefore joins at once. */
const isJoining = ({ row, account }: Wanted) => row?.status === 'invited' && account?.status === 'active'

const idsOf = (entries: RosterEntry[]) => entries.map(({ membershipId }) => membershipId.toLowerCase())

async function resolve(
  work: AccountTxWork & TeamRequest,
  scope: TeamScope,
  present: MemberRow[],
  entries: RosterEntry[],
): Promise<Wanted[]> {
  const ids = idsOf(entries)
  // A caller limited to this organization cannot find other members of the account. A caller that only names subOrgId
  // can.
  const isOrgWide = work.caller.organizationId === null
  const accounts = isOrgWide ? await findAccountMemberRows(work.db, scope, ids.filter(isId)) : []
  const wanted = entries.map(({ role }, i) => {
    const account = accounts.find((row) => row.id === ids[i]) ?? null
    const named = present.find((row) => row.membership_id === ids[i])
    // A person on the roster may have become a member of the account later. The roster has one row for each person.
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

/** Deletes the rows. Returns the changes to record. */
async function takeOff(work: AccountTxWork, rows: MemberRow[]): Promise<MemberChange[]> {
  const members = await membersForEvents(work, rows)
  await deleteMemberRows(work.db, work.account, ids(rows))
  await endMemberships(work, rows)
  return members.map((data) => ({ event: endEventOf(data), data }))
}

/** The event for a row of the roster. */
interface Given {
  id: string
  event: MemberChange['event']
  previous?: Partial<Member>
}

// The number of statements in these functions does not depend on the number of rows.

/** Changes rows of the roster. Returns the events to record. */
async function change(work: AccountTxWork, scope: TeamScope, present: Present[]): Promise<Given[]> {
  const { db } = work
  const rows = (which: (each: Present) => boolean) => present.filter(which).map(({ row }) => row)
  const isChanged = ({ row, role }: Present) => row.role !== role
  const joining = rows(isJoining)
  // A person who is also invited to the account joins the roster when they accept that invitation.
  const waiting = rows((each) => isPlaced(each) && each.row.status === 'invited' && !isJoining(each))
  await linkRowsToMembers(db, scope, ids(rows(isPlaced)))
  for (const role of TEAM_ROLES)
    await updateMemberRows(db, scope, ids(rows((each) => isChanged(each) && each.role === role)), { role })
  await endInvitations(work, [...joining, ...waiting])
  await updateMemberRows(db, scope, ids([...joining, ...waiting]), { invite_expires_at: null, invite_link_id: null })
  await updateMemberRows(db, scope, ids(joining), { status: 'active', joined_at: now })
  await endAccess(
    work,
    rows(({ row, role }) => !coversRole(row.role, role)),
  )
  const updated = rows((each) => isChanged(each) && !isJoining(each))
  return [
    ...joining.map(({ id }) => ({ id, event: memberEvents.added })),
    ...updated.map(({ id, role }) => ({ id, event: memberEvents.roleUpdated, previous: { role } })),
  ]
}

/** Adds members of the account to the roster. Returns the events to record. */
async function bringIn(work: AccountTxWork, scope: TeamScope, wanted: Wanted[]): Promise<Given[]> {
  const brought = wanted.flatMap(({ row, account, role }) =>
    row === null && account ? [{ id: newId(), account, role }] : [],
  )
  const rows = brought.map((each) => toPlacement(work, scope, each))
  await insertMemberRows(work.db, rows)
  return rows.map(({ id, status }) => ({
    id,
    event: status === 'active' ? memberEvents.added : memberEvents.invited,
  }))
}

type Present = Wanted & { row: MemberRow }

const isPresent = (wanted: Wanted): wanted is Present => wanted.row !== null

/** Whether the row is to be linked to the person's account membership. */
const isPlaced = ({ row, account }: Present) => account !== null && row.account_member_id !== account.id

const ids = (rows: MemberRow[]) => rows.map(({ id }) => id)

function toPlacement(
  work: AccountTxWork,
  { accountId, organizationId }: TeamScope,
  { id, account, role }: { id: string; account: MemberRow; role: TeamRole },
) {
  return {
    ...{ id, account_id: accountId, organization_id: organizationId, account_member_id: account.id },
    ...{ email: account.email, email_norm: account.email_norm, display_name: account.display_name },
    ...{ role, status: account.status },
    joined_at: account.status === 'active' ? now : null,
    // An invited person joins the roster when they accept the invitation to the account.
    ...(account.status === 'invited' ? inviterColumns(work) : {}),
  }
}

/** Completes the events with the rows' current data. */
async function tellGiven(work: AccountTxWork, rows: MemberRow[], given: Given[]): Promise<MemberChange[]> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const found = given.flatMap((each) => byId.get(each.id) ?? [])
  const members = new Map((await membersForEvents(work, found)).map((data, i) => [found[i]?.id, data]))
  return given.flatMap(({ id, event, previous }) => {
    const data = members.get(id)
    return data ? [{ event, data, previous }] : []
  })
}
