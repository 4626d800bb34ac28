import { type OperationNodeSource, sql } from 'kysely'
import { now } from '../../platform/db/now.ts'
import type { Tx } from '../../platform/db/pool.ts'
import type { Directory } from '../../platform/http/directory.ts'
import type { HeldUser, NewUserRow, UserChanges, UserRow } from './store.ts'

/** A common table expression. */
export interface Part {
  name: string
  query: OperationNodeSource
}

/** The user's row after the statement, and the rows that the parts named returned. */
export interface Outcome {
  user: HeldUser
  returned: Record<string, object[]>
}

/**
 * Runs what becomes of a user and of what hangs on them as one statement. `owner` writes the user's row, which the
 * caller has locked by an earlier one: what a sign-in committed before that is seen here.
 */
export async function runParts(
  tx: Tx,
  parts: Part[],
  owner: OperationNodeSource,
  returning: string[],
): Promise<Outcome> {
  const all = [...parts, { name: 'owner', query: owner }]
  const returned = returning.map(
    (name) => sql`${name}::text, (select coalesce(jsonb_agg(to_jsonb(part)), '[]') from ${sql.ref(name)} part)`,
  )
  // Here instead of in `returning`, where a distributed database takes no function that is not immutable.
  const { rows } = await sql<UserRow & { returned: Record<string, object[]> }>`
    with ${sql.join(all.map(({ name, query }) => sql`${sql.ref(name)} as (${query})`))}
    select owner.*, coalesce(owner.locked_until > clock_now(), false) as locked,
      jsonb_build_object(${sql.join(returned)}) as returned
    from owner`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('A user who is held is gone')
  const { returned: told, ...user } = row
  return { user: { ...user, held: true }, returned: told }
}

/** Changes the user's row and raises the epoch: a sign-in that started before does not pass. A query, to embed. */
export function changeRow(tx: Tx, directory: Directory, id: string, changes: UserChanges) {
  return tx
    .updateTable('users')
    .set({ ...changes, epoch: sql`epoch + 1` })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returningAll()
}

/** Deletes a row, to be inserted into another directory, which may lie on another node. A query, to embed. */
export function takeRow(tx: Tx, directory: Directory, id: string) {
  return tx.deleteFrom('users').where('directory_id', '=', directory.id).where('id', '=', id)
}

/** Inserts the row of a user who comes from another directory: a query, to embed. */
export function putRow(tx: Tx, directory: Directory, user: HeldUser, changes: Partial<NewUserRow>) {
  const { locked: _, held: __, ...row } = user
  return tx
    .insertInto('users')
    .values({
      ...row,
      metadata: JSON.stringify(row.metadata),
      ...changes,
      directory_id: directory.id,
      environment_id: directory.environmentId,
      version: row.version + 1,
      epoch: row.epoch + 1,
      updated_at: now,
    })
    .returningAll()
}
