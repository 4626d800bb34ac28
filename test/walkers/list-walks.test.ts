import fc from 'fast-check'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { fillOrganization, settleTables } from '../large/rows.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail } from '../people/people.ts'
import { signedInUser } from '../people/sign-in.ts'
import { writeBetween } from '../write-between.ts'

const DAY = 86_400
/** With the rows that routes create, a few more than a page scans. */
const FILLED = 10_000
const EDGE = 24

const service = await startApp()
const tenant = await service.tenant()
const subOrgId = await tenant.organization('large')
const oldest = await inactiveUser()
await revokedInvite()
await service.advance(3 * DAY)

const client = new pg.Client({ connectionString: service.databaseUrl })
await client.connect()
afterAll(() => client.end())
const { rows: places } = await client.query<{ id: string; environment_id: string }>(
  'select id, environment_id from directories where organization_id = $1 and environment_id = $2',
  [subOrgId, tenant.environmentId],
)
const place = { directoryId: places[0]?.id ?? '', environmentId: places[0]?.environment_id ?? '' }
await fillOrganization(client, place, { users: FILLED })
// Every session so far has expired.
await service.advance(31 * DAY)
for (let n = 0; n < EDGE; n++) {
  succeeded(await tenant.post('/v1/users', { subOrgId, email: newEmail() }))
  if (n % 2) await inactiveUser()
  if (n % 2) await revokedInvite()
  if (n % 3 === 0) await signedInUser(service, tenant, subOrgId, newEmail())
}
await settleTables(client)

async function inactiveUser() {
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email: newEmail() }))
  return succeeded(await tenant.patch(`/v1/users/${user.id}`, { subOrgId, active: false })).user
}

async function revokedInvite(): Promise<void> {
  const { invite } = succeeded(await tenant.post('/v1/users/invites', { subOrgId, email: newEmail() }))
  succeeded(await tenant.delete(`/v1/users/invites/${invite.id}?subOrgId=${subOrgId}`))
}

interface List {
  path: string
  idsOf(body: Reply['body']): string[]
  table: string
  /** SQL of the ids that a walk must see, and of the rows that are removed and put back meanwhile, in the order of the list. */
  matching: string
  others: string
}

const idOf = ({ id }: { id: string }) => id

const sessions: List = {
  path: '/v1/sessions?',
  // Grouped by user. Each user has one session.
  idsOf: ({ users }) => users.flatMap(({ sessions }: { sessions: { id: string }[] }) => sessions.map(idOf)),
  table: 'sessions',
  matching: 'select id from sessions where idle_expires_at > clock_now() order by created_at, id',
  others: 'select id from sessions where idle_expires_at <= clock_now() order by created_at, id',
}

const lists: List[] = [
  {
    path: `/v1/users?updatedSince=${oldest.createdAt}&active=false`,
    idsOf: ({ users }) => users.map(idOf),
    table: 'users',
    matching: 'select id from users where deleted_at is null and not active order by updated_at, id',
    others: 'select id from users where deleted_at is null and active order by updated_at, id',
  },
  sessions,
  {
    path: '/v1/users/invites?status=revoked',
    idsOf: ({ invites }) => invites.map(idOf),
    table: 'links',
    matching: "select id from links where purpose = 'invite' and closed_at is not null order by created_at, id",
    others: "select id from links where purpose = 'invite' and closed_at is null order by created_at, id",
  },
]

for (const { table } of lists) await client.query(`create table removed_${table} as select * from ${table} where false`)

/** Removes rows of a list as a clean-up does, or puts those back that were removed. */
async function change({ table, others }: List, { count, from }: Write): Promise<void> {
  if (count > 0)
    await client.query(`with removed as (
      delete from ${table} where id = any(array(${others} offset ${from} limit ${count})) returning *)
      insert into removed_${table} select * from removed`)
  else
    await client.query(`with returned as (
      delete from removed_${table} where id = any(array(select id from removed_${table} order by id limit ${-count}))
      returning *)
      insert into ${table} select * from returned`)
}

interface Write {
  /** Rows to remove; less than 0: rows to put back. */
  count: number
  /** The place of the first one. */
  from: number
}

const write = fc.record({ count: fc.integer({ min: -20, max: 20 }), from: fc.constantFrom(0, 0, 5000, FILLED - 100) })
const walk = fc.record({
  writes: fc.array(write, { minLength: 1, maxLength: 6 }),
  order: fc.constantFrom('asc', 'desc'),
  limit: fc.constantFrom(3, 1000),
  inOne: fc.boolean(),
})

/** Follows a list to its end, while each of its statements comes after the next write. */
async function readThrough(list: List, { writes, order, limit, inOne }: Walk): Promise<string[]> {
  const path = `${list.path}&limit=${limit}&order=${order}${inOne ? `&subOrgId=${subOrgId}` : ''}`
  const ids: string[] = []
  const next = writes.values()
  const statements = new RegExp(`^\\s*select\\b.*\\bfrom "?${list.table}\\b.*\\blimit\\b`, 'is')
  await writeBetween(
    statements,
    () => change(list, next.next().value ?? { count: 5, from: 0 }),
    async () => {
      for (let cursor: string | null = ''; cursor !== null; ) {
        const body = succeeded(await tenant.get(`${path}${cursor && `&cursor=${cursor}`}`))
        ids.push(...list.idsOf(body))
        cursor = body.next_cursor
      }
    },
  )
  return ids
}

type Walk = typeof walk extends fc.Arbitrary<infer T> ? T : never

test.each(lists)('$path has each row exactly once, whatever others remove and add meanwhile', async (list) => {
  const { rows } = await client.query<{ id: string }>(list.matching)
  const expected = rows.map(idOf)
  expect(expected.length).toBeGreaterThan(5)
  await fc.assert(
    fc.asyncProperty(walk, async (walk) => {
      await change(list, { count: -FILLED, from: 0 })
      expect(await readThrough(list, walk)).toEqual(walk.order === 'asc' ? expected : expected.toReversed())
    }),
    { numRuns: 30, endOnFailure: true },
  )
})

test('a session whose user is gone is not listed, and is not the end of the list', async () => {
  const { path, matching, idsOf } = sessions
  await change(sessions, { count: -FILLED, from: 0 })
  const { rows } = await client.query<{ id: string }>(matching)
  await client.query(
    `delete from users where id in (select user_id from sessions where idle_expires_at <= clock_now())`,
  )
  const first = succeeded(await tenant.get(`${path}limit=1000`))
  const rest = succeeded(await tenant.get(`${path}limit=1000&cursor=${first.next_cursor}`))
  expect([...idsOf(first), ...idsOf(rest)]).toEqual(rows.map(idOf))
})
