import { type Insertable, sql } from 'kysely'
import type { Tx } from '../../platform/db/pool.ts'
import type { Environments } from '../../platform/db/schema.gen.ts'

export async function insertAccountRow(tx: Tx, id: string, name: string): Promise<void> {
  // Two first starts at once must not make two homes: one after the other.
  await sql`select pg_advisory_xact_lock(hashtext('watchword.accounts'))`.execute(tx)
  await tx
    .insertInto('accounts')
    .values({ id, name, home: sql<boolean>`not exists (select from accounts where home)` })
    .execute()
}

export async function insertEnvironmentRows(tx: Tx, rows: Insertable<Environments>[]): Promise<void> {
  await tx.insertInto('environments').values(rows).execute()
}
