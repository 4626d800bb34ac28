import { resolveAccount } from '../../platform/http/directory.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { invitationWithdrawn } from '../invites/invites.ts'
import { type Gate, loginErrors } from '../login/login.ts'
import type { UserRow } from '../users/users.ts'
import { recordMember, tellMember } from './access.ts'
import { memberEvents } from './events.ts'
import { activateRows, listRowsOfAddress } from './store.ts'
import { permissionsOf } from './team-roles.ts'

/** Joins what the link invites to. Throws `token_invalid` if the invitation was withdrawn. */
export async function joinTeam(work: TxWork, user: UserRow, linkId: string): Promise<void> {
  const { platform, directory } = work
  const scope = await resolveAccount(platform, { ...directory, organizationId: null }, null)
  // Recorded where the memberships are, which the route of an invitation does not declare.
  const account = { ...work, directory: scope, origin: { ...work.origin, recorded: [] } }
  const joined = await activateRows(work.db, scope, { emailNorm: user.email_norm, linkId })
  if (joined.length === 0) throw invitationWithdrawn()
  for (const row of joined) await recordMember(account, memberEvents.added, await tellMember(account, row))
}

/** Whether a user of the console directory is a member of the account or of a roster. */
export async function isOnTeam({ db, directory }: Pick<Work, 'db' | 'directory'>, emailNorm: string): Promise<boolean> {
  return (await listRowsOfAddress(db, directory, emailNorm)).some(({ status }) => status === 'active')
}

/** Only active members sign in to the console directory. Throws `user_inactive`. */
export const teamGate: Gate = {
  async judge({ db, directory }, { facts, method }) {
    if (directory.kind !== 'console' || method === 'invite') return null
    // A member who is removed is cut off, which the statement that makes the session sees.
    if (await isOnTeam({ db, directory }, facts.email.toLowerCase())) return null
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
