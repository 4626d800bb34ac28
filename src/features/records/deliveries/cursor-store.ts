import { type RawBuilder, sql } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'

/** The environments that may have events to deliver. */
export async function listCursorEnvironments(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('webhook_cursors').select('environment_id').execute()
  return rows.map((row) => row.environment_id)
}

/** The position of an environment, locked until the transaction ends. Null if another process has locked it. */
export async function lockCursor(tx: Tx, environmentId: string, skips: RawBuilder<unknown>): Promise<Position | null> {
  const { rows } = await sql<Position>`
    select epoch, tx_id::text as "txId", event_id as id from webhook_cursors
    where environment_id = ${environmentId} ${skips}`.execute(tx)
  return rows[0] ?? null
}

export async function moveCursor(tx: Tx, environmentId: string, { epoch, txId, id }: Position): Promise<void> {
  await sql`update webhook_cursors set epoch = ${epoch}, tx_id = ${txId}::xid8, event_id = ${id}
    where environment_id = ${environmentId}`.execute(tx)
}

/** Creates the position if it is missing, and locks it until the transaction ends. */
export async function provideCursor(tx: Tx, environmentId: string, { epoch, txId, id }: Position): Promise<void> {
  await sql`insert into webhook_cursors (environment_id, epoch, tx_id, event_id)
    values (${environmentId}, ${epoch}, ${txId}::xid8, ${id}) on conflict do nothing`.execute(tx)
  await sql`select from webhook_cursors where environment_id = ${environmentId} for update`.execute(tx)
}

/** Whether any webhook in the environment is on. */
export async function hasListener(db: Db, environmentId: string): Promise<boolean> {
  const { rows } = await sql`
    select from webhooks where environment_id = ${environmentId} and enabled limit 1`.execute(db)
  return rows.length > 0
}

/** A webhook, with the fields that decide which events it receives. */
export interface Listener {
  id: string
  directory_id: string
  events: string[]
  listening_since: Date
  /** Whether it is a webhook of the account level, which receives events of the whole environment. */
  is_wide: boolean
}

/** The enabled webhooks of these directories and of the account level. */
export async function listListeners(db: Db, environmentId: string, directoryIds: string[]): Promise<Listener[]> {
  const { rows } = await sql<Listener>`
    select w.id, w.directory_id, w.events, w.listening_since, d.kind = 'account' as is_wide
    from webhooks w join directories d on d.id = w.directory_id
    where w.environment_id = ${environmentId} and w.enabled
      and (d.kind = 'account' or w.directory_id = any(${uuidArray(directoryIds)}::uuid[]))`.execute(db)
  return rows
}
