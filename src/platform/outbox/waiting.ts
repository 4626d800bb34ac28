import { sql } from 'kysely'
import { changeInBatches, hasRow } from '../db/batches.ts'
import { skipLocked } from '../db/distributed.ts'
import type { Db } from '../db/pool.ts'
import type { Platform } from '../platform.ts'
import { type Directory, findDirectory } from '../tenancy/directory.ts'
import { type AnyOutbox, type Outbox, sealedPlaceOf, sendingKey } from './outbox.ts'

/** A decrypted row of an outbox. */
export type Waiting<M> = M & {
  id: string
  directoryId: string
  kind: string
  createdAt: Date
  /** Whether it is too late to send the message. */
  expired: boolean
  ageMs: number
  attempts: number
  /** The code of the last failed attempt. Null before the first attempt. */
  lastError: string | null
}

/** A message and its directory. */
export interface PlacedMessage<M> {
  directory: Directory
  message: Waiting<M>
}

/** Returns the message, or null if it was sent or dropped. */
export async function findWaiting<M extends { decoy: boolean }>(
  platform: Platform,
  outbox: Outbox<M>,
  directory: Directory,
  id: string,
): Promise<Waiting<M> | null> {
  const row = await selectWaiting(platform.db, outbox)
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ? openRow(platform, outbox, directory, row) : null
}

/** Selects the messages stored in development to list. */
export interface Asked {
  limit: number
  /** Only messages to this recipient. Null for all messages. */
  to: string | null
}

const PAGE = 100
/** Limits the pages read, so that a development with very many messages still responds. */
const PAGES_READ = 100

/** Lists messages stored in development, newest first, of every directory and including decoys. */
export async function listKept<M extends { decoy: boolean; to: string }>(
  platform: Platform,
  outbox: Outbox<M>,
  { limit, to }: Asked,
): Promise<Waiting<M>[]> {
  const wanted = to?.trim().toLowerCase()
  const found: Waiting<M>[] = []
  let next = selectWaiting(platform.db, outbox).where('kept', '=', true).orderBy('id', 'desc').limit(PAGE)
  // The recipient is sealed with the message, so SQL cannot search for it.
  for (let page = 0; page < PAGES_READ && found.length < limit; page++) {
    const rows = await next.execute()
    const messages = await Promise.all(rows.map((row) => openKeptRow(platform, outbox, row)))
    const opened = messages.filter((message) => message !== null)
    found.push(...opened.filter((message) => wanted === undefined || message.to.toLowerCase() === wanted))
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) break
    next = next.where('id', '<', last.id)
  }
  return found.slice(0, limit)
}

/** One message stored in development. Null if it does not exist or is a decoy. */
export async function findKept<M extends { decoy: boolean }>(
  platform: Platform,
  outbox: Outbox<M>,
  id: string,
): Promise<Waiting<M> | null> {
  const query = selectWaiting(platform.db, outbox).where('kept', '=', true).where('id', '=', id)
  const row = await query.executeTakeFirst()
  const message = row ? await openKeptRow(platform, outbox, row) : null
  return message?.decoy ? null : message
}

export async function deleteWaiting(db: Db, outbox: AnyOutbox, directory: Directory, id: string): Promise<void> {
  // Table by name: mail and text messages each define an `Outbox` with its own table.
  await db.deleteFrom(outbox.table).where('directory_id', '=', directory.id).where('id', '=', id).execute()
}

/**
 * Counts a failed attempt. The reason is a code, never a server's text, which quotes addresses.
 *
 * @returns false if the message no longer exists.
 */
