import { sql } from 'kysely'
import { byteaArray } from '../../../platform/db/arrays.ts'
import type { Db } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/**
 * Stores the hash of an accepted assertion or message of a connection. Returns false if it was stored before; of any
 * number of concurrent requests, only one gets true. Also returns false if one of the hashes in `unless` is stored
 * with an expiry after `unless.after`.
 */
export async function insertAssertionRow(
  db: Db,
  directory: Directory,
  { connection_id, assertion_hash, expires_at }: { connection_id: string; assertion_hash: Buffer; expires_at: Date },
  unless: { hashes: Buffer[]; after: Date } = { hashes: [], after: expires_at },
): Promise<boolean> {
  const { rows } = await sql`
    insert into saml_assertions (directory_id, connection_id, assertion_hash, expires_at)
    select ${directory.id}::uuid, ${connection_id}::uuid, ${assertion_hash}::bytea, ${expires_at}::timestamptz
    where not ${hasNoted(directory, connection_id, unless)}
    on conflict do nothing
    returning connection_id`.execute(db)
  return rows.length === 1
}

function hasNoted(directory: Directory, connectionId: string, { hashes, after }: { hashes: Buffer[]; after: Date }) {
  return sql<boolean>`exists (
      select from saml_assertions
      where directory_id = ${directory.id}::uuid and connection_id = ${connectionId}::uuid
        and assertion_hash = any(${byteaArray(hashes)}::bytea[]) and expires_at > ${after}::timestamptz)`
}

/** Whether one of these hashes is stored with an expiry after `noted.after`. */
export async function isNoted(
  db: Db,
  directory: Directory,
  connectionId: string,
  noted: { hashes: Buffer[]; after: Date },
): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select ${hasNoted(directory, connectionId, noted)} as is`.execute(db)
  return rows[0]?.is === true
}

/** Stores the hashes of what a logout request names. If a hash is stored already, the later expiry counts. */
export async function insertLogoutRows(
  db: Db,
  directory: Directory,
  { hashes, ...row }: { connection_id: string; hashes: Buffer[]; expires_at: Date },
): Promise<void> {
  // Sorted, so that requests which store the same hashes cannot deadlock.
  const values = hashes
    .toSorted(Buffer.compare)
    .map((assertion_hash) => ({ ...row, assertion_hash, directory_id: directory.id }))
  await db
    .insertInto('saml_assertions')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(['directory_id', 'connection_id', 'assertion_hash'])
        .doUpdateSet({ expires_at: sql`greatest(saml_assertions.expires_at, excluded.expires_at)` }),
    )
    .execute()
}
