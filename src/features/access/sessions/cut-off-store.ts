import { type RawBuilder, sql } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import { recordEach } from '../../../platform/events/event-batch.ts'
import { causeOf, type Origin } from '../../../platform/events/origin.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { sessionEvents } from './events.ts'
import { asEnded } from './store.ts'

/** Which sessions of a directory have ended: those of a user, or of its organization, of an earlier epoch. */
export interface CutOff {
  /** Null for all of the organization. */
  userId: string | null
  epoch: number
  reason: string
}

/** A session that has ended by the bound, whose row does not say so yet. */
function unmarked({ userId, epoch }: CutOff, directory: Directory): RawBuilder<unknown> {
  const earlier =
    userId === null ? sql`organization_epoch < ${epoch}` : sql`user_id = ${userId} and user_epoch < ${epoch}`
  return sql`directory_id = ${directory.id} and revoked_at is null and ${earlier}`
}

/** Marks up to `limit` sessions: a query, to execute or to embed. */
export function markSessionRows(db: Db, directory: Directory, cutOff: CutOff, limit: number) {
  return (
    db
      .updateTable('sessions')
      .set(asEnded(cutOff.reason))
      .where('directory_id', '=', directory.id)
      .where('revoked_at', 'is', null)
      // As an array they are looked up by the primary key; else the planner may go through all sessions of the directory.
      .where(
        sql<boolean>`id = any(array(
          select id from sessions where ${unmarked(cutOff, directory)} order by created_at limit ${limit}))`,
      )
      .returning(['directory_id', 'id', 'user_id', 'auth_account_id'])
  )
}

