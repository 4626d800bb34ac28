import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { countUsersOfOrganizations } from '../../src/features/tenancy/organizations/user-counts.ts'
import { SESSION_SETTINGS } from '../../src/platform/db/session-settings.ts'
import { startApp } from '../harness.ts'
import { fillOrganization, settleTables } from '../large/rows.ts'
import { chainAll } from '../people/audit.ts'
import { succeeded } from '../people/factors.ts'
import { provisioned } from '../people/scim.ts'
import { recordQueries } from '../rules/sql-recorder.ts'
import { type Reading, readingsOf } from './rows-read.ts'

const USERS = 20_000

// What caches know stays known, so that no list reads it.
// Shared process: stops the clock of the process. `afterAll` restores it.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

const service = await startApp()
const { platform } = service.app
const tenant = await service.tenant()

const subOrgId = await tenant.organization('large')
const scim = await provisioned(service, tenant, subOrgId)
const role = succeeded(
  await tenant.post('/v1/rbac/roles', { subOrgId, name: 'Reader', permissions: ['audit:read'] }),
).role
// Its event is the pattern of those of all others.
succeeded(await tenant.post('/v1/users', { subOrgId, email: 'first@large.example', firstName: 'First' }))
const { webhook } = succeeded(
  await tenant.post('/v1/webhooks', { subOrgId, name: 'All', url: 'https://hooks.example.com', events: ['user.*'] }),
)

// A session without the bounds of requests: `vacuum` and the count of everything take longer on a busy machine.
const client = new pg.Client({ connectionString: service.databaseUrl })
await client.connect()
afterAll(() => client.end())
succeeded(await scim.call('GET', '/Users'))
const { rows: places } = await client.query<{ id: string; environment_id: string }>(
  'select id, environment_id from directories where organization_id = $1 and environment_id = $2',
  [subOrgId, tenant.environmentId],
)
const place = { directoryId: places[0]?.id ?? '', environmentId: places[0]?.environment_id ?? '' }
await fillOrganization(client, place, { users: USERS, roleId: role.id, webhookId: webhook.id })
for (let n = 0; n < 30; n++) await tenant.organization(`small-${n}`)
await settleTables(client)
await chainAll(platform)
await countUsersOfOrganizations.handle(platform, {}, 1)
for (const name of ['enable_seqscan', 'jit', 'max_parallel_workers_per_gather'] as const)
  await client.query(`set ${name} = '${SESSION_SETTINGS[name]}'`)

