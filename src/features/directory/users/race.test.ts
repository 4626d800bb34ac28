import { afterAll, expect, test } from 'vitest'
import { type Caller, caller, PATIENT_BOUNDS, startApp } from '../../../../test/harness.ts'
import { createLog } from '../../../platform/observability/log.ts'
import { buildApp } from '../../../wiring/app.ts'

const first = await startApp()
const t = await first.tenant()
const subOrgId = await t.organization()
const { db } = first.app.platform

// A second process of the same service, which only shares the database.
const second = await buildApp({
  config: first.app.platform.config,
  databaseUrl: first.databaseUrl,
  masterKeys: [first.masterKey],
  log: createLog({ logLevel: 'silent' }),
  strict: true,
  bounds: PATIENT_BOUNDS,
})
const address = await second.server.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => second.close())
const both: [Caller, Caller] = [t, caller(address, t.key)]

async function eventCount(type: string): Promise<number> {
  return (await first.events({ accountId: t.accountId, type })).length
}

test('of many creations of one address, one succeeds', async () => {
  for (let round = 0; round < 5; round++) {
    const before = await eventCount('user.created')
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        both[i % 2 ? 1 : 0].post('/v1/users', {
          subOrgId,
          email: i < 5 ? `r${round}@example.com` : `R${round}@EXAMPLE.com`,
        }),
      ),
    )
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
    expect(new Set(replies.filter((reply) => reply.status === 409).map((reply) => reply.body.code))).toEqual(
      new Set(['email_exists']),
    )
    expect(await eventCount('user.created')).toBe(before + 1)
  }
})

test('two bulks of the same people in opposite order create each person once', async () => {
  for (let round = 0; round < 5; round++) {
    const before = await eventCount('user.created')
    const users = Array.from({ length: 100 }, (_, i) => ({ email: `bulk${round}-${i}@example.com` }))
    const replies = await Promise.all([
      both[0].put('/v1/users', { subOrgId, users }),
      both[1].put('/v1/users', { subOrgId, users: users.toReversed() }),
    ])
    expect(replies.map((reply) => reply.status)).toEqual([200, 200])
    const created = replies.flatMap((reply) => reply.body.created.map((user: { email: string }) => user.email))
    const skipped = replies.flatMap((reply) => reply.body.skipped)
    expect(created.sort()).toEqual(users.map((user) => user.email).sort())
    expect(skipped.map((entry) => entry.email).sort()).toEqual(users.map((user) => user.email).sort())
    expect(new Set(skipped.map((entry) => entry.reason))).toEqual(new Set(['already_exists']))
    expect(await eventCount('user.created')).toBe(before + 100)
  }
})

test('of two moves of one user, one succeeds and the user is in one place', async () => {
  const targets = [await t.organization(), await t.organization()]
  for (let round = 0; round < 10; round++) {
    const { user } = (await t.post('/v1/users', { subOrgId, email: `move${round}@example.com` })).body
    const replies = await Promise.all(
      targets.map((targetSubOrgId, i) => both[i ? 1 : 0].post(`/v1/users/${user.id}`, { subOrgId, targetSubOrgId })),
    )
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 404])
    expect(replies.find((reply) => reply.status === 404)?.body.code).toBe('user_not_found')
    const winner = replies.findIndex((reply) => reply.status === 200)
    const rows = await db
      .selectFrom('users')
      .innerJoin('directories', 'directories.id', 'users.directory_id')
      .select('organization_id')
      .where('users.id', '=', user.id)
      .execute()
    expect(rows).toEqual([{ organization_id: targets[winner] }])
  }
  expect(await eventCount('user.moved')).toBe(20)
})

test('two people of one address moving to one organization: one arrives', async () => {
  const sources = [await t.organization(), await t.organization()]
  const target = await t.organization()
  for (let round = 0; round < 10; round++) {
    const users: { id: string }[] = []
    for (const source of sources)
      users.push((await t.post('/v1/users', { subOrgId: source, email: `meet${round}@example.com` })).body.user)
    const replies = await Promise.all(
      users.map((user, i) =>
        both[i ? 1 : 0].post(`/v1/users/${user.id}`, { subOrgId: sources[i], targetSubOrgId: target }),
      ),
    )
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409])
    expect(replies.find((reply) => reply.status === 409)?.body.code).toBe('email_exists')
    const left = await t.get(`/v1/users?email=meet${round}@example.com`)
    expect(left.body.users).toHaveLength(2)
  }
})

test('of two changes that name the version they read, one is made', async () => {
  const { user } = (await t.post('/v1/users', { subOrgId, email: 'version@example.com' })).body
  for (let version = 1; version <= 5; version++) {
    const replies = await Promise.all(
      both.map((process, i) =>
        process.patch(
          `/v1/users/${user.id}`,
          { subOrgId, displayName: `v${version} of ${i}` },
          { 'if-match': `"${version}"` },
        ),
      ),
    )
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 412])
  }
})
