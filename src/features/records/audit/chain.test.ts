import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { chainAll, headsNow, tampering, verified } from '../../../../test/people/audit.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { chainEvents } from './chain.ts'
import { PARTS } from './digest.ts'

const service = await startApp()
const second = await startSecondApp(service)
const { platform } = service.app
const { db } = platform
const tenant = await service.tenant()
const subOrgId = await tenant.organization('chained')
const { directoryId, ids } = await record(6)

/** Records events of the organization. Returns their ids, oldest first. */
async function record(count: number): Promise<{ directoryId: string; ids: string[] }> {
  for (let n = 0; n < count; n++) await tenant.post('/v1/users', { subOrgId, email: `u${n}-${count}@example.com` })
  await chainAll(platform)
  const { rows } = await sql<{ id: string; directory_id: string }>`select e.id, e.directory_id from events e
    join directories d on d.id = e.directory_id where d.organization_id = ${subOrgId} order by e.epoch, e.tx_id, e.id`.execute(
    db,
  )
  return { directoryId: rows[0]?.directory_id ?? '', ids: rows.map(({ id }) => id) }
}

/** Verifies after a change by someone with full access to the database. Returns the findings. */
async function foundAfter(tamper: (db: Db) => Promise<unknown>, heads = [] as Awaited<ReturnType<typeof headsNow>>) {
  let found: Awaited<ReturnType<typeof verified>> | null = null
  await tampering(db, tamper, async () => {
    found = await verified(platform, { heads })
  })
  expect((await verified(platform)).kinds).toEqual([])
  return found ?? (await verified(platform))
}

const at = (n: number) => ids[n] ?? ''
const event = (n: number) => sql`directory_id = ${directoryId} and id = ${at(n)}`

test('what nobody changed agrees with its chain, every event once', async () => {
  const { events, directories, kinds } = await verified(platform)
  const [all] = (
    await sql<{ count: number; directories: number }>`select count(*)::int as count,
    (select count(*)::int from directories) as directories from events`.execute(db)
  ).rows
  expect([kinds, events, directories]).toEqual([[], all?.count, all?.directories])
})

test('a process of the release before, whose digests cover fewer columns, adds no block', async () => {
  const columns = 'environment_id, epoch, tx_id, event_id, first_at, last_at, event_ids, digests, hash'
  const asBefore = sql`insert into audit_blocks (directory_id, seq, ${sql.raw(columns)})
    select directory_id, seq + 1, ${sql.raw(columns)} from audit_blocks
    where directory_id = ${directoryId} order by seq desc limit 1`
  await expect(asBefore.execute(db)).rejects.toMatchObject({ code: '23502', column: 'digest_version' })
  expect((await verified(platform)).kinds).toEqual([])
})

test('every column of an event is in its digest, and each in one part', async () => {
  const { rows } = await sql<{ column_name: string }>`select column_name from information_schema.columns
    where table_name = 'events' and table_schema = 'public'`.execute(db)
  const columns = Object.values<readonly string[]>(PARTS).flat()
  expect(columns.sort()).toEqual(rows.map(({ column_name }) => column_name).sort())
})

test.each([
  ['act', sql`type = 'user.deleted'`],
  ['act', sql`target_id = 'another'`],
  ['origin', sql`actor_id = 'another'`],
  ['origin', sql`ip_address = '203.0.113.9'`],
  ['origin', sql`request_id = null`],
  ['data', sql`data = data || '{"firstName":"Eve"}'`],
  ['previous', sql`previous = '{"firstName":"Eve"}'`],
  ['time', sql`created_at = created_at - interval '1 microsecond'`],
])('a row that was changed is found with its place: %s', async (part, set) => {
  const { findings } = await foundAfter((db) => sql`update events set ${set} where ${event(2)}`.execute(db))
  expect(findings).toEqual([
    expect.objectContaining({
      kind: 'changed',
      event: { id: at(2), at: expect.stringMatching(/^\d{4}-/), type: expect.any(String) },
      directory: expect.objectContaining({ id: directoryId, organizationId: subOrgId, organization: 'chained' }),
      detail: `What differs: ${part}.`,
    }),
  ])
})

test('a row that was removed is found, with when it was', async () => {
  const { findings } = await foundAfter((db) => sql`delete from events where ${event(3)}`.execute(db))
  expect(findings).toEqual([
    expect.objectContaining({
      kind: 'removed',
      event: { id: at(3), at: expect.stringMatching(/^\d{4}-/), type: null },
    }),
  ])
})

test('a row that was put in among old ones is found', async () => {
  const copy = sql`insert into events select (jsonb_populate_record(e, '{"id":"01900000-0000-7000-8000-000000000000"}')).*
    from events e where ${event(3)}`
  const { findings } = await foundAfter((db) => copy.execute(db))
  const inserted = { kind: 'inserted', event: expect.objectContaining({ id: '01900000-0000-7000-8000-000000000000' }) }
  expect(findings).toEqual([expect.objectContaining(inserted)])
})

