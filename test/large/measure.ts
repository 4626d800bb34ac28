import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '../../src/platform/embedded/embedded.ts'
import { databaseUrl } from '../database.ts'
import { readOptions, refuseOptions } from '../options.ts'
import { afterThisTest, makeDataDir, outsideTests, startService } from '../process/service.ts'
import { fillWorld, type World } from './world.ts'

const USAGE = `Usage: npm run large -- [options]

Compares lists, searches and counts of an organization with 10 000 users and of one with a million, each beside a thousand
small organizations. Prints medians and 95th percentiles. Takes several minutes, and gigabytes below the temporary
directory. Ctrl-C stops the servers and removes the databases.

  --users n          users of the large organization (1000000)
  --organizations n  small organizations (1000)
  --calls n          calls of each kind (200)`

const { values: options } = readOptions(USAGE, {
  options: {
    users: { type: 'string', default: '1000000' },
    organizations: { type: 'string', default: '1000' },
    calls: { type: 'string', default: '200' },
  },
})
const { users, organizations, calls } = {
  users: Number(options.users),
  organizations: Number(options.organizations),
  calls: Number(options.calls),
}
const wrong = Object.entries({ users, organizations, calls }).find(([, count]) => !Number.isInteger(count) || count < 1)
const SMALL = 10_000

/** What is written need not outlive the machine's power. */
async function tuneForFilling(url: string): Promise<void> {
  const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_wal_size: '4GB' }
  for (const [name, value] of Object.entries(settings)) await administer(url, `alter system set ${name} = '${value}'`)
  await administer(url, 'select pg_reload_conf()')
}

async function prepare(
  serverUrl: string,
  name: string,
  size: { users: number; organizations: number },
): Promise<World> {
  const startedAt = performance.now()
  await administer(serverUrl, `create database ${name}`)
  const url = databaseUrl(serverUrl, name)
  const apiKey = `large_${randomBytes(32).toString('hex')}`
  const service = await startService(
    {
      DATABASE_URL: url,
      WATCHWORD_MASTER_KEY: randomBytes(32).toString('base64'),
      WATCHWORD_BOOTSTRAP_API_KEY: apiKey,
      WATCHWORD_NETWORK_REQUESTS_PER_SECOND: '0',
    },
    { fromSource: true },
  )
  await service.ready()
  const world = await fillWorld({ baseUrl: service.baseUrl, apiKey }, url, size)
  await untilIdle(url)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  process.stderr.write(`${name}: ${size.users} users and ${size.organizations} organizations after ${seconds} s\n`)
  return world
}

/** Until the readers of the event stream have caught up, or two minutes. */
async function untilIdle(url: string): Promise<void> {
  const behind = `select (select count(*) from events)
    - (select coalesce(sum(cardinality(event_ids)), 0) from audit_blocks) as behind`
  for (let tries = 0; tries < 24 && Number(await administer(url, behind)) > 1000; tries++) await delay(5000)
  await administer(url, 'vacuum (analyze)')
}

