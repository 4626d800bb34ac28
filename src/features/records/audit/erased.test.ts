import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { chainAll, tampering, verified } from '../../../../test/people/audit.ts'
import { eraseDue, eraseNow, requestErasure, waitForErasure } from '../../../../test/people/erasure.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newUser } from '../../../../test/people/people.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { newId } from '../../../platform/ids.ts'
import { endHold, holdOutgoing } from '../../../platform/lifecycle/deployment.ts'
import { chainEvents } from './chain.ts'

const app = await startApp()
const { platform } = app.app
const { db } = platform
const tenant = await app.tenant()
const [erased, other] = [await tenant.organization('erased'), await tenant.organization('other')]
for (const subOrgId of [erased, other]) for (let n = 0; n < 3; n++) await newUser(tenant, { subOrgId })
await tenant.withKey({ subOrgId: erased })
const { apiKey } = succeeded(
  await tenant.post('/v1/api-keys', { name: 'Own', scopes: ['users.read'], subOrgId: erased }),
)
await chainAll(platform)
await eraseNow(app, tenant, erased)
await chainAll(platform)

const BLANK = sql.raw(`data = '{}', previous = null, actor_type = 'erased', actor_id = null, via = null,
  on_behalf_of = null, request_id = null, ip_address = null, user_agent = null`)
