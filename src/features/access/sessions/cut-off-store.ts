import { type RawBuilder, sql } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import { recordEach } from '../../../platform/events/event-batch.ts'
import { causeOf, type Origin } from '../../../platform/events/origin.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { sessionEvents } from './events.ts'
import { asEnded } from './store.ts'

/** The sessions that have ended: sessions of a user, or of the whole organization, from before an epoch. */
export interface CutOff {
  /** Null for all users of the organization. */
  userId: string | null
  epoch: number
  reason: string
}

/** Sessions that ended because of their epoch, but whose rows are not marked as ended yet. */
function unmarked({ userId, epoch }: CutOff, directory: Directory): RawBuilder<unknown> {
  const earlier =
    userId === null ? sql`organization_epoch < ${epoch}` : sql`user_id = ${userId} and user_epoch < ${epoch}`
  return sql`directory_id = ${directory.id} and revoked_at is null and ${earlier}`
}

/** Marks up to `limit` sessions as ended. A query, to execute or to embed. */
export function markSessionRows(db: Db, directory: Directory, cutOff: CutOff, limit: number) {
  return (
    db
      .updateTable('sessions')
      .set(asEnded(cutOff.reason))
      .where('directory_id', '=', directory.id)
      .where('revoked_at', 'is', null)
      // With an array of ids, PostgreSQL uses the primary key. Otherwise it may scan all sessions of the directory.
      .where(
        sql<boolean>`id = any(array(
          select id from sessions where ${unmarked(cutOff, directory)} order by created_at limit ${limit}))`,
      )
      .returning(['directory_id', 'id', 'user_id', 'auth_account_id'])
  )
}

/** The number of sessions still to be marked, counted up to `limit`. */
export async function countUnmarkedRows(tx: Tx, directory: Directory, cutOff: CutOff, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select 1 from sessions where ${unmarked(cutOff, directory)} limit ${limit}) unmarked`.execute(tx)
  return rows[0]?.count ?? 0
}

/**
 * Begins a user's next epoch and sets the upper bound of the user's sessions to `atMost`. Returns the epoch; null if
 * there is no such user.
 */
export async function raiseUserEpoch(
  tx: Tx,
  directory: Directory,
  userId: string,
  atMost: number,
): Promise<number | null> {
  // Foreign table users: ending all sessions of a user raises the epochs in the user's row.
  const row = await tx
    .updateTable('users')
    // Raises the sign-in epoch as well: a sign-in that began before must fail.
    .set((eb) => ({ session_epoch: eb('session_epoch', '+', 1), epoch: eb('epoch', '+', 1), sessions_at_most: atMost }))
    .where('directory_id', '=', directory.id)
    .where('id', '=', userId)
    .returning('session_epoch')
    .executeTakeFirst()
  return row?.session_epoch ?? null
}

/** Raises the epoch that sign-ins in progress are compared with, so that they fail. The user's row stays locked. */
export async function raiseSignInEpoch(tx: Tx, directory: Directory, userId: string): Promise<void> {
  // Foreign table users: ending all sessions of a user raises the epochs in the user's row.
  await tx
    .updateTable('users')
    .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
    .where('directory_id', '=', directory.id)
    .where('id', '=', userId)
    .execute()
}

/**
 * Moves live sessions of a user to the epoch that has just begun, so that they go on. Sessions of other users are not
 * affected.
 */
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

/** Sign-ins that read the state before the cut-off have finished after this time, since no transaction takes longer. */
const SETTLING_SECONDS = 30

/**
 * Stores a cut-off whose sessions are still to be marked. Sign-ins lock the user's row but not the organization's, so
 * only a cut-off of a whole organization has to wait for sign-ins in progress.
 */
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

/**
 * Cut-offs that need not wait any longer. The job finds them here if the process that was marking their sessions has
 * ended.
 */
export const settledCutOffs = { table: 'session_cut_offs', key: 'id', isDue: isSettled, orderBy: 'settles_at' } as const

/** Whether the cut-off is for a single user; undefined if it is finished. */
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
 * Marks the next sessions, as many as `eventIds` has ids, and records their events, in one statement: after a
 * failure, exactly the unmarked sessions remain. Sessions are taken by age, from where the previous statement
 * stopped, so that sessions already marked are not read again. Returns how many sessions it took, or null while
 * another process works on the cut-off.
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

/**
 * Called when all sessions are marked. A settled cut-off is deleted. Any other is looked through again once it has
 * settled.
 */
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