export async function noteFailedTry(
  db: Db,
  outbox: AnyOutbox,
  directory: Directory,
  failed: { id: string; reason: string },
): Promise<boolean> {
  // Table by name: mail and text messages each define an `Outbox` with its own table.
  const updated = await db
    .updateTable(outbox.table)
    .set((eb) => ({ attempts: eb('attempts', '+', 1), last_error: failed.reason }))
    .where('directory_id', '=', directory.id)
    .where('id', '=', failed.id)
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/**
 * Drops up to `limit` expired messages. Messages stored in development are dropped a day later. Returns how many were
 * dropped, and the rows of messages that should have been sent.
 */
export async function deleteExpired(
  { db, database }: Pick<Platform, 'db' | 'database'>,
  outbox: AnyOutbox,
  limit: number,
): Promise<{ expired: Row[]; deleted: number }> {
  const table = sql.table(outbox.table)
  const isOver = sql`useful_until <= clock_now() and (not kept or useful_until <= clock_now() - interval '1 day')`
  // Table by name: mail and text messages each define an `Outbox` with its own table.
  const { rows } = await sql<Row & { kept: boolean }>`
    delete from ${table} where ${isOver} and (directory_id, id) in (
      select directory_id, id from ${table} where ${isOver}
      order by useful_until limit ${limit} ${skipLocked(database)})
    returning kept, directory_id, id, kind, message_sealed, created_at, attempts, last_error,
      true as expired, 0::float8 as age_ms`.execute(db)
  return { deleted: rows.length, expired: rows.filter((row) => !row.kept) }
}

/**
 * Decrypts dropped messages. Leaves out messages that can no longer be decrypted, such as those of an erased
 * organization.
 */
export async function openExpired<M extends { decoy: boolean }>(
  platform: Platform,
  outbox: Outbox<M>,
  rows: Row[],
): Promise<PlacedMessage<M>[]> {
  const opened = rows.map(async (row) => {
    const directory = await findDirectory(platform, row.directory_id)
    const message = directory && (await openRow(platform, outbox, directory, row).catch(() => null))
    return directory && message ? [{ directory, message }] : []
  })
  return (await Promise.all(opened)).flat()
}

/** The position of an iteration over waiting messages. */
export interface Visited {
  /** As text, because a Date has no microseconds. */
  usefulUntil: string
  id: string
}

/**
 * Lists the messages after a position for which no job is left. Their job ran while there was no transport or while
 * messages were held, or it failed too often. Messages that expire first come first.
 */
export async function listForgotten(
  db: Db,
  outbox: AnyOutbox,
  { limit, olderThanSeconds, after = null }: { limit: number; olderThanSeconds: number; after?: Visited | null },
): Promise<({ directoryId: string } & Visited)[]> {
  const isNext = after
    ? sql`useful_until >= ${after.usefulUntil}::timestamptz
      and (useful_until, id) > (${after.usefulUntil}::timestamptz, ${after.id}::uuid)`
    : sql`true`
  const { rows } = await sql<{ directoryId: string } & Visited>`
    select directory_id as "directoryId", id, useful_until::text as "usefulUntil"
    from ${sql.table(outbox.table)} as waiting
    where not kept and useful_until > clock_now() and ${isNext}
      and created_at <= clock_now() - make_interval(secs => ${olderThanSeconds})
      and not exists (select from graphile_worker.jobs
        where key = ${sendingKey(outbox, '')} || waiting.id and attempts < max_attempts)
    order by useful_until, id limit ${limit}`.execute(db)
  return rows
}

/** The number of waiting messages that have not expired. Includes decoys, whose rows look the same. */
export async function countWaiting(db: Db, outbox: AnyOutbox): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(outbox.table)} where not kept and useful_until > clock_now()`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Drops the messages that were created before this time, a batch at a time. Returns how many. */
export async function discardMessages(db: Db, outbox: AnyOutbox, createdBefore: Date, batch: number): Promise<number> {
  const table = sql.table(outbox.table)
  const isOlder = sql`not kept and created_at < ${createdBefore}`
  return changeInBatches({
    change: async () => {
      // Table by name: mail and text messages each define an `Outbox` with its own table.
      const { numAffectedRows } = await sql`
        delete from ${table} where ${isOlder} and (directory_id, id) in (
          select directory_id, id from ${table} where ${isOlder} limit ${batch})`.execute(db)
      return Number(numAffectedRows ?? 0)
    },
    isAnyLeft: () => hasRow(db, sql`${table} where ${isOlder}`),
  })
}

/** Age of the oldest message that should have been sent, or 0. */
export async function oldestWaitingSeconds(db: Db, outbox: AnyOutbox): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from clock_now() - min(created_at)), 0)::float8 as seconds
    from ${sql.table(outbox.table)} where not kept and useful_until > clock_now()`.execute(db)
  return rows[0]?.seconds ?? 0
}

function selectWaiting(db: Db, outbox: AnyOutbox) {
  return db
    .selectFrom(outbox.table)
    .select(['directory_id', 'id', 'kind', 'message_sealed', 'created_at', 'attempts', 'last_error'])
    .select(sql<boolean>`useful_until <= clock_now()`.as('expired'))
    .select(sql<number>`extract(epoch from clock_now() - created_at)::float8 * 1000`.as('age_ms'))
}

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof selectWaiting>['executeTakeFirst']>>>

async function openKeptRow<M extends { decoy: boolean }>(platform: Platform, outbox: Outbox<M>, row: Row) {
  const directory = await findDirectory(platform, row.directory_id)
  return directory ? openRow(platform, outbox, directory, row) : null
}

async function openRow<M extends { decoy: boolean }>(
  platform: Platform,
  outbox: Outbox<M>,
  directory: Directory,
  row: Row,
): Promise<Waiting<M>> {
  const opened = await platform.keyring.open(sealedPlaceOf(outbox.table, directory, row.id), row.message_sealed)
  const message = outbox.read(JSON.parse(opened))
  if (!message) throw new Error(`A row of ${outbox.table} has a form that this release does not know`)
  const { id, kind, attempts, expired, created_at: createdAt, age_ms: ageMs, last_error: lastError } = row
  return { ...message, id, kind, attempts, lastError, expired, createdAt, ageMs, directoryId: directory.id }
}