const directoryOf = async (subOrgId: string) => {
  const { rows } = await sql<{ id: string }>`select d.id from directories d join environments e on e.id = environment_id
    where d.organization_id = ${subOrgId} and e.slug = 'production'`.execute(db)
  return rows[0]?.id ?? ''
}
const [of, elsewhere] = [await directoryOf(erased), await directoryOf(other)]
const idsOf = async (directoryId: string, type: string) => {
  const { rows } = await sql<{
    id: string
  }>`select id from events where directory_id = ${directoryId} and type = ${type}
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

async function foundAfter(tamper: (db: Db) => Promise<unknown>): Promise<string[]> {
  let kinds: string[] = []
  await tampering(db, tamper, async () => {
    await app.settled()
    await chainEvents(platform)
    kinds = (await verified(platform)).kinds
  })
  return kinds
}

test('what an erasure blanked agrees with the chain, and is reported with what covers it', async () => {
  const { kinds, erased: reported } = await verified(platform)
  expect(kinds).toEqual([])
  const [cover] = await idsOf(of, 'audit.erased')
  expect(reported).toContainEqual({
    directory: expect.objectContaining({ id: of, organizationId: erased }),
    organizationId: erased,
    events: 3,
    by: [{ id: cover, at: expect.stringMatching(/^\d{4}-/) }],
  })
  // At the account level, only events about the organization and its key are erased.
  const account = reported.find(({ directory }) => directory.kind === 'account')
  const { rows } = await sql<{ type: string }>`select type from events where directory_id = ${account?.directory.id}
    and actor_type = 'erased' order by id`.execute(db)
  expect(rows.map(({ type }) => type).toSorted()).toEqual([
    ...['api_key.created', 'organization.archived', 'organization.created'],
  ])
  expect(account?.events).toBe(3)
  expect(apiKey.id).toBeTruthy()
})

test('an event of another organization that was blanked is found', async () => {
  const [first] = await idsOf(elsewhere, 'user.created')
  const blank = (db: Db) =>
    sql`update events set ${BLANK} where directory_id = ${elsewhere} and id = ${first}`.execute(db)
  expect(await foundAfter(blank)).toEqual(['not_erased'])
})

const insertCover = (db: Db, data: object) =>
  sql`insert into events (directory_id, account_id, environment_id, id, type, actor_type, data)
    select id, account_id, environment_id, ${newId()}, 'audit.erased', 'system', ${JSON.stringify(data)}::jsonb
    from directories where id = ${elsewhere}`.execute(db)
const coverOf = async (directoryId: string): Promise<object> => {
  const { rows } = await sql<{ data: object }>`select data from events where directory_id = ${directoryId}
    and type = 'audit.erased' limit 1`.execute(db)
  return rows[0]?.data ?? {}
}

test.each([
  ['made up', async (ids: string[]) => ({ subOrgId: other, through: null, eventIds: ids, seal: 'ab'.repeat(32) })],
  ['that of another directory', async () => coverOf(of)],
  [
    'that of another directory, with other events',
    async (ids: string[]) => ({ ...(await coverOf(of)), through: null, eventIds: ids }),
  ],
  ['of another form', async () => ({ through: '*' })],
])('a cover that the service did not seal covers nothing, though it is chained: %s', async (_, make) => {
  const ids = await idsOf(elsewhere, 'user.created')
  const data = await make(ids)
  const kinds = await foundAfter(async (db) => {
    await sql`update events set ${BLANK} where directory_id = ${elsewhere} and type = 'user.created'`.execute(db)
    await insertCover(db, data)
  })
  expect(kinds.toSorted()).toEqual(['erasure_forged', ...ids.map(() => 'not_erased')])
})

test('without the event that covers them, blank events are found', async () => {
  const remove = (db: Db) => sql`delete from events where directory_id = ${of} and type = 'audit.erased'`.execute(db)
  expect((await foundAfter(remove)).toSorted()).toEqual(['not_erased', 'not_erased', 'not_erased', 'removed'])
})

test.each([
  ['type', sql`type = 'user.deleted'`],
  ['target', sql`target_id = 'another'`],
  ['time', sql`created_at = created_at - interval '1 second'`],
  ['actor', sql`actor_id = 'another'`],
  ['kind of actor', sql`actor_type = 'api_key'`],
  ['data', sql`data = '{"email":"eve@example.com"}'`],
])('nothing can be written into what is left of an erased event: %s', async (_, set) => {
  const [first] = await idsOf(of, 'user.created')
  const change = (db: Db) => sql`update events set ${set} where directory_id = ${of} and id = ${first}`.execute(db)
  expect(await foundAfter(change)).toEqual(['changed'])
})

test('the database takes no other change of an event than to blank it', async () => {
  const [first] = await idsOf(elsewhere, 'user.created')
  const row = sql`directory_id = ${elsewhere} and id = ${first}`
  for (const set of [sql`data = '{}'`, sql`${BLANK}, type = 'user.deleted'`, sql`${BLANK}, target_id = 'another'`])
    await expect(sql`update events set ${set} where ${row}`.execute(db)).rejects.toThrow('append-only')
})

test('an erasure that was scheduled in the database alone does not begin', async () => {
  const id = await tenant.organization('planted')
  const { rows: seals } = await sql<{ seal: Buffer }>`select erase_seal as seal from organizations
    where id = ${erased}`.execute(db)
  succeeded(await tenant.delete(`/v1/organizations/${id}`))
  await sql`update organizations set erase_at = clock_now() - interval '1 day', erase_seal = ${seals[0]?.seal}
    where id = ${id}`.execute(db)
  await expect(eraseDue(platform)).rejects.toThrow()
  // The seal of a cancelled schedule does not work either, after the organization is archived again.
  await requestErasure(tenant, await tenant.organization('due'))
  succeeded(await tenant.patch(`/v1/organizations/${id}`, { status: 'active' }))
  await requestErasure(tenant, id)
  const kept = await db
    .selectFrom('organizations')
    .select(['erase_at', 'erase_seal'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  for (const status of ['active', 'archived']) succeeded(await tenant.patch(`/v1/organizations/${id}`, { status }))
  await db.updateTable('organizations').set(kept).where('id', '=', id).execute()
  await waitForErasure(app)
  await expect(eraseDue(platform)).rejects.toThrow()
  expect((await tenant.get(`/v1/organizations/${id}`)).status).toBe(200)
  // Another organization that is due is erased nevertheless.
  expect(succeeded(await tenant.get('/v1/organizations?slug=due')).subOrganizations).toEqual([])
  await db.updateTable('organizations').set({ erase_at: null }).where('id', '=', id).execute()
})

test('no organization is erased while outgoing messages are held, and no slug is in the way', async () => {
  const name = 'Waits'
  const { id } = succeeded(await tenant.post('/v1/organizations', { name, slug: 'waits' })).subOrganization
  succeeded(await tenant.post('/v1/organizations', { name: 'In the way', slug: id }))
  await requestErasure(tenant, id)
  await waitForErasure(app)
  await platform.tx((tx) => holdOutgoing(platform, tx, 'requested'))
  await eraseDue(platform)
  expect((await tenant.get(`/v1/organizations/${id}`)).status).toBe(200)
  await platform.tx((tx) => endHold(platform, tx))
  await eraseDue(platform)
  expect((await tenant.get(`/v1/organizations/${id}`)).body.code).toBe('organization_not_found')
})
