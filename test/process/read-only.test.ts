import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { administer } from '../database.ts'
import { caller, until } from '../harness.ts'
import { startSilentProxy } from '../peers/silent-proxy.ts'
import { afterThisTest, productionSettings, startService } from './service.ts'

const nameOf = (url: string) => new pg.Client({ connectionString: url }).database

test('a process whose database only reads is not ready, and writes again without a restart once it does not', async () => {
  const settings = await productionSettings()
  const service = await startService(settings)
  await service.ready()
  const api = caller(service.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY)
  expect((await api.post('/v1/organizations', { name: 'Before', slug: 'before' })).status).toBe(200)
  const name = nameOf(settings.DATABASE_URL)
  const serverUrl = inject('serverUrl')
  // As when the address leads to a standby: connections are cut, and the new ones only read.
  await administer(serverUrl, `alter database ${name} set default_transaction_read_only = on`)
  await administer(serverUrl, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  const unready = await until(async () => {
    const readiness = await service.readiness()
    return readiness?.status === 503 && readiness.body.checks['database'] === 'failed' && readiness
  })
  expect(unready.body).toMatchObject({ status: 'unavailable', checks: { migrations: 'ok', signing_key: 'ok' } })
  const metrics = async () => (await fetch(`${service.privateUrl}/metrics`)).text()
  expect((await metrics()).match(/^watchword_ready\{.*$/gm)?.toSorted()).toEqual([
    'watchword_ready{check="database"} 0',
    ...['migrations', 'queue', 'signing_key'].map((check) => expect.stringContaining(`check="${check}"`)),
  ])
  const refused = await api.post('/v1/organizations', { name: 'Meanwhile', slug: 'meanwhile' })
  expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
  expect((await api.get('/v1/organizations')).status).toBe(200)
  await administer(serverUrl, `alter database ${name} reset default_transaction_read_only`)
  await service.ready()
  expect((await api.post('/v1/organizations', { name: 'After', slug: 'after' })).status).toBe(200)
  const { subOrganizations } = (await api.get('/v1/organizations')).body
  expect(subOrganizations.map((row: { slug: string }) => row.slug).sort()).toEqual(['after', 'before'])
})

test('a process is not ready while the row that a check locks stays locked', async () => {
  const settings = await productionSettings()
  const service = await startService(settings)
  await service.ready()
  const holder = new pg.Client({ connectionString: settings.DATABASE_URL })
  await holder.connect()
  afterThisTest(() => holder.end())
  await holder.query('begin')
  await holder.query('select from schema_migrations for no key update')
  expect((await service.readiness())?.body.checks).toMatchObject({ database: 'failed', migrations: 'ok' })
  await holder.query('rollback')
  expect((await service.readiness())?.status).toBe(200)
})

test('a process whose database has fallen silent answers again once another one is there, and stops in time', async () => {
  const settings = await productionSettings()
  const proxy = await startSilentProxy(settings.DATABASE_URL)
  afterThisTest(() => proxy.close())
  const service = await startService({ ...settings, DATABASE_URL: proxy.url })
  await service.ready()
  const api = caller(service.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY)
  const create = (slug: string) => api.post('/v1/organizations', { name: slug, slug })
  const made = await Promise.all(Array.from({ length: 12 }, (_, n) => create(`o${n}`)))
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]))
  proxy.silence()
  const refused = await create('silent')
  expect([refused.status, refused.headers.get('retry-after') !== null]).toEqual([503, true])
  for (let n = 0; n < 12; n++) expect((await create(`later${n}`)).status).toBe(200)
  await service.ready()
  proxy.silence()
  const last = create('last')
  // After this answer the request before has arrived.
  expect((await fetch(`${service.baseUrl}/healthz`)).status).toBe(200)
  service.child.kill('SIGTERM')
  expect((await last).status).toBe(503)
  expect(await service.ended).toBe(0)
})

test('a server that lacks the database, refuses the user, or has no connection left costs 503s until that is mended', async () => {
  const settings = await productionSettings()
  const name = nameOf(settings.DATABASE_URL)
  const serverUrl = inject('serverUrl')
  const { user: owner } = new pg.Client({ connectionString: settings.DATABASE_URL })
  const role = `${name}_role`
  await administer(serverUrl, `create role ${role} login password 'a' in role ${owner}`)
  afterThisTest(() => administer(serverUrl, `drop role ${role}`))
  const url = new URL(settings.DATABASE_URL)
  Object.assign(url, { username: role, password: 'a' })
  const service = await startService({ ...settings, DATABASE_URL: url.href })
  await service.ready()
  const api = caller(service.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY)
  const create = (slug: string) => api.post('/v1/organizations', { name: slug, slug })
  const failures: [string, string, string][] = [
    ['absent', `alter database ${name} rename to ${name}_gone`, `alter database ${name}_gone rename to ${name}`],
    ['refused', `alter role ${role} nologin`, `alter role ${role} login`],
    ['full', `alter role ${role} connection limit 0`, `alter role ${role} connection limit -1`],
  ]
  for (const [failure, cause, cure] of failures) {
    await administer(serverUrl, `alter role ${role} nologin`)
    await administer(
      serverUrl,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = '${role}'`,
    )
    await administer(serverUrl, cause)
    if (failure !== 'refused') await administer(serverUrl, `alter role ${role} login`)
    const refused = await create(failure)
    expect([failure, refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      failure,
      503,
      'unavailable',
      '1',
    ])
    await administer(serverUrl, cure)
    await until(async () => (await create(failure)).status === 200)
  }
  service.child.kill('SIGTERM')
  await service.ended
})
