import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { chainAll, headsNow, tampering, verified } from '../../../../test/people/audit.ts'
import { markEventStream } from '../../../platform/events/event-epoch.ts'
import { cleanUpEvents } from './retention.ts'

const DAY = 86_400
const service = await startApp({ env: { WATCHWORD_EVENT_RETENTION_DAYS: '40' } })
const { platform } = service.app
const { db } = platform

const cleanUp = () => cleanUpEvents.handle(platform, {}, 1)
const count = async () => Number((await db.selectFrom('events').select(db.fn.countAll().as('n')).executeTakeFirst())?.n)

/**
 * Marks the event stream once everything recorded so far can be read. An open transaction in any database of the
 * cluster delays that.
 */
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
  // More events than one batch takes.
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
  // Waits until this event, which is beyond the mark, can be read. Other transactions in the cluster may delay the
  // stream.
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
  // The retention of these events is over, but a reader may still go on from the last marked position before them.
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

test('what went leaves an anchor, by which the rest still agrees with its chain, and which nobody can forge', async () => {
  const tenant = await service.tenant()
  const subOrgId = await tenant.organization()
  await tenant.post('/v1/users', { subOrgId, email: 'old@example.com' })
  await chainAll(platform)
  const heads = await headsNow(platform)
  await markToEnd()
  await service.advance(10 * DAY)
  await tenant.post('/v1/users', { subOrgId, email: 'young@example.com' })
  await chainAll(platform)
  const later = await headsNow(platform)
  await service.advance(31 * DAY)
  await markToEnd()
  await cleanUp()
  const { rows } = await sql<{ anchor_seq: number; seq: number }>`select anchor_seq, seq from audit_heads h
    join directories d on d.id = h.directory_id where d.organization_id = ${subOrgId}`.execute(db)
  expect(rows).toEqual([{ anchor_seq: 1, seq: 2 }])
  for (const kept of [[], heads, later]) expect((await verified(platform, { heads: kept })).kinds).toEqual([])
  // Removing more events, as if their retention were over, would need the key of the seal.
  const forge = async () => {
    await sql`delete from events e using audit_blocks b, audit_heads h, directories d where d.organization_id = ${subOrgId}
      and h.directory_id = d.id and b.directory_id = d.id and e.directory_id = d.id and e.id = any(b.event_ids)`.execute(
      db,
    )
    await sql`update audit_heads h set anchor_seq = h.seq, anchor_hash = h.hash from directories d
      where d.organization_id = ${subOrgId} and h.directory_id = d.id`.execute(db)
    await sql`delete from audit_blocks b using directories d where d.organization_id = ${subOrgId}
      and b.directory_id = d.id`.execute(db)
  }
  await tampering(db, forge, async () => {
    expect((await verified(platform)).kinds).toEqual(['anchor_broken'])
  })
})

test('an organization keeps its own for longer or shorter than others, and never for less than the feed needs', async () => {
  const tenant = await service.tenant()
  const [long, short, inherits] = [
    await tenant.organization(),
    await tenant.organization(),
    await tenant.organization(),
  ]
  const set = (path: string, body: object) => tenant.patch(`/v1/audit/settings${path}`, body)
  const get = async (subOrgId: string) => (await tenant.get(`/v1/audit/settings?subOrgId=${subOrgId}`)).body.settings
  for (const subOrgId of [long, short, inherits])
    await tenant.post('/v1/users', { subOrgId, email: 'kept@example.com' })
  expect((await set('', { subOrgId: long, retention_days: 60 })).body).toEqual({ settings: { retention_days: 60 } })
  expect((await set('', { subOrgId: short, retention_days: 35 })).status).toBe(200)
  expect((await set('/defaults', { retention_days: 50 })).status).toBe(200)
  for (const retention_days of [34, 0, 3651, 40.5, '40'])
    expect((await set('', { subOrgId: short, retention_days })).status).toBe(400)
  expect(await get(inherits)).toEqual({ retention_days: 50 })
  const kept = async () => {
    await markToEnd()
    await cleanUp()
    const { rows } = await sql<{ organization_id: string }>`select distinct d.organization_id from events e
      join directories d on d.id = e.directory_id where e.type = 'user.created'
        and d.organization_id = any(${[long, short, inherits]}::uuid[])`.execute(db)
    return rows.map(({ organization_id }) => organization_id).sort()
  }
  await markToEnd()
  await service.advance(34 * DAY)
  expect(await kept()).toHaveLength(3)
  await service.advance(2 * DAY)
  expect(await kept()).toEqual([long, inherits].sort())
  await service.advance(15 * DAY)
  expect(await kept()).toEqual([long])
  await service.advance(10 * DAY)
  expect(await kept()).toEqual([])
  expect((await verified(platform)).kinds).toEqual([])
})
