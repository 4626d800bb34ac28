import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Db } from '../db/pool.ts'
import { type Directory, findDirectory } from '../http/directory.ts'
import type { Platform } from '../platform.ts'
import { mailPlace, sendingKey, type WaitingMail } from './outbox.ts'

const Message = Type.Object({
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
  decoy: Type.Boolean(),
})

/** A row of the outbox, opened. */
export interface OpenedMail extends WaitingMail {
  /** Past the time up to which it is worth sending. */
  expired: boolean
  ageMs: number
  attempts: number
}

/** The mail, or null when it has been sent or dropped. */
export async function findWaitingMail(
  platform: Platform,
  directory: Directory,
  id: string,
): Promise<OpenedMail | null> {
  const row = await selectMail(platform.db)
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ? openRow(platform, directory, row) : null
}

/** Mails that development keeps, the newest first, of every directory; decoys left out. */
export async function listKeptMails(platform: Platform, limit: number): Promise<OpenedMail[]> {
  const rows = await selectMail(platform.db).where('kept', '=', true).orderBy('id', 'desc').limit(limit).execute()
  const mails = await Promise.all(rows.map((row) => openKeptRow(platform, row)))
  return mails.filter((mail) => mail !== null).filter((mail) => !mail.decoy)
}

/** One mail that development keeps, or null. */
export async function findKeptMail(platform: Platform, id: string): Promise<OpenedMail | null> {
  const row = await selectMail(platform.db).where('kept', '=', true).where('id', '=', id).executeTakeFirst()
  const mail = row ? await openKeptRow(platform, row) : null
  return mail?.decoy ? null : mail
}

export async function deleteMail(db: Db, directory: Directory, id: string): Promise<void> {
  await db.deleteFrom('mail_outbox').where('directory_id', '=', directory.id).where('id', '=', id).execute()
}

/** Counts a failed try. False: the mail is gone. The reason is a code, never a server's words, which quote addresses. */
export async function noteFailedTry(db: Db, directory: Directory, id: string, reason: string): Promise<boolean> {
  const updated = await db
    .updateTable('mail_outbox')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), last_error: reason }))
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/** Drops up to `limit` mails that are of no use any more; what development keeps, a day later. Returns how many. */
export async function deleteExpiredMails(db: Db, limit: number): Promise<{ expired: number; deleted: number }> {
  const { rows } = await sql<{ kept: boolean }>`
    delete from mail_outbox where (directory_id, id) in (
      select directory_id, id from mail_outbox
      where useful_until <= clock_now() and (not kept or useful_until <= clock_now() - interval '1 day')
      order by useful_until limit ${limit} for update skip locked)
    returning kept`.execute(db)
  return { deleted: rows.length, expired: rows.filter((row) => !row.kept).length }
}

/** Mails that no job will send: there was no mail server when their job ran, or the job failed too often. */
export async function listForgottenMails(db: Db, limit: number): Promise<{ directoryId: string; id: string }[]> {
  const { rows } = await sql<{ directory_id: string; id: string }>`
    select directory_id, id from mail_outbox
    where not kept and useful_until > clock_now() and created_at < clock_now() - interval '1 minute'
      and not exists (
        select from graphile_worker.jobs where key = ${sendingKey('')} || mail_outbox.id and attempts < max_attempts)
    order by useful_until limit ${limit}`.execute(db)
  return rows.map((row) => ({ directoryId: row.directory_id, id: row.id }))
}

/** Age of the oldest mail that should have left; 0 when none waits. */
export async function oldestWaitingSeconds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from clock_now() - min(created_at)), 0)::float8 as seconds
    from mail_outbox where not kept and useful_until > clock_now()`.execute(db)
  return rows[0]?.seconds ?? 0
}

function selectMail(db: Db) {
  return db
    .selectFrom('mail_outbox')
    .select(['directory_id', 'id', 'kind', 'message_sealed', 'created_at', 'attempts'])
    .select(sql<boolean>`useful_until <= clock_now()`.as('expired'))
    .select(sql<number>`extract(epoch from clock_now() - created_at)::float8 * 1000`.as('age_ms'))
}

type MailRow = NonNullable<Awaited<ReturnType<ReturnType<typeof selectMail>['executeTakeFirst']>>>

async function openKeptRow(platform: Platform, row: MailRow): Promise<OpenedMail | null> {
  const directory = await findDirectory(platform, row.directory_id)
  return directory ? openRow(platform, directory, row) : null
}

async function openRow(platform: Platform, directory: Directory, row: MailRow): Promise<OpenedMail> {
  const opened = await platform.keyring.open(mailPlace(directory, row.id), row.message_sealed)
  const message: unknown = JSON.parse(opened)
  if (!isMessage(message)) throw new Error('A mail in the outbox has a form that this release does not know')
  const { id, kind, attempts, expired, created_at: createdAt, age_ms: ageMs } = row
  return { ...message, id, kind, attempts, expired, createdAt, ageMs, directoryId: directory.id }
}

function isMessage(value: unknown): value is Static<typeof Message> {
  return Value.Check(Message, value)
}
