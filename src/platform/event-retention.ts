import { sql } from 'kysely'
import { findMark } from './event-epoch.ts'
import type { JobHandler } from './jobs/queue.ts'
import type { Platform } from './platform.ts'

const DIRECTORIES = 500
const BATCH = 1000

/**
 * Removes events past their retention that are also before the oldest place from which the stream can be read: no reader
 * misses any. A directory at a time, since ids begin with when they were made, and lie in that order under the primary key.
 */
export const cleanUpEvents: JobHandler = {
  name: 'events.cleanup',
  cron: '41 4 * * *',
  async handle(platform) {
    const mark = await findMark(platform.db)
    if (!mark) return
    let after = '00000000-0000-0000-0000-000000000000'
    for (;;) {
      const ids = await listDirectories(platform, after)
      for (const id of ids) while ((await removeOld(platform, id, mark)) >= BATCH);
      const last = ids.at(-1)
      if (last === undefined) return
      after = last
    }
  },
}

/** Those that may have events so old. */
async function listDirectories({ db, config }: Platform, after: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from directories where id > ${after}
      and created_at < clock_now() - make_interval(days => ${config.eventRetentionDays})
    order by id limit ${DIRECTORIES}`.execute(db)
  return rows.map(({ id }) => id)
}

type Mark = NonNullable<Awaited<ReturnType<typeof findMark>>>

async function removeOld({ db, config }: Platform, directoryId: string, mark: Mark): Promise<number> {
  const days = config.eventRetentionDays
  const { numAffectedRows } = await sql`
    with over as (select clock_now() - make_interval(days => ${days}) as at)
    delete from events where directory_id = ${directoryId} and id in (
      select id from events where directory_id = ${directoryId} and created_at < (select at from over)
        and (epoch, tx_id) < (${mark.epoch}::bigint, ${mark.txId}::xid8)
        and id < (select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid from over)
      order by id limit ${BATCH})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
