import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, until } from '../../test/harness.ts'
import { beginEventEpoch, markEventStream } from './event-stream.ts'

const service = await startApp()
const { db } = service.app.platform
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

test('goes on in a database that was moved to a cluster whose transaction ids are lower', async () => {
  await beginEventEpoch(service.databaseUrl)
  await tenant.organization('before')
  const { cursor } = await until(async () => {
    const found = await slugs()
    return found.seen.includes('before') ? found : null
  }, 20_000)
  // As a restored copy has them: far ahead of what this cluster hands out.
  await sql`alter table events disable trigger events_append_only`.execute(db)
  await sql`update events set tx_id = '999999999999'`.execute(db)
  await sql`alter table events enable trigger events_append_only`.execute(db)
  expect((await slugs()).seen).toEqual([])

  await pretend('another cluster')
  await beginEventEpoch(service.databaseUrl)
  expect((await slugs()).seen).toEqual(['before'])
  await tenant.organization('after')
  const later = await until(async () => {
    const found = await slugs(cursor)
    return found.seen.includes('after') ? found : null
  }, 20_000)
  // Older cursors stay valid, and the new events come after the old ones.
  expect(later.seen).toEqual(['before', 'after'])
  expect(await db.selectFrom('events').select(['epoch']).orderBy('epoch').execute()).toEqual([
    { epoch: 1 },
    { epoch: 2 },
  ])

  // Starting again in the same cluster changes nothing.
  await beginEventEpoch(service.databaseUrl)
  expect(await db.selectFrom('event_stream').select('epoch').execute()).toEqual([{ epoch: 2 }])
})

test('rows of the release before get their place', async () => {
  const [event] = await db.selectFrom('events').selectAll().limit(1).execute()
  await sql`insert into events (directory_id, id, type, actor_type, data)
    values (${event?.directory_id}, gen_random_uuid(), 'test.old', 'system', '{}')`.execute(db)
  const old = await db.selectFrom('events').selectAll().where('type', '=', 'test.old').executeTakeFirstOrThrow()
  expect([old.account_id, old.environment_id]).toEqual([tenant.accountId, tenant.environmentId])
})

test('keeps a mark for each hour, and none that is older than it needs', async () => {
  await markEventStream.handle(service.app.platform, {}, 1)
  await service.advance(3600)
  await markEventStream.handle(service.app.platform, {}, 1)
  expect(await db.selectFrom('event_marks').selectAll().execute()).toHaveLength(2)
  await service.advance(32 * 24 * 3600)
  await markEventStream.handle(service.app.platform, {}, 1)
  expect(await db.selectFrom('event_marks').selectAll().execute()).toHaveLength(1)
})
