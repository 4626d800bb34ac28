import pg from 'pg'
import { expect, test } from 'vitest'
import { startEmbedded } from '../../src/platform/embedded/embedded.ts'
import { caller, until } from '../harness.ts'
import { databasePid } from '../run-directories.ts'
import { afterThisTest, makeDataDir, productionSettings, startService } from './service.ts'

test('a restart of PostgreSQL costs 503s with Retry-After, and no restart of the service', async () => {
  const dataDir = makeDataDir()
  // A server separate from the service, as in production; a test that stops it also restarts it.
  let server = await startEmbedded({ dataDir, log: () => undefined })
  afterThisTest(() => server.stop())
  const settings = await productionSettings()
  const service = await startService({ ...settings, DATABASE_URL: server.url })
  await service.ready()
  const api = caller(service.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY)
  expect((await api.post('/v1/organizations', { name: 'Before', slug: 'before' })).status).toBe(200)

  await server.stop()
  expect(databasePid(dataDir)).toBeNull()
  const refused = await api.post('/v1/organizations', { name: 'Meanwhile', slug: 'meanwhile' })
  expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
  expect(refused.headers.get('content-type')).toBe('application/problem+json')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await api.get('/healthz')).status).toBe(200)
  const readiness = await service.readiness()
  expect([readiness?.status, readiness?.body.status, readiness?.body.checks['database']]).toEqual([
    503,
    'unavailable',
    'failed',
  ])

  server = await startEmbedded({ dataDir, log: () => undefined })
  await service.ready()
  const after = await api.post('/v1/organizations', { name: 'After', slug: 'after' })
  expect(after.status).toBe(200)
  const listed = await api.get('/v1/organizations')
  expect(listed.body.subOrganizations.map((row: { slug: string }) => row.slug).sort()).toEqual(['after', 'before'])

  // The queue and the caches receive notifications again.
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  afterThisTest(() => client.end())
  await until(async () => {
    const { rows } = await client.query(
      `select count(distinct application_name)::int as count from pg_stat_activity where query ilike 'listen %'`,
    )
    return rows[0].count >= 2
  })
  expect(service.child.exitCode).toBeNull()
})

test('an embedded database that is killed is brought back under the running service', async () => {
  const dataDir = makeDataDir()
  const settings = {
    WATCHWORD_DATA_DIR: dataDir,
    WATCHWORD_BOOTSTRAP_API_KEY: 'a-key-for-the-embedded-database-0123456789',
  }
  const service = await startService(settings)
  await service.ready()
  const pid = databasePid(dataDir)
  process.kill(pid ?? 0, 'SIGKILL')
  await until(async () => databasePid(dataDir) !== null && databasePid(dataDir) !== pid)
  await service.ready()
  const reply = await caller(service.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY).post('/v1/organizations', {
    name: 'A',
    slug: 'a',
  })
  expect(reply.status).toBe(200)
  service.child.kill('SIGTERM')
  expect(await service.ended).toBe(0)
  expect(databasePid(dataDir)).toBeNull()
})
