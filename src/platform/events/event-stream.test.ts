import { type RawBuilder, sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { resolveReach } from '../tenancy/directory.ts'
import { openPosition, sealPosition } from './event-cursor.ts'
import { beginEventEpoch, markEventStream } from './event-epoch.ts'

const service = await startApp()
const { platform } = service.app
const { db } = platform
const tenant = await service.tenant()

async function slugs(after?: string) {
  const query = new URLSearchParams(after === undefined ? {} : { after })
  const { status, body } = await tenant.get(`/v1/events?${query}`)
  expect(status).toBe(200)
  return { seen: body.events.map((event: { data: { slug: string } }) => event.data.slug), cursor: body.next_cursor }
}

async function pretend(cluster: string) {
  await sql`update event_stream set cluster = ${cluster}`.execute(db)
}

/** Changes events, as only restoring a copy of the database can. */
async function rewriteEvents(change: RawBuilder<unknown>) {
  await sql`alter table events disable trigger events_append_only`.execute(db)
  await change.execute(db)
  await sql`alter table events enable trigger events_append_only`.execute(db)
}

/** Reads to the end of the stream, once an event of the organization with this slug can be read. */
async function readUpTo(slug: string, after?: string) {
  return until(async () => {
    const found = await slugs(after)
    return found.seen.includes(slug) ? found : null
  }, 20_000)
}

async function epochNow(): Promise<string> {
  return String((await db.selectFrom('event_stream').select('epoch').executeTakeFirstOrThrow()).epoch)
}

test('goes on in a database that was moved to a cluster whose transaction ids are lower', async () => {
  await beginEventEpoch(service.databaseUrl, platform.log)
  await tenant.organization('before')
  const { cursor } = await readUpTo('before')
  // Far ahead of the transaction ids that this cluster assigns.
  await rewriteEvents(sql`update events set tx_id = '999999999999'`)
  expect((await slugs()).seen).toEqual([])

  await pretend('another cluster')
  await beginEventEpoch(service.databaseUrl, platform.log)
  expect((await slugs()).seen).toEqual(['before'])
  await tenant.organization('after')
  const later = await readUpTo('after', cursor)
  // Older cursors stay valid, and new events come after the old ones.
  expect(later.seen).toEqual(['before', 'after'])
  const epochs = await db.selectFrom('events').select('epoch').orderBy('epoch').execute()
  const epoch = await epochNow()
  expect(epochs.map(({ epoch }) => String(epoch))).toEqual(['1', epoch])

  // Another start in the same cluster changes nothing.
  await beginEventEpoch(service.databaseUrl, platform.log)
  expect(await epochNow()).toBe(epoch)
})

test('a failover under a service that goes on is seen by the next reading, whoever reads the table meanwhile', async () => {
  const before = await epochNow()
  await db.transaction().execute(async (tx) => {
    // A dump has this lock as long as it runs.
    await sql`lock table events in access share mode`.execute(tx)
    await pretend('the primary that is gone')
    await slugs()
    expect(Number(await epochNow())).toBeGreaterThan(Number(before))
    await tenant.organization('during')
  })
  const rows = await db.selectFrom('events').select('epoch').where(sql`data->>'slug'`, '=', 'during').execute()
  expect(rows.map(({ epoch }) => String(epoch))).toEqual([await epochNow()])
})

test('of one backup restored twice, neither copy takes the cursors of the other', async () => {
  await tenant.organization('backed-up')
  const { cursor: kept } = await readUpTo('backed-up')
  await pretend('where the backup was made')
  const backup = await db.selectFrom('event_stream').selectAll().executeTakeFirstOrThrow()

  await beginEventEpoch(service.databaseUrl, platform.log)
  const first = await epochNow()
  await tenant.organization('lost')
  const { cursor: lost } = await readUpTo('lost', kept)

  await db.updateTable('event_stream').set(backup).execute()
  await rewriteEvents(sql`delete from events where epoch = ${first}`)
  await beginEventEpoch(service.databaseUrl, platform.log)
  expect(await epochNow()).not.toBe(first)
  await tenant.organization('restored')
  const refused = await tenant.get(`/v1/events?after=${lost}`)
  expect([refused.status, refused.body.code]).toEqual([400, 'cursor_expired'])
  expect(refused.body.detail).toContain('another copy of the database')
  expect((await readUpTo('restored', kept)).seen).toEqual(['restored'])

  // Nor if that copy has changed since.
  await pretend('where it was moved from')
  await beginEventEpoch(service.databaseUrl, platform.log)
  expect((await tenant.get(`/v1/events?after=${lost}`)).body.code).toBe('cursor_expired')
  expect((await readUpTo('restored', kept)).seen).toEqual(['restored'])
})

test('refuses a cursor ahead of what this database has come to', async () => {
  await tenant.organization('caught-up')
  const { cursor } = await readUpTo('caught-up')
  const caller = { ...tenant, environmentSlug: 'production', organizationId: null }
  const reach = await resolveReach(platform, caller, null)
  const position = openPosition(platform, reach, cursor)
  const ahead = { ...position, txId: String(BigInt(position.txId) + 1_000_000n) }
  const refused = await tenant.get(`/v1/events?after=${sealPosition(platform, reach, ahead)}`)
  expect([refused.status, refused.body.code]).toEqual([400, 'cursor_expired'])
  expect(refused.body.detail).toContain('another copy of the database')
  // At the very end there is nothing to read yet, and no reason to refuse.
  expect((await slugs(cursor)).seen).toEqual([])
})

test('a page ends with the event that makes it longer than 4 MB, and has at least one', async () => {
  const watched = await service.tenant()
  const subOrgId = await watched.organization()
  const { withKey } = watched
  const reader = await withKey({ subOrgId })
  // The request creates the directory.
  await watched.post('/v1/users', { subOrgId, email: 'large@example.com' })
  const add = async (data: number, previous: number) =>
    sql`insert into events (directory_id, id, type, actor_type, data, previous)
      select id, gen_random_uuid(), 'otp.settings.updated', 'system', jsonb_build_object('text', repeat('d', ${data})),
        jsonb_build_object('text', repeat('p', ${previous}))
      from directories where organization_id = ${subOrgId}`.execute(db)
  for (let n = 0; n < 6; n++) await add(500_000, 500_000)
  await add(9_000_000, 0)
  await add(10, 10)
  const read = async (after: string | null) => {
    const query = new URLSearchParams({ types: 'otp.settings.updated', ...(after === null ? {} : { after }) })
    const { body } = await reader.get(`/v1/events?${query}`)
    const sizes: number[] = body.events.map((event: { data: { text: string } }) => event.data.text.length)
    return { sizes, more: body.has_more, cursor: body.next_cursor }
  }
  const pages = await until(async () => {
    const pages = [await read(null)]
    for (let last = pages[0]; last?.more; last = pages.at(-1)) pages.push(await read(last.cursor))
    return pages.flatMap(({ sizes }) => sizes).length === 8 ? pages : null
  }, 20_000)
  const half = 500_000
  expect(pages.map(({ sizes, more }) => [sizes, more])).toEqual([
    [[half, half, half, half], true],
    [[half, half, 9_000_000], true],
    [[10], false],
  ])
})

test('rows of the release before get their place', async () => {
  const [event] = await db.selectFrom('events').selectAll().limit(1).execute()
  await sql`insert into events (directory_id, id, type, actor_type, data)
    values (${event?.directory_id}, gen_random_uuid(), 'test.old', 'system', '{}')`.execute(db)
  const old = await db.selectFrom('events').selectAll().where('type', '=', 'test.old').executeTakeFirstOrThrow()
  expect([old.account_id, old.environment_id]).toEqual([tenant.accountId, tenant.environmentId])
  // Transactions elsewhere in the cluster keep the marks before their start. The last test reads from these marks.
  await service.settled()
})

test('keeps a mark for each hour, and none that is older than it needs', async () => {
  await markEventStream.handle(platform, {}, 1)
  await service.advance(3600)
  await markEventStream.handle(platform, {}, 1)
  expect(await db.selectFrom('event_marks').selectAll().execute()).toHaveLength(2)
  // The newest of the old marks stays, because no reader is before it.
  for (let round = 0; round < 2; round++) {
    await service.advance(32 * 24 * 3600)
    await markEventStream.handle(platform, {}, 1)
    expect(await db.selectFrom('event_marks').selectAll().execute()).toHaveLength(2)
  }
})

test('a reader who is caught up may come back however late, unless something was recorded meanwhile', async () => {
  const { cursor } = await slugs()
  const caller = { ...tenant, environmentSlug: 'production', organizationId: null }
  const { epoch, txId } = openPosition(platform, await resolveReach(platform, caller, null), cursor)
  // The first position after everything that was read.
  const markAt = (place: bigint) =>
    db
      .insertInto('event_marks')
      .values({ epoch, tx_id: String(place) })
      .execute()
  await markAt(BigInt(txId) + 1n)
  await service.advance(31 * 24 * 3600)
  expect((await slugs(cursor)).seen).toEqual([])
  await markAt(BigInt(txId) + 2n)
  await service.advance(31 * 24 * 3600)
  expect((await tenant.get(`/v1/events?after=${cursor}`)).body.code).toBe('cursor_expired')
})
