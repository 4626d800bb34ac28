import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, until } from '../../test/harness.ts'
import { markEventStream } from './event-epoch.ts'
import { cleanUpEvents } from './event-retention.ts'

const DAY = 86_400
const service = await startApp({ env: { WATCHWORD_EVENT_RETENTION_DAYS: '40' } })
const { platform } = service.app
const { db } = platform

const cleanUp = () => cleanUpEvents.handle(platform, {}, 1)
const count = async () => Number((await db.selectFrom('events').select(db.fn.countAll().as('n')).executeTakeFirst())?.n)

/** Marks the stream where all that was recorded can be read: what is under way in any database of the cluster delays it. */
async function markToEnd(): Promise<void> {
  const end = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(db)
  const isMarked = async () => {
    const { rows } = await sql`select from event_marks where tx_id > ${end.rows[0]?.id}::text::xid8`.execute(db)
    return rows.length > 0
  }
  await until(async () => {
    await markEventStream.handle(platform, {}, 1)
    return isMarked()
  })
}

test('events go when their retention is over, of every directory, and not before', async () => {
  const [tenant, other] = [await service.tenant(), await service.tenant()]
  for (const each of [tenant, other]) await each.organization()
  const [{ directory_id: busy } = { directory_id: '' }] = await db.selectFrom('events').select('directory_id').execute()
  // More than a batch.
  await sql`insert into events (directory_id, account_id, environment_id, id, type, actor_type, data)
    select directory_id, account_id, environment_id, (left(id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, type, actor_type, data
    from events, generate_series(1, 2500) n where directory_id = ${busy}`.execute(db)
  const old = await count()
  await markToEnd()
  await service.advance(39 * DAY)
  await tenant.organization()
  const young = (await count()) - old
  await cleanUp()
  expect(await count()).toBe(old + young)
  await service.advance(1.5 * DAY)
  await cleanUp()
  expect(await count()).toBe(young)
  await cleanUp()
  expect(await count()).toBe(young)
})

test('a reader misses nothing by it: a cursor of before what is left is refused, later ones go on', async () => {
  const tenant = await service.tenant()
  const page = async (after?: string) => tenant.get(`/v1/events${after === undefined ? '' : `?after=${after}`}`)
  const slugsAfter = async (cursor: string) => {
    const { events } = (await page(cursor)).body
    return events.map((event: { data: { slug: string } }) => event.data.slug)
  }
  const old = (await page()).body.next_cursor
  await tenant.organization('first')
  await service.advance(5 * DAY)
  await markToEnd()
  // Beyond the mark, whatever else delays the stream in the cluster.
  await tenant.organization('between')
  const middle = await until(async () => {
    const { events, next_cursor } = (await page(old)).body
    return events.some((event: { data: { slug: string } }) => event.data.slug === 'between') && next_cursor
  })
  await tenant.organization('second')
  await service.advance(15 * DAY)
  await tenant.organization('third')
  await markToEnd()
  await service.advance(21 * DAY)
  await markToEnd()
  await cleanUp()
  expect((await page(old)).body.code).toBe('cursor_expired')
  expect(await slugsAfter(middle)).toEqual(['second', 'third'])
  // Past its retention, and after the last place that was marked: somebody may go on from there.
  await service.advance(5 * DAY)
  await markToEnd()
  await cleanUp()
  expect(await slugsAfter(middle)).toEqual(['second', 'third'])
  expect((await page(old)).body.code).toBe('cursor_expired')
})

test('the database refuses to change events, and to remove what the feed may still show', async () => {
  const tenant = await service.tenant()
  await tenant.organization()
  const { accountId } = tenant
  const change = () => sql`update events set type = 'changed' where account_id = ${accountId}`.execute(db)
  const remove = () => sql`delete from events where account_id = ${accountId}`.execute(db)
  for (const act of [change, remove]) await expect(act()).rejects.toThrow('events are append-only')
  await service.advance(34 * DAY)
  await expect(remove()).rejects.toThrow('events are append-only')
  await service.advance(2 * DAY)
  await expect(change()).rejects.toThrow('events are append-only')
  expect((await remove()).numAffectedRows).toBeGreaterThan(0n)
})