/** Runs one statement on a connection of its own. Returns the first column of the first row. */
async function administer(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

type Path = (world: World) => string

const ofOne = (rest: string) => (world: World) => `/v1/users?subOrgId=${world.subOrgId}&limit=50${rest}`
const justNow = () => new Date(Date.now() - 60_000).toISOString()

const CALLS: [string, Path][] = [
  ['users, first page of 50', ofOne('')],
  ['users, page of 1000', ({ subOrgId }) => `/v1/users?subOrgId=${subOrgId}&limit=1000`],
  ['users, all organizations', () => '/v1/users?limit=50'],
  ['users, `email`', ofOne('&email=person77@large.example')],
  ['users, `externalId`', ofOne('&externalId=person-77')],
  ['users, `q`, one hit', ofOne('&q=person9999@')],
  ['users, `q`, none', ofOne('&q=nobody')],
  ['users, `q`, every thousandth', ofOne('&q=family77')],
  ['users, `q`, everyone', ofOne('&q=person')],
  ['users, `q`, one hit, all organizations', () => '/v1/users?limit=50&q=person9999@'],
  ['users, `updatedSince`, none', (world) => ofOne(`&updatedSince=${justNow()}`)(world)],
  ['users, `updatedSince`, all', ofOne('&updatedSince=2020-01-01T00:00:00Z')],
  ['users, `active=false`', ofOne('&active=false')],
  ['users, `role=admin`', ofOne('&role=admin')],
  ['users, `include_total`', ofOne('&include_total=true')],
  ['users, `q`, everyone, `include_total`', ofOne('&q=person&include_total=true')],
  ['invitations', ({ subOrgId }) => `/v1/users/invites?subOrgId=${subOrgId}&limit=50`],
  ['invitations, all organizations', () => '/v1/users/invites?limit=50'],
  ['invitations, `status=revoked`', ({ subOrgId }) => `/v1/users/invites?subOrgId=${subOrgId}&limit=50&status=revoked`],
  ['sessions', ({ subOrgId }) => `/v1/sessions?subOrgId=${subOrgId}&limit=50`],
  ['sessions of a user', ({ subOrgId, userId }) => `/v1/sessions?subOrgId=${subOrgId}&userId=${userId}`],
  ['sessions, `include_total`', ({ subOrgId }) => `/v1/sessions?subOrgId=${subOrgId}&limit=50&include_total=true`],
  ['organizations, page of 50', () => '/v1/organizations?limit=50'],
  ['organizations, page of 1000', () => '/v1/organizations'],
  ['organizations, `include_total`', () => '/v1/organizations?limit=50&include_total=true'],
  ['the large organization', ({ subOrgId }) => `/v1/organizations/${subOrgId}`],
  ['a small organization', ({ smallSubOrgId }) => `/v1/organizations/${smallSubOrgId}`],
  ['events, first page of 100', ({ subOrgId }) => `/v1/events?subOrgId=${subOrgId}`],
  ['events, a rare type', ({ subOrgId }) => `/v1/events?subOrgId=${subOrgId}&types=user.deleted`],
  ['audit, first page of 100', ({ subOrgId }) => `/v1/audit/events?subOrgId=${subOrgId}&limit=100`],
  ['audit, a user', ({ subOrgId, userId }) => `/v1/audit/events?subOrgId=${subOrgId}&user_id=${userId}`],
  ['audit, `q`, none', ({ subOrgId }) => `/v1/audit/events?subOrgId=${subOrgId}&q=nobody`],
  ['audit, a type', ({ subOrgId }) => `/v1/audit/events?subOrgId=${subOrgId}&types=user.updated`],
  ['audit, `from`', (world) => `/v1/audit/events?subOrgId=${world.subOrgId}&from=${justNow()}`],
  ['roles and assignments', ({ subOrgId }) => `/v1/rbac/roles?subOrgId=${subOrgId}&limit=50`],
  ['roles and assignments, all organizations', () => '/v1/rbac/roles?limit=50'],
  ['deliveries of a webhook', ({ webhookId }) => `/v1/webhooks/${webhookId}?deliveries=true&limit=50`],
  ['SCIM users, first page of 100', () => '/api/os/scim/v2/Users'],
  [
    'SCIM users, `userName eq`',
    () => `/api/os/scim/v2/Users?filter=${encodeURIComponent('userName eq "person10@large.example"')}`,
  ],
  [
    'SCIM users, `externalId eq`',
    () => `/api/os/scim/v2/Users?filter=${encodeURIComponent('externalId eq "entra-person-10"')}`,
  ],
  ['SCIM groups, first page of 100', () => '/api/os/scim/v2/Groups?excludedAttributes=members'],
  ['SCIM configuration', ({ subOrgId }) => `/v1/scim/config?subOrgId=${subOrgId}`],
]

async function compare(small: World, large: World): Promise<void> {
  const heads = ['Call', '10 000: p50', 'p95', `${large.users}: p50`, 'p95', 'ratio of p50']
  print(heads)
  print(heads.map(() => '---'))
  for (const [name, path] of CALLS) {
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] }
    for (let n = 0; n < calls; n++)
      for (const [size, world] of [
        ['small', small],
        ['large', large],
      ] as const)
        times[size].push(await timeOf(world, path(world)))
    const [s, l] = [times.small, times.large]
    const ratio = percentile(l, 0.5) / percentile(s, 0.5)
    print([
      name,
      ...[s, l].flatMap((all) => [percentile(all, 0.5).toFixed(1), percentile(all, 0.95).toFixed(1)]),
      ratio.toFixed(2),
    ])
  }
}

function print(cells: string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

async function timeOf({ service, scimToken }: World, path: string): Promise<number> {
  const headers: Record<string, string> = path.includes('/scim/v2/')
    ? { authorization: `Bearer ${scimToken}` }
    : { 'x-api-key': service.apiKey }
  for (;;) {
    const startedAt = performance.now()
    const reply = await fetch(`${service.baseUrl}${path}`, { headers })
    const text = await reply.text()
    const ms = performance.now() - startedAt
    if (reply.ok) return ms
    // The bound of requests of a provisioning client.
    if (reply.status !== 429) throw new Error(`${path}: ${reply.status} ${text}`)
    await delay(200)
  }
}

function percentile(times: number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

async function measure(): Promise<void> {
  // On disk: the temporary directory of other tests may be memory.
  const starting = startEmbedded({ dataDir: makeDataDir(tmpdir()), log: () => undefined })
  // Before it has started, too: its directory is removed afterwards.
  afterThisTest(async () => (await starting.catch(() => null))?.stop())
  const database = await starting
  await tuneForFilling(database.url)
  const small = await prepare(database.url, 'small', { users: SMALL, organizations })
  const large = await prepare(database.url, 'large', { users, organizations })
  await compare(small, large)
}

if (wrong) refuseOptions(`--${wrong[0]} must be a whole number above 0.`, USAGE)
await outsideTests(measure)
