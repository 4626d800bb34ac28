import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { Directory } from '../http/directory.ts'
import { newId } from '../ids.ts'
import { enqueue } from '../jobs/queue.ts'
import type { Platform } from '../platform.ts'
import type { Work } from '../work.ts'

/**
 * Messages of one channel that wait to leave, sealed, in a table of their own. What is queued in a transaction leaves
 * after its commit, is retried while it is of use, and is forgotten afterwards.
 */
export interface Outbox<M extends { decoy: boolean }> {
  table: 'mail_outbox' | 'sms_outbox'
  /** The job that sends one message. */
  job: string
  /** Development without a way out: messages stay, to be read at /dev/mail. */
  keeps(platform: Platform): boolean
  /** What was sealed, or null when this release does not know its form. */
  read(value: unknown): M | null
}

/** Anything about an outbox that does not depend on what its messages hold. */
export type AnyOutbox = Pick<Outbox<{ decoy: boolean }>, 'table' | 'job' | 'keeps'>

/** Puts a message into the outbox within the caller's transaction. */
export async function putIntoOutbox<M extends { decoy: boolean }>(
  { platform, directory, db }: Work,
  outbox: Outbox<M>,
  message: { kind: string; content: M },
  usefulSeconds: number,
): Promise<void> {
  const id = newId()
  const place = placeOf(outbox.table, directory, id)
  const kept = outbox.keeps(platform)
  await db
    .insertInto(outbox.table)
    .values({
      directory_id: directory.id,
      id,
      kind: message.kind,
      message_sealed: await platform.keyring.seal(place, JSON.stringify(message.content)),
      kept,
      useful_until: sql<Date>`clock_now() + make_interval(secs => ${usefulSeconds}::float8)`,
    })
    .execute()
  if (!kept) await enqueueSending(db, outbox, { directoryId: directory.id, id })
}

/** Has a message sent, soon or at the given time; there is one such job for a message. */
export async function enqueueSending(
  db: Db,
  outbox: AnyOutbox,
  message: { directoryId: string; id: string },
  runAt?: Date,
): Promise<void> {
  const { directoryId, id } = message
  await enqueue(db, outbox.job, { directoryId, id }, { key: sendingKey(outbox, id), ...(runAt ? { runAt } : {}) })
}

/** The key of the job that sends a message. */
export function sendingKey(outbox: AnyOutbox, id: string): string {
  return `${outbox.job}/${id}`
}

/** What a sealed message is bound to. */
export function placeOf(table: AnyOutbox['table'], directory: Directory, id: string) {
  return { table, column: 'message_sealed', row: `${directory.id}/${id}`, accountId: directory.accountId }
}
