import { resolveAccount } from '../../../platform/tenancy/directory.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { type Gate, loginErrors } from '../../access/login/login.ts'
import type { UserRow } from '../../directory/users/users.ts'
import { invitationWithdrawn } from '../../sign-in/invites/invites.ts'
import { memberForEvents, recordMember } from './access.ts'
import { memberEvents } from './events.ts'
import type { MemberRow } from './schema.ts'
import { activateRows, listRolesOfAddress, listRowsOfAddress } from './store.ts'
import { permissionsOf } from './team-roles/team-roles.ts'

/** Activates the memberships of an invitation link. Throws `token_invalid` if the invitation was withdrawn. */
export async function joinTeam(work: TxWork, user: UserRow, linkId: string): Promise<void> {
  const { platform, directory } = work
  const scope = await resolveAccount(platform, { ...directory, organizationId: null }, null)
  // Recorded in the directories of the memberships. The route that accepts an invitation does not declare these
  // events.
  const there = { ...work, account: scope, origin: { ...work.origin, recorded: [] } }
  const joined = await activateRows(work.db, scope, { emailNorm: user.email_norm, linkId })
  if (joined.length === 0) throw invitationWithdrawn()
  for (const row of joined) await recordMember(there, memberEvents.added, await memberForEvents(there, row))
}

/** Whether a user of the console directory has an active membership of the account or a roster. */
export async function isOnTeam({ db, directory }: Pick<Work, 'db' | 'directory'>, emailNorm: string): Promise<boolean> {
  return (await listRowsOfAddress(db, directory, emailNorm)).some(({ status }) => status === 'active')
}

/**
 * Refuses a sign-in to the console directory without an active membership. Returns the member's roles, which the gate
 * for second factors needs. Throws `user_inactive`.
 */
export const teamGate: Gate = {
  async evaluate({ db, directory }, { facts, method, session }) {
    if (directory.kind !== 'console') return null
    const rows = await listRolesOfAddress(db, directory, facts.email.toLowerCase())
    const isJoining = method === 'invite' && session === null
    const held = rows.filter(({ status, invite_expired }) => status === 'active' || (isJoining && !invite_expired))
    // A member who is removed after this check is cut off, and the statement that creates the session then fails.
    if (held.length === 0 && !isJoining)
      throw loginErrors.userInactive({
        detail: 'The person has no active team membership. The person must accept the invitation first.',
      })
    const teamRoles = [...held.map(toRoleHeld), ...rolesLost(rows)]
    return { kind: 'pass', conditions: [], deviceId: null, events: [], reply: {}, teamRoles }
  },
}

/**
 * The roles that a member has in the account and on rosters, with the role in the account first, and then the roles
 * that they have lost. `email` must be in lower case.
 */
export async function teamRolesOf({ directory, db }: Pick<Work, 'directory' | 'db'>, email: string) {
  const rows = await listRolesOfAddress(db, directory, email)
  const active = rows.filter(({ status }) => status === 'active')
  const [ofAccount, onRosters] = [true, false].map((of) =>
    active.filter((row) => (row.organization_id === null) === of),
  )
  return [...[...(ofAccount ?? []), ...(onRosters ?? [])].map(toRoleHeld), ...rolesLost(rows)]
}

const toRoleHeld = ({ role, role_held_since, in_production }: MemberRow) => ({
  role,
  since: role_held_since,
  until: null,
  inProduction: in_production,
})

/** All rows of a person have the same lost roles. */
const rolesLost = ([row]: Awaited<ReturnType<typeof listRolesOfAddress>>) =>
  (row?.former_roles ?? []).map(({ role, since, until }) => ({
    role,
    since: new Date(since),
    until: new Date(until),
    inProduction: true,
  }))

/**
 * The role and permissions in a member's token: those in the account, or else those on the roster that the member
 * joined first. Reads in the caller's transaction, where an accepted invitation already counts.
 */
export async function grantsOf({ directory, db }: Pick<Work, 'directory' | 'db'>, email: string) {
  const rows = await listRowsOfAddress(db, directory, email.toLowerCase())
  const active = rows.filter(({ status }) => status === 'active')
  const row = active.find(({ organization_id }) => organization_id === null) ?? active[0]
  return row ? { role: row.role, permissions: permissionsOf(row.role) } : { role: 'none', permissions: [] }
}
