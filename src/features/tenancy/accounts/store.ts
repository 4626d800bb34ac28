import { type Insertable, type InsertObject, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { DB, Environments } from '../../../platform/db/schema.gen.ts'

/** Locks until the transaction ends, so that accounts are created and taken over one at a time. */
export async function lockAccounts(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('watchword.accounts'))`.execute(tx)
}

export async function insertAccountRow(tx: Tx, id: string, name: string): Promise<void> {
  // Two concurrent first starts must not create two home accounts.
  await lockAccounts(tx)
  await sql`
    insert into accounts (id, name, home)
    select ${id}::uuid, ${name}::text, not exists (select from accounts where home)`.execute(tx)
}

export async function insertEnvironmentRows(tx: Tx, rows: Insertable<Environments>[]): Promise<void> {
  // Foreign table environments: an account is created with production and staging.
  await tx.insertInto('environments').values(rows).execute()
}

/** The deployment's first account, with its fixed environments. */
export async function findHomeAccountRow(db: Db) {
  return db
    .selectFrom('accounts')
    .innerJoin('environments as production', (join) =>
      join.onRef('production.account_id', '=', 'accounts.id').on('production.type', '=', 'production'),
    )
    .innerJoin('environments as staging', (join) =>
      join.onRef('staging.account_id', '=', 'accounts.id').on('staging.type', '=', 'staging'),
    )
    .select(['accounts.id', 'accounts.name', 'production.id as production_id', 'staging.id as staging_id'])
    .select(sql<boolean>`exists (select from members where members.account_id = accounts.id)`.as('has_members'))
    .where('accounts.home', '=', true)
    .executeTakeFirst()
}

/** Whether an account with this name has an owner. */
export async function hasOwnerRow(db: Db, accountName: string): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .innerJoin('members', 'members.account_id', 'accounts.id')
    .select('accounts.id')
    .where('accounts.name', '=', accountName)
    .where('members.role', '=', 'owner')
    .where('members.organization_id', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function renameAccountRow(tx: Tx, id: string, name: string): Promise<void> {
  await tx.updateTable('accounts').set({ name }).where('id', '=', id).execute()
}

export async function insertMemberRow(tx: Tx, row: InsertObject<DB, 'members'>): Promise<void> {
  // Foreign table members: an account is created with its first owner.
  await tx.insertInto('members').values(row).execute()
}

/** The id of the console directory, created if it is missing. */
export async function ensureConsoleDirectoryRow(
  tx: Tx,
  row: { id: string; account_id: string; environment_id: string },
): Promise<string> {
  // Foreign table directories: an account is created with its console directory.
  await tx
    .insertInto('directories')
    .values({ ...row, kind: 'console' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const found = await tx
    .selectFrom('directories')
    .select('id')
    .where('environment_id', '=', row.environment_id)
    .where('kind', '=', 'console')
    .executeTakeFirstOrThrow()
  return found.id
}

/**
 * Takes a directory id instead of a Directory, which cannot be resolved yet: this transaction may have created the
 * row.
 */
export async function insertConsoleUserRow(tx: Tx, row: InsertObject<DB, 'users'>): Promise<void> {
  // Foreign table users: the first owner of an account signs in as a user of the console directory.
  await tx.insertInto('users').values(row).execute()
}

/** The addresses of team members who look after the account: owners, administrators and developers. */
export async function listTeamAddresses(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('members')
    .select('email')
    .where('account_id', '=', accountId)
    .where('organization_id', 'is', null)
    .where('status', '=', 'active')
    .where('role', 'in', ['owner', 'admin', 'developer'])
    .orderBy('created_at')
    .limit(20)
    .execute()
  return rows.map((row) => row.email)
}
