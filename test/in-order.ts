import { endReasons } from '../src/features/access/sessions/end-reasons.ts'
import { cutOff } from '../src/features/directory/users/changes/changes.ts'
import { findUserForUpdate, type HeldUser } from '../src/features/directory/users/users.ts'
import type { Platform } from '../src/platform/platform.ts'
import { inTx, type TxWork } from '../src/platform/work.ts'
import { until } from './harness.ts'
import { getWorkIn } from './work.ts'

/** Waits until so many statements wait for locks. */
export async function untilWaiting(platform: Platform, count: number): Promise<void> {
  await until(async () => {
    const { rows } = await platform.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return rows.length >= count
  })
}

/** Has the first request wait for the user's row, then the second, then lets both go. */
export async function inThisOrder<A, B>(
  platform: Platform,
  userId: string,
  first: () => Promise<A>,
  then: () => Promise<B>,
): Promise<[A, B]> {
  const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = platform.tx(async (tx) => {
    await tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
    held.resolve()
    await go.promise
  })
  await held.promise
  const one = first()
  await untilWaiting(platform, 1)
  const other = then()
  await untilWaiting(platform, 2).finally(() => go.resolve())
  await holding
  return Promise.all([one, other])
}

/**
 * Changes something in a transaction that holds a user, while a request that has read them before waits for their row.
 * Returns its answer.
 */
export async function changeDuring<T>(
  platform: Platform,
  userId: string,
  request: () => Promise<T>,
  change: (work: TxWork, user: HeldUser) => Promise<unknown>,
): Promise<T> {
  const { directory_id } = await platform.db
    .selectFrom('users')
    .select('directory_id')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const { answer } = await inTx(await getWorkIn(platform, directory_id), async (work) => {
    const user = await findUserForUpdate(work, userId)
    if (!user) throw new Error('Nobody is held')
    const answer = request()
    await untilWaiting(platform, 1)
    await change(work, user)
    return { answer }
  })
  return answer
}

/** Cuts a user off while a request that has read them before waits for their row. Returns its answer. */
export function cutOffDuring<T>(platform: Platform, userId: string, request: () => Promise<T>): Promise<T> {
  return changeDuring(platform, userId, request, (work, user) => cutOff(work, user, endReasons.revoked))
}