test('so is one behind the last of a directory, and one in a directory without a chain', async () => {
  const silent = await tenant.organization('silent')
  await tenant.get(`/v1/users?subOrgId=${silent}`)
  await chainAll(platform)
  const late = (whose: ReturnType<typeof sql>) => sql`insert into events
    (directory_id, account_id, environment_id, id, type, actor_type, data, tx_id, epoch)
    select d.id, d.account_id, d.environment_id, gen_random_uuid(), 'user.created', 'system', '{}', c.tx_id, c.epoch
    from directories d join audit_cursors c on c.environment_id = d.environment_id where ${whose} limit 1`
  for (const whose of [sql`d.id = ${directoryId}`, sql`d.organization_id = ${silent}`])
    expect((await foundAfter((db) => late(whose).execute(db))).kinds).toEqual(['inserted'])
})

test('two rows that changed places are found, both', async () => {
  const [a, b] = [at(1), at(4)]
  const swap = sql`update events e set tx_id = other.tx_id, epoch = other.epoch from events other
    where e.directory_id = ${directoryId} and other.directory_id = ${directoryId}
      and ((e.id = ${a} and other.id = ${b}) or (e.id = ${b} and other.id = ${a}))`
  const { findings } = await foundAfter((db) => swap.execute(db))
  expect(findings.map(({ kind, event }) => [kind, event?.id]).sort()).toEqual(
    [
      ['moved', a],
      ['moved', b],
    ].sort(),
  )
})

test('a change that is covered up in the block is found by the chain, since it takes the key', async () => {
  const { kinds, findings } = await foundAfter(async (db) => {
    await sql`update events set type = 'user.deleted' where ${event(2)}`.execute(db)
    const { rows } = await sql<{ seq: number; event_ids: string[] }>`select seq, event_ids from audit_blocks
      where directory_id = ${directoryId} and ${at(2)}::uuid = any(event_ids)`.execute(db)
    const [{ seq, event_ids } = { seq: 0, event_ids: [] }] = rows
    const start = event_ids.indexOf(at(2)) * 96
    await sql`update audit_blocks set digests = overlay(digests placing ${Buffer.alloc(96, 7)} from ${start + 1}::int)
      where directory_id = ${directoryId} and seq = ${seq}`.execute(db)
  })
  expect(kinds).toContain('chain_broken')
  expect(findings.find(({ kind }) => kind === 'changed')?.event?.id).toBe(at(2))
})

test('an event that is taken out with its name in the block is found by the chain', async () => {
  const { kinds } = await foundAfter(async (db) => {
    await sql`delete from events where ${event(2)}`.execute(db)
    await sql`update audit_blocks set event_ids = array_remove(event_ids, ${at(2)}::uuid)
      where directory_id = ${directoryId}`.execute(db)
  })
  expect(kinds).toContain('chain_broken')
})

test('blocks that were removed, first, within or last, are found', async () => {
  await record(1)
  await record(2)
  const [{ seq: last } = { seq: 0 }] = (
    await sql<{ seq: number }>`select seq from audit_heads where directory_id = ${directoryId}`.execute(db)
  ).rows
  expect(last).toBeGreaterThan(2)
  const without = (seq: number) => (db: Db) =>
    sql`delete from audit_blocks where directory_id = ${directoryId} and seq = ${seq}`.execute(db)
  expect((await foundAfter(without(1))).kinds).toContain('blocks_removed')
  expect((await foundAfter(without(2))).kinds).toContain('blocks_removed')
  expect((await foundAfter(without(last))).kinds).toEqual(expect.arrayContaining(['tail_removed', 'inserted']))
  const withEvents = async (db: Db) => {
    await sql`delete from events where directory_id = ${directoryId} and id in (select unnest(event_ids) from audit_blocks
      where directory_id = ${directoryId} and seq = ${last})`.execute(db)
    await without(last)(db)
  }
  expect((await foundAfter(withEvents)).kinds).toEqual(['tail_removed'])
})

