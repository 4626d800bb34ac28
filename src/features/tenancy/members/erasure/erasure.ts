import { sql } from 'kysely'
import { uuidArray } from '../../../../platform/db/arrays.ts'
import type { Db, Tx } from '../../../../platform/db/pool.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { teamDirectory } from '../../../../platform/tenancy/directory.ts'
import { removeAtOnce } from '../../../directory/users/users.ts'
import { deleteMemberRows, lockTeam } from '../store.ts'

interface Roster {
  accountId: string
  organizationId: string
}

/** The roster of an organization that is being erased. */
export interface Leaving {
  membershipIds: string[]
  /** The links of invitations to the roster. */
  linkIds: string[]
  /** Addresses of people who are on the team only through this roster, with the time of their invitation. */
  invitedAt: Map<string, Date>
  /** The users of these people. */
  userIds: string[]
  authAccountIds: string[]
}

/** The people who leave the team with an organization. Members of the account or of another roster stay. */
export async function findLeaving(platform: Platform, db: Db, { accountId, organizationId }: Roster): Promise<Leaving> {
  const { rows } = await sql<{ id: string; link_id: string | null; email_norm: string; at: Date; stays: boolean }>`
    select id, invite_link_id as link_id, email_norm, created_at as at, exists (
      select from members other where other.account_id = ${accountId} and other.email_norm = members.email_norm
        and other.organization_id is distinct from ${organizationId}) as stays
    from members where account_id = ${accountId} and organization_id = ${organizationId}`.execute(db)
  const invitedAt = new Map(rows.flatMap(({ email_norm, at, stays }) => (stays ? [] : [[email_norm, at]])))
  const emailNorms = [...invitedAt.keys()]
  const team = await teamDirectory(platform, accountId)
  const users = emailNorms.length
    ? await db
        .selectFrom('users')
        .select(['id', 'auth_account_id'])
        .where('directory_id', '=', team.id)
        .where('email_norm', 'in', emailNorms)
        .execute()
    : []
  return {
    membershipIds: rows.map(({ id }) => id),
    linkIds: rows.flatMap(({ link_id }) => link_id ?? []),
    invitedAt,
    userIds: users.map(({ id }) => id),
    authAccountIds: users.flatMap(({ auth_account_id }) => auth_account_id ?? []),
  }
}

/** Removes the roster, with the users and former roles of the people who leave the team. Records no events. */
export async function removeRoster(platform: Platform, tx: Tx, roster: Roster): Promise<void> {
  const { accountId } = roster
  await lockTeam(tx, roster)
  const { membershipIds, linkIds, invitedAt, userIds } = await findLeaving(platform, tx, roster)
  const emailNorms = [...invitedAt.keys()]
  await deleteMemberRows(tx, roster, membershipIds)
  if (emailNorms.length)
    await tx
      .deleteFrom('former_team_roles')
      .where('account_id', '=', accountId)
      .where('email_norm', 'in', emailNorms)
      .execute()
  const { id: teamId } = await teamDirectory(platform, accountId)
  await removeAtOnce(platform, tx, teamId, userIds)
  // Foreign table links: invitations to the roster contain the person's address.
  await sql`delete from links where directory_id = ${teamId} and id = any(${uuidArray(linkIds)}::uuid[])`.execute(tx)
  // Foreign table idempotency_keys: replies that were stored for the members.
  for (const id of membershipIds) await sql`delete from idempotency_keys where api_key_id = ${id}`.execute(tx)
}