const {
  users: [person],
} = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=person2@large.example`))
const since = new Date(Date.parse(person.createdAt) + (USERS - 30) * 1000).toISOString()
const [anHourAgo, tomorrow] = [-1, 24].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString())

const inOne = `subOrgId=${subOrgId}&limit=50`
const whole = 'limit=50'

/** A page of 50 with what is joined to its rows. */
const PAGE = 400
/** Candidates of a search, and a page. */
const SEARCH = 5001 + PAGE
/** Rows that a filter without an index looks at, or that a total counts, with the rows of two tables beside each. */
const LOOK = 3 * 10_001 + PAGE

const routes: [string, number][] = [
  ...[inOne, whole].flatMap((scope): [string, number][] => [
    [`/v1/users?${scope}`, PAGE],
    [`/v1/users?${scope}&order=desc`, PAGE],
    [`/v1/users?${scope}&q=person19999`, PAGE],
    [`/v1/users?${scope}&q=nobody`, 0],
    [`/v1/users?${scope}&q=Ada+Family7`, PAGE],
    [`/v1/users?${scope}&q=person`, SEARCH],
    [`/v1/users?${scope}&q=%2B14150000019`, PAGE],
    [`/v1/users?${scope}&email=person77@large.example`, 4],
    [`/v1/users?${scope}&externalId=person-77`, 4],
    [`/v1/users?${scope}&externalId=nobody`, 0],
    [`/v1/users?${scope}&updatedSince=${since}`, PAGE],
    [`/v1/users?${scope}&updatedSince=${since}&order=desc`, PAGE],
    [`/v1/users?${scope}&updatedSince=${tomorrow}`, 0],
    [`/v1/users?${scope}&updatedSince=${since}&q=person19999`, PAGE],
    [`/v1/users?${scope}&updatedSince=${since}&active=false`, PAGE],
    [`/v1/users?${scope}&active=true`, PAGE],
    [`/v1/users?${scope}&active=false`, PAGE],
    [`/v1/users?${scope}&role=admin`, PAGE],
    [`/v1/users?${scope}&role=admin&active=false`, PAGE],
    [`/v1/users?${scope}&role=member`, PAGE],
    [`/v1/users?${scope}&deleted=true`, PAGE],
    [`/v1/users?${scope}&deleted=true&updatedSince=${tomorrow}`, 0],
    [`/v1/users?${scope}&include_total=true`, 10_001],
    [`/v1/users?${scope}&q=person19999&include_total=true`, PAGE],
    [`/v1/users?${scope}&q=person&include_total=true`, 20_002],
    [`/v1/users?${scope}&active=false&include_total=true`, PAGE],
    [`/v1/users?${scope}&role=member&include_total=true`, 10_001],
    [`/v1/users?${scope}&updatedSince=${since}&include_total=true`, PAGE],
    [`/v1/users/invites?${scope}`, PAGE],
    [`/v1/users/invites?${scope}&status=accepted`, PAGE],
    // Each with its user.
    [`/v1/users/invites?${scope}&status=revoked`, LOOK + 10_001],
    [`/v1/users/invites?${scope}&email=person100@large.example`, 4],
    [`/v1/users/invites?${scope}&include_total=true`, LOOK],
    [`/v1/sessions?${scope}`, PAGE],
    [`/v1/sessions?${scope}&userId=${person.id}`, PAGE],
    [`/v1/sessions?${scope}&userId=${person.userId}`, PAGE],
    [`/v1/sessions?${scope}&include_total=true`, 2 * LOOK],
    // Followers of the stream look at 5000 events, of which each is then read.
    [`/v1/sessions/revocations?${scope}`, LOOK],
    [`/v1/events?${scope}`, PAGE],
    [`/v1/events?${scope}&types=user.updated`, LOOK],
    [`/v1/events?${scope}&types=user.deleted`, LOOK],
    [`/v1/audit/events?${scope}`, PAGE],
    [`/v1/audit/events?${scope}&user_id=${person.id}`, LOOK],
    [`/v1/audit/events?${scope}&q=person19999`, LOOK],
    [`/v1/audit/events?${scope}&types=user.updated`, LOOK],
    [`/v1/audit/events?${scope}&from=${anHourAgo}`, LOOK],
    [`/v1/audit/events?${scope}&to=${anHourAgo}`, LOOK],
    [`/v1/audit/events?${scope}&request_id=req_77`, LOOK],
    [`/v1/audit/events?${scope}&on_behalf_of=77`, LOOK],
    [`/v1/audit/events?${scope}&actor_id=${person.id}`, LOOK],
    [`/v1/webhooks?${scope}`, PAGE],
    [`/v1/mail/suppressions?${scope}`, PAGE],
    [`/v1/mail/suppressions?${scope}&order=desc`, PAGE],
    [`/v1/mail/suppressions?${scope}&email=person77@large.example`, 8],
    [`/v1/mail/suppressions?${scope}&include_total=true`, LOOK],
    [`/v1/sso/connections?${scope}`, PAGE],
    [`/v1/organizations?${scope}`, PAGE],
    [`/v1/organizations?${scope}&include_total=true`, PAGE],
    [`/v1/members?${scope}`, PAGE],
    [`/v1/api-keys?${scope}`, PAGE],
    [`/v1/environments?${scope}`, PAGE],
  ]),
  // The last block of the chain, behind which no event is.
  [`/v1/audit/events?${whole}&from=${tomorrow}`, 3],
  [`/v1/organizations/${subOrgId}`, PAGE],
  [`/v1/organizations?slug=large`, PAGE],
  [`/v1/rbac/roles?${inOne}`, PAGE],
  [`/v1/rbac/roles?${inOne}&include_total=true`, PAGE],
  [`/v1/rbac/roles/${role.id}`, PAGE],
  [`/v1/users/${person.id}/identities?${inOne}`, PAGE],
  [`/v1/webhooks/${webhook.id}?deliveries=true&limit=50`, PAGE],
  [`/v1/scim/logs?subOrgId=${subOrgId}&limit=1&order=desc`, PAGE],
  ['/Users?filter=userName+eq+%22person1010@large.example%22', PAGE],
  ['/Users?filter=externalId+eq+%22entra-person-1010%22', PAGE],
  ['/Users?filter=emails.value+eq+%22person1010@large.example%22', PAGE],
  ['/Users?filter=userName+sw+%22person101%22', PAGE],
  ['/Users?filter=active+eq+false', PAGE],
  ['/Groups?count=50&excludedAttributes=members', PAGE],
  ['/Groups?filter=displayName+eq+%22Group+3%22&excludedAttributes=members', PAGE],
]

const READS = /^\s*(select|with)\b/i
// Statements that write, those of jobs, and those with which other tests of the process watch the server.
const WRITES = /\b(insert into|update|delete from|graphile_worker|pg_stat_activity)\b/i

async function readingsOfRoute(path: string): Promise<Reading[]> {
  const queries = await recordQueries(async () => {
    const before = service.logLines.length
    const reply = path.startsWith('/v1') ? await tenant.get(path) : await scim.call('GET', path)
    expect(reply.status, service.logLines.slice(before).join('\n')).toBe(200)
  })
  const readings: Reading[] = []
  for (const query of queries) {
    if (!READS.test(query.text) || WRITES.test(query.text)) continue
    readings.push(...(await readingsOf(client, query)))
  }
  return readings
}

test.each(routes)('%s reads at most %i rows', async (path, rows) => {
  const readings = await readingsOfRoute(path)
  expect(readings.length).toBeGreaterThan(0)
  for (const reading of readings) expect(reading.rows, reading.plan).toBeLessThanOrEqual(rows)
})

/** Follows a list to its end. Returns the ids, and how many pages they were on. */
async function readAll(path: string, key: string) {
  const ids: string[] = []
  let pages = 0
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const body = succeeded(await tenant.get(`${path}${cursor && `&cursor=${cursor}`}`))
    ids.push(...body[key].map((row: { id: string }) => row.id))
    expect(body.has_more).toBe(body.next_cursor !== null)
    cursor = body.next_cursor
  }
  return { ids, pages }
}

async function idsBySql(condition: string, order = 'created_at, id'): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from users where directory_id = $1 and deleted_at is null and ${condition} order by ${order}`,
    [place.directoryId],
  )
  return rows.map(({ id }) => id)
}