test('a tail that was cut off with its head is found by the heads that were kept elsewhere, and only so', async () => {
  const heads = await headsNow(platform)
  const own = heads.find(({ directory }) => directory === directoryId)
  const cut = async (db: Db) => {
    await sql`delete from events where directory_id = ${directoryId} and id in (select unnest(event_ids) from audit_blocks
      where directory_id = ${directoryId} and seq = ${own?.block})`.execute(db)
    await sql`delete from audit_blocks where directory_id = ${directoryId} and seq = ${own?.block}`.execute(db)
    await sql`update audit_heads h set seq = b.seq, hash = b.hash from audit_blocks b where h.directory_id = ${directoryId}
      and b.directory_id = ${directoryId} and b.seq = ${own?.block}::int - 1`.execute(db)
  }
  expect((await foundAfter(cut)).kinds).toEqual([])
  const { findings } = await foundAfter(cut, heads)
  expect(findings).toEqual([expect.objectContaining({ kind: 'tail_removed', block: own?.block })])
  // Newer events cause no findings, and neither does an older head.
  await record(3)
  expect((await verified(platform, { heads })).kinds).toEqual([])
  const forged = heads.map((head) => (head === own ? { ...head, hash: '00'.repeat(32) } : head))
  expect((await verified(platform, { heads: forged })).kinds).toEqual(['head_differs'])
  const foreign = { directory: '01900000-0000-7000-8000-000000000000', block: 1, hash: '00'.repeat(32) }
  expect((await verified(platform, { heads: [foreign] })).kinds).toEqual(['tail_removed'])
})

test('what the account’s own team does is chained too', async () => {
  await sql`insert into directories (id, account_id, environment_id, kind) select gen_random_uuid(), account_id,
    environment_id, 'console' from directories where id = ${directoryId} on conflict do nothing`.execute(db)
  const ofConsole = sql`directory_id = (select c.id from directories c join directories d on d.environment_id = c.environment_id
    where c.kind = 'console' and d.id = ${directoryId})`
  await sql`insert into events (directory_id, id, type, actor_type, data) select id, gen_random_uuid(), 'user.created',
    'system', '{}' from directories where id = (select c.id from directories c join directories d
      on d.environment_id = c.environment_id where c.kind = 'console' and d.id = ${directoryId})`.execute(db)
  await chainAll(platform)
  const { kinds } = await foundAfter((db) =>
    sql`update events set type = 'user.deleted' where ${ofConsole}`.execute(db),
  )
  expect(kinds).toEqual(['changed'])
})

test('a batch takes as many statements for many directories as for one', async () => {
  const organizations = await Promise.all(Array.from({ length: 12 }, async () => tenant.organization()))
  const statementsFor = async (some: string[]) => {
    for (const [n, id] of some.entries()) {
      const reply = await tenant.post('/v1/users', { subOrgId: id, email: `s${n}-${some.length}@example.com` })
      expect(reply.status).toBe(200)
    }
    // Open transactions elsewhere in the cluster would leave some events for a second batch.
    await service.settled()
    let chained = 0
    const texts = await recordStatements(async () => {
      chained = await chainEvents(platform)
    })
    expect(chained).toBe(some.length)
    return texts.filter((text) => /audit_|\bevents\b/.test(text)).length
  }
  await chainAll(platform)
  const one = await statementsFor(organizations.slice(0, 1))
  expect(await statementsFor(organizations)).toBe(one)
})

test('two processes that chain at the same time make one chain', async () => {
  const before = await verified(platform)
  for (const part of ['a', 'b', 'c']) {
    const users = Array.from({ length: 300 }, (_, n) => ({ email: `many-${part}${n}@example.com` }))
    expect((await tenant.put('/v1/users', { subOrgId, users })).status).toBe(200)
  }
  const several = [platform, second.app.platform]
  await Promise.all(Array.from({ length: 8 }, async (_, n) => chainEvents(several[n % 2] ?? platform)))
  await chainAll(platform)
  const { kinds, events } = await verified(platform)
  expect([kinds, events]).toEqual([[], before.events + 900])
  expect((await verified(second.app.platform)).kinds).toEqual([])
})

test('a batch that fails leaves nothing, and is made again', async () => {
  await tenant.post('/v1/users', { subOrgId, email: 'again@example.com' })
  await sql`create function fail_once() returns trigger language plpgsql as $$ begin raise exception 'a test'; end $$`.execute(
    db,
  )
  await sql`create trigger fail_once before insert or update on audit_heads execute function fail_once()`.execute(db)
  const cursors = () => db.selectFrom('audit_cursors').selectAll().orderBy('environment_id').execute()
  const before = await cursors()
  await expect(chainAll(platform)).rejects.toMatchObject({ cause: { message: 'a test' } })
  expect(await cursors()).toEqual(before)
  await sql`drop trigger fail_once on audit_heads`.execute(db)
  await chainAll(platform)
  expect((await verified(platform)).kinds).toEqual([])
})

test('the database refuses to change blocks, and to remove young ones', async () => {
  const change = sql`update audit_blocks set seq = seq + 1`.execute(db)
  await expect(change).rejects.toThrow('append-only')
  await expect(sql`delete from audit_blocks`.execute(db)).rejects.toThrow('append-only')
})

test('without the key of the deployment nothing verifies, and so nothing can be forged', async () => {
  const other = await startApp()
  const keys = { ...platform, keyring: other.app.platform.keyring }
  const kinds = new Set((await verified(keys)).kinds)
  expect([...kinds].sort()).toEqual(['chain_broken', 'changed'])
})
