import { resolveAccount } from '../../platform/http/directory.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { type Gate, loginErrors } from '../login/login.ts'
import type { UserRow } from '../users/users.ts'
import { describeMember, recordMember } from './access.ts'
import { memberEvents } from './events.ts'
import { activateRows, listRowsOfAddress } from './store.ts'
import { permissionsOf } from './team-roles.ts'

/** Whoever accepts an invitation joins all that they were invited to: they have proved the address. */
export async function joinTeam(work: TxWork, user: UserRow): Promise<void> {
  const { platform, directory } = work
  const scope = await resolveAccount(platform, { ...directory, organizationId: null }, null)
  // Recorded where the memberships are, which the route of an invitation knows nothing of.
  const account = { ...work, directory: scope, origin: { ...work.origin, recorded: [] } }
  for (const row of await activateRows(work.db, scope, user.email_norm))
    await recordMember(account, memberEvents.added, await describeMember(account, row))
}

/**
 * Nobody signs in to the console directory who is no member of anything any more, or has not accepted yet. Throws
 * `user_inactive`.
 */
export const teamGate: Gate = {
  async judge({ db, directory }, { facts, method }) {
    if (directory.kind !== 'console' || method === 'invite') return null
    const rows = await listRowsOfAddress(db, directory, facts.email.toLowerCase())
    // Who is removed is cut off, which the statement that makes the session sees.
    if (rows.some(({ status }) => status === 'active')) return null
    throw loginErrors.userInactive({ detail: 'No membership of the team is active: accept the invitation first.' })
  },
}

/** What a member may do, and is said in the token; of a person of several organizations what they joined first. */
export async function grantsOf({ platform, directory }: Tenant, email: string) {
  const rows = await listRowsOfAddress(platform.db, directory, email.toLowerCase())
  const active = rows.filter(({ status }) => status === 'active')
  const row = active.find(({ organization_id }) => organization_id === null) ?? active[0]
  return row ? { role: row.role, permissions: permissionsOf(row.role) } : { role: 'none', permissions: [] }
}

type Tenant = Pick<Work, 'platform' | 'directory'>