const FULL = `subOrgId=${subOrgId}&limit=1000`

test('a search that many users match finds all of them, in the order of the list', async () => {
  const expected = await idsBySql("email_norm like 'person1%'")
  expect(expected.length).toBeGreaterThan(5000)
  expect((await readAll(`/v1/users?${FULL}&q=person1`, 'users')).ids).toEqual(expected)
  const newestFirst = await readAll(`/v1/users?${FULL}&q=person1&order=desc`, 'users')
  expect(newestFirst.ids).toEqual(expected.toReversed())
})

test('a search that fewer users match than it looks at finds all of them', async () => {
  const expected = await idsBySql("lower(first_name) = 'ada'")
  expect(expected.length).toBeGreaterThan(500)
  expect((await readAll(`/v1/users?subOrgId=${subOrgId}&limit=300&q=ada`, 'users')).ids).toEqual(expected)
})

test('a filter without an index ends a page early, and the next page continues there', async () => {
  const { users: all } = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&limit=1`))
  const expected = await idsBySql("role = 'admin'", 'updated_at, id')
  expect(expected).toHaveLength(4)
  const path = `/v1/users?${FULL}&role=admin&updatedSince=${all[0].updatedAt}`
  const first = succeeded(await tenant.get(path))
  expect(first.users.map(({ id }: { id: string }) => id)).toEqual(expected.slice(0, 3))
  expect(first.has_more).toBe(true)
  expect(await readAll(path, 'users')).toEqual({ ids: expected, pages: 2 })
})

test('invitations of a rare status are found however many others there are', async () => {
  const { invites } = succeeded(
    await tenant.get(`/v1/users/invites?subOrgId=${subOrgId}&limit=1&order=desc&status=pending`),
  )
  const { id } = invites[0]
  succeeded(await tenant.delete(`/v1/users/invites/${id}?subOrgId=${subOrgId}`))
  expect(await readAll(`/v1/users/invites?${FULL}&status=revoked`, 'invites')).toMatchObject({ ids: [id] })
  expect(await readAll(`/v1/users/invites?limit=1000&status=revoked`, 'invites')).toMatchObject({ ids: [id] })
})

test.each([
  ['/v1/users', 10_000],
  ['/v1/users?q=person', 10_000],
  // Two of the first 10 000 users are administrators.
  ['/v1/users?role=member', 9998],
  ['/v1/users/invites', 10_000],
  ['/v1/sessions', 10_000],
])('%s counts up to 10 000', async (path, expected) => {
  const { total, total_is_minimum } = succeeded(
    await tenant.get(`${path}${path.includes('?') ? '&' : '?'}subOrgId=${subOrgId}&limit=1&include_total=true`),
  )
  expect([total, total_is_minimum]).toEqual([expected, true])
})

test.each([
  ['/v1/users?q=ada', 1000],
  ['/v1/users?q=person19999', 1],
  ['/v1/users?q=nobody', 0],
  ['/v1/users?active=false', 4],
  ['/v1/users?role=admin', 4],
  ['/v1/users?deleted=true', 20],
])('%s has an exact total', async (path, expected) => {
  const reply = succeeded(await tenant.get(`${path}&subOrgId=${subOrgId}&limit=1&include_total=true`))
  expect([reply.total, 'total_is_minimum' in reply]).toEqual([expected, false])
})

test('a large organization shows the count that is kept', async () => {
  const { subOrganization } = succeeded(await tenant.get(`/v1/organizations/${subOrgId}`))
  expect(subOrganization.userCount).toBe((await idsBySql('true')).length)
})

test.each([
  ['Both', 6000, ['manual', 'scim'], 6000],
  ['Most', 12_000, ['manual'], 10_000],
])('role %s counts each of its users once, up to 10 000', async (name, users, sources, expected) => {
  const { id } = succeeded(await tenant.post('/v1/rbac/roles', { subOrgId, name, permissions: [] })).role
  await client.query(
    `insert into role_assignments (directory_id, id, user_id, role_id, source)
      select directory_id, gen_random_uuid(), id, $2, source
      from (select directory_id, id from users where directory_id = $1 and deleted_at is null limit $3) chosen,
        unnest($4::text[]) source order by id, source`,
    [place.directoryId, id, users, sources],
  )
  const shown = succeeded(await tenant.get(`/v1/rbac/roles/${id}?subOrgId=${subOrgId}`))
  expect(shown.role.assignmentCount).toBe(expected)
})