/** How many are still to be marked, as far as `limit`. */
export async function countUnmarkedRows(tx: Tx, directory: Directory, cutOff: CutOff, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select 1 from sessions where ${unmarked(cutOff, directory)} limit ${limit}) unmarked`.execute(tx)
  return rows[0]?.count ?? 0
}

/** Begins a user's next epoch, with so many sessions at most. Returns it; null when there is no such user. */
export async function raiseUserEpoch(
  tx: Tx,
  directory: Directory,
  userId: string,
  atMost: number,
): Promise<number | null> {
  // Foreign table users: the end of all sessions of a user raises the epochs in their row.
  const row = await tx
    .updateTable('users')
    // The other epoch, too: a sign-in that began before must not pass.
    .set((eb) => ({ session_epoch: eb('session_epoch', '+', 1), epoch: eb('epoch', '+', 1), sessions_at_most: atMost }))
    .where('directory_id', '=', directory.id)
    .where('id', '=', userId)
    .returning('session_epoch')
    .executeTakeFirst()
  return row?.session_epoch ?? null
}

/** Raises the epoch by which sign-ins are judged that are under way. The user's row stays locked. */
export async function raiseSignInEpoch(tx: Tx, directory: Directory, userId: string): Promise<void> {
  // Foreign table users: the end of all sessions of a user raises the epochs in their row.
  await tx
    .updateTable('users')
    .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
    .where('directory_id', '=', directory.id)
    .where('id', '=', userId)
    .execute()
}

/** Takes live sessions of a user along into the epoch that has begun; those of others have epochs of their own. */
export async function keepSessionRows(
  tx: Tx,
  directory: Directory,
  kept: { userId: string; ids: string[] },
  epoch: number,
): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ user_epoch: epoch })
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', kept.userId)
    .where(sql<boolean>`id = any(${uuidArray(kept.ids)}::uuid[])`)
    .where('revoked_at', 'is', null)
    .where('user_epoch', '=', epoch - 1)
    .execute()
}

/** Sign-ins that read the state before are over after this time, which no transaction lasts. */
const SETTLING_SECONDS = 30

/** Keeps what is left to do. Only the row of a user is locked by sign-ins, so theirs settles at once. */
export async function insertCutOff(
  tx: Tx,
  { directory, origin }: { directory: Directory; origin: Origin },
  { id, userId, epoch, reason }: CutOff & { id: string },
): Promise<void> {
  const { requestId, endUser } = origin
  const { actor, via, onBehalfOf } = causeOf(origin)
  await sql`
    insert into session_cut_offs (directory_id, id, user_id, epoch, reason, actor_type, actor_id, via, on_behalf_of, request_id,
      ip_address, user_agent, ended_at, settles_at, looks_back_to)
    select ${directory.id}::uuid, ${id}::uuid, ${userId}::uuid, ${epoch}::int, ${reason}::text, ${actor.type}::text,
      ${actor.id}::text, ${via && JSON.stringify(via)}::jsonb, ${onBehalfOf && JSON.stringify(onBehalfOf)}::jsonb,
      ${requestId}::text, ${endUser.ip}::text, ${endUser.userAgent}::text, clock.at,
      clock.at + make_interval(secs => ${userId === null ? SETTLING_SECONDS : 0}), clock.at - interval '1 minute'
    from (select clock_now() as at) clock`.execute(tx)
}

const isSettled = sql<boolean>`settles_at <= clock_now()`

/** Those that have settled: after the process that was at work on them has ended, too. */
export const settledCutOffs = { table: 'session_cut_offs', key: 'id', isDue: isSettled, orderBy: 'settles_at' } as const

/** Whether it is of a user; undefined when nothing is left of it. */
export async function findCutOff(db: Db, directory: Directory, id: string): Promise<{ isOfUser: boolean } | undefined> {
  const row = await db
    .selectFrom('session_cut_offs')
    .select('user_id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { isOfUser: row.user_id !== null }
}

/**
 * Marks the next sessions, as many as there are ids for their events, and records these, in one statement: what is left
 * after any failure is what was not marked. They are taken by age, from where the statement before has stopped, since it
 * would come by all rows again that were marked before. Returns how many; null while another process is at it.
 */
export async function markBatch(
  db: Db,
  directory: Directory,
  cutOff: { id: string; isOfUser: boolean },
  eventIds: string[],
): Promise<number | null> {
  const earlier = cutOff.isOfUser
    ? sql`user_id = (select user_id from cut) and user_epoch < (select epoch from cut)`
    : sql`organization_epoch < (select epoch from cut)`
  const recorded = recordEach({
    directory,
    definition: sessionEvents.revoked,
    ids: eventIds,
    rows: 'announced',
    cause: 'cut',
    targetType: 'session',
    targetId: sql`announced.id`,
    data: sql`jsonb_build_object('id', announced.id, 'user_id', announced.auth_account_id, 'directory_user_id',
      announced.user_id, 'reason', cut.reason)`,
    at: sql`cut.ended_at`,
  })
  // Skips locked rows: the statement names its directory, so a distributed database accepts the lock.
  const { rows } = await sql<{ looked: number }>`
    with cut as materialized (
      select * from session_cut_offs where directory_id = ${directory.id} and id = ${cutOff.id}
      for update skip locked),
    looked as materialized (
      select id, created_at from sessions
      where directory_id = ${directory.id} and revoked_at is null and ${earlier}
        and created_at >= (select reached_at from cut)
      order by created_at limit ${eventIds.length}),
    marked as (
      update sessions set revoked_at = cut.ended_at, revoked_reason = cut.reason, successor_sealed = null
      from cut
      where sessions.directory_id = ${directory.id} and sessions.revoked_at is null
        and sessions.id = any(array(select id from looked))
      returning sessions.id, sessions.user_id, sessions.auth_account_id),
    announced as materialized (
      select *, row_number() over (order by id) as n from marked),
    reached as (
      update session_cut_offs set reached_at = last.created_at
      from (select max(created_at) as created_at from looked having count(*) > 0) last
      where session_cut_offs.directory_id = ${directory.id} and session_cut_offs.id = ${cutOff.id}),
    recorded as (${recorded})
    select (select count(*)::int from looked) as looked from cut`.execute(db)
  return rows[0]?.looked ?? null
}

/** Once all are marked: what has settled is done with, and anything else is looked at again when it has. */
export async function finishCutOff(db: Db, directory: Directory, id: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('session_cut_offs')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where(isSettled)
    .executeTakeFirst()
  if (numDeletedRows > 0n) return
  await db
    .updateTable('session_cut_offs')
    .set((eb) => ({ reached_at: eb.ref('looks_back_to') }))
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}
