import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { newId } from '../ids.ts'
import { enqueue } from '../jobs/queue.ts'
import type { Platform } from '../platform.ts'
import type { Directory } from '../tenancy/directory.ts'
import type { Work } from '../work.ts'

/**
 * The sealed messages of one channel that wait to be sent, in their own table. A message queued in a transaction is
 * sent after the commit. It is retried while it is useful, and then dropped.
 */
export interface Outbox<M extends { decoy: boolean }> {
  // Foreign tables mail_outbox, sms_outbox: each `Outbox` names the table that it owns.
  table: 'mail_outbox' | 'sms_outbox'
  /** The job that sends one message. */
  job: string
  /** Whether messages are only stored, to be read at /dev/mail: in development without a transport. */
  keeps(platform: Platform): boolean
  /** @returns the sealed message, or null if this release does not know its format. */
  read(value: unknown): M | null
}

/** The parts that do not depend on the content of an outbox's messages. */
export type AnyOutbox = Pick<Outbox<{ decoy: boolean }>, 'table' | 'job' | 'keeps'>

/** Puts a message into the outbox in the caller's transaction. */
export async function putIntoOutbox<M extends { decoy: boolean }>(
  { platform, directory, db }: Work,
  outbox: Outbox<M>,
  message: { kind: string; content: M },
  usefulSeconds: number,
): Promise<void> {
  const id = newId()
  const place = sealedPlaceOf(outbox.table, directory, id)
  const kept = outbox.keeps(platform)
  // Table by name: mail and text messages each define an `Outbox` with its own table.
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

/** Enqueues the sending of a message, at once or after a delay. A message has only one such job. */
export async function enqueueSending(
  db: Db,
  outbox: AnyOutbox,
  message: { directoryId: string; id: string },
  delayMs?: number,
): Promise<void> {
  const { directoryId, id } = message
  await enqueue(
    db,
    outbox.job,
    { directoryId, id },
    { key: sendingKey(outbox, id), ...(delayMs === undefined ? {} : { delayMs }) },
  )
}

/** The key of the job that sends a message. */
export function sendingKey(outbox: AnyOutbox, id: string): string {
  return `${outbox.job}/${id}`
}

/** The place to which a sealed message is bound. */
export function sealedPlaceOf(table: AnyOutbox['table'], directory: Directory, id: string) {
  return { table, column: 'message_sealed', row: `${directory.id}/${id}`, accountId: directory.accountId }
}
