import pg from 'pg'
import { expect, test } from 'vitest'
import { startEmbedded } from '../../src/platform/db/embedded.ts'
import { caller, until } from '../harness.ts'
import { afterThisTest, makeDataDir, productionSettings, startService } from './service.ts'

// More than a process has connections for requests.
const WRITES = 12
// Those of one burst of writes, of the two checks, and of jobs. Without a bound each further burst adds ten.
const MAX_HANGING = 20

test('while commits wait for a lost standby, reads go on, no process is ready, and connections are bounded', async () => {
  const server = await startEmbedded({ dataDir: makeDataDir(), log: () => undefined })
  afterThisTest(() => server.stop())
  const settings = { ...(await productionSettings()), DATABASE_URL: server.url }
  const service = await startService(settings)
  await service.ready()
  const api = caller(service.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY)
  const create = (slug: string) => api.post('/v1/organizations', { name: slug, slug })
  expect((await create('before')).status).toBe(200)
  const watcher = new pg.Client({ connectionString: server.url, application_name: 'watcher' })
  await watcher.connect()
  afterThisTest(() => watcher.end())
  const setStandby = async (name: string) => {
    await watcher.query(`alter system set synchronous_standby_names = '${name}'`)
    await watcher.query('select pg_reload_conf()')
  }
  const hanging = async () => {
    const { rows } = await watcher.query(
      `select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'watchword'`,
    )
    return Number(rows[0].count)
  }
  await setStandby('lost')

  // Once the server has read its settings again. The first of these checks has locked a row for good.
  await until(async () => (await service.readiness())?.status === 503)
  for (let n = 0; n < 2; n++) {
    const readiness = await service.readiness()
    expect([n, readiness?.status, readiness?.body.checks['database']]).toEqual([n, 503, 'failed'])
  }
  const refuse = async (round: number) => {
    const replies = await Promise.all(Array.from({ length: WRITES }, (_, n) => create(`refused${round}-${n}`)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]))
  }
  await refuse(0)
  const list = () => api.get('/v1/organizations')
  await until(async () => (await list()).status === 200)
  for (let round = 1; round <= 5; round++) {
    await refuse(round)
    expect((await list()).status).toBe(200)
  }
  expect((await service.readiness())?.status).toBe(503)
  expect(await hanging()).toBeLessThanOrEqual(MAX_HANGING)

  await setStandby('')
  await service.ready()
  await until(async () => (await create('after')).status === 200)
  expect(await hanging()).toBe(0)
  const { subOrganizations } = (await list()).body
  // What hung was carried out, and what was refused at once was not.
  const slugs = new Set<string>(subOrganizations.map((row: { slug: string }) => row.slug))
  expect([slugs.has('before'), slugs.has('after')]).toEqual([true, true])
  expect([...slugs].filter((slug) => /refused[1-5]/.test(slug))).toEqual([])
})
