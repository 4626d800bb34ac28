import pg from 'pg'
import { expect, test } from 'vitest'
import { MAX_HANGING } from '../../src/platform/db/hanging-commits.ts'
import { startEmbedded } from '../../src/platform/embedded/embedded.ts'
import { caller, until } from '../harness.ts'
import { runCommand } from './cli.ts'
import { afterThisTest, makeDataDir, productionSettings, startService } from './service.ts'

// More than a process has connections for requests.
const WRITES = 12
// Those of a few bursts of writes, of a check, and of jobs. Without a bound each further burst adds ten.
const MOST_HANGING = 20

/** A service on a PostgreSQL whose commits can be made to wait for a standby that does not exist. */
async function startStage() {
  const server = await startEmbedded({ dataDir: makeDataDir(), log: () => undefined })
  afterThisTest(() => server.stop())
  const settings = { ...(await productionSettings()), DATABASE_URL: server.url }
  const service = await startService(settings)
  await service.ready()
  const watcher = new pg.Client({ connectionString: server.url, application_name: 'watcher' })
  await watcher.connect()
  afterThisTest(() => watcher.end())
  await watcher.query('set synchronous_commit = local')
  const api = caller(service.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY)
  const create = (slug: string) => api.post('/v1/organizations', { name: slug, slug })
  // The first request of an account writes.
  expect((await create('before')).status).toBe(200)
  return {
    ...{ settings, service, watcher, api, create },
    async setStandby(name: string) {
      await watcher.query(`alter system set synchronous_standby_names = '${name}'`)
      await watcher.query('select pg_reload_conf()')
    },
    /** Connections of a kind that wait for the standby or for a lock of one that does. */
    async hanging(application: string) {
      const { rows } = await watcher.query(
        `select count(*)::int as count from pg_stat_activity
          where application_name = $1 and (wait_event = 'SyncRep' or wait_event_type = 'Lock')`,
        [application],
      )
      return Number(rows[0].count)
    },
  }
}

test('while commits wait for a lost standby, reads go on, no process is ready, and connections are bounded', async () => {
  const { settings, service, api, create, setStandby, hanging } = await startStage()
  await setStandby('lost')

  // Once the server has read its settings again. The first of these checks has locked the row for good.
  await until(async () => (await service.readiness())?.status === 503)
  for (let n = 0; n < 2; n++) {
    const readiness = await service.readiness()
    expect([n, readiness?.status, readiness?.body.checks['database']]).toEqual([n, 503, 'failed'])
  }
  const refuse = async (round: string) => {
    const replies = await Promise.all(Array.from({ length: WRITES }, (_, n) => create(`${round}-${n}`)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]))
  }
  // Each burst leaves a commit that hangs, until there are so many that connections only read.
  for (let round = 0; round < MAX_HANGING; round++) await refuse(`hanging${round}`)
  const list = () => api.get('/v1/organizations')
  await until(async () => (await list()).status === 200)
  for (let round = 1; round <= 5; round++) {
    await refuse(`refused${round}`)
    expect((await list()).status).toBe(200)
  }
  expect((await service.readiness())?.status).toBe(503)
  expect(await hanging('watchword')).toBeLessThanOrEqual(MOST_HANGING)
  // A request or a job meets the commit that does not end; requests after that meet a connection that only reads.
  expect(service.stdout()).toMatch(/"code":"NO_ANSWER"/)
  expect(service.stdout()).toMatch(/"code":"(NO_ANSWER|25006)".*Temporarily unavailable/)
  const { json } = await runCommand(settings, 'doctor', '--json')
  const detail = expect.stringContaining('Commits wait for a synchronous standby: start it')
  expect(json.findings).toContainEqual({ check: 'database', state: 'problem', detail })

  await setStandby('')
  await service.ready()
  await until(async () => (await create('after')).status === 200)
  expect(await hanging('watchword')).toBe(0)
  const { subOrganizations } = (await list()).body
  // What hung was carried out, and what was refused at once was not.
  const slugs = new Set<string>(subOrganizations.map((row: { slug: string }) => row.slug))
  expect([slugs.has('before'), slugs.has('after')]).toEqual([true, true])
  expect([...slugs].filter((slug) => /refused[1-5]/.test(slug))).toEqual([])
})

test('a start while commits wait for a lost standby serves reads, and leaves no connection behind', async () => {
  const { settings, service, setStandby, hanging } = await startStage()
  await setStandby('lost')
  await until(async () => (await service.readiness())?.status === 503)
  // A command that writes explains it, and does not advise to end the commits.
  const hold = await runCommand(settings, 'outgoing', 'hold')
  expect([hold.code, hold.stderr]).toEqual([1, expect.stringMatching(/standby/)])
  const next = await startService(settings)
  const api = caller(next.baseUrl, settings.WATCHWORD_BOOTSTRAP_API_KEY)
  await until(async () => (await api.get('/v1/organizations').catch(() => null))?.status === 200)
  expect((await next.readiness())?.status).toBe(503)
  expect(await hanging('watchword-migrate')).toBe(0)
  await setStandby('')
  await next.ready()
})

test('a promoted database whose commits wait is read by one connection more, and the promotion is logged', async () => {
  const { service, watcher, api, setStandby, hanging } = await startStage()
  expect((await api.get('/v1/events?limit=1')).status).toBe(200)
  await setStandby('lost')
  await until(async () => (await service.readiness())?.status === 503)
  // As if the timeline had been another one before. Only a promotion or a restore changes it.
  await watcher.query(`update event_stream set cluster = regexp_replace(cluster, '/.*/', '/00000000/')`)
  const refused = await Promise.all(Array.from({ length: 3 }, () => api.get('/v1/events?limit=1')))
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503])
  expect((await api.get('/v1/events?limit=1')).status).toBe(503)
  expect(await hanging('watchword-migrate')).toBeLessThanOrEqual(2)
  await setStandby('')
  await until(async () => (await api.get('/v1/events?limit=1')).status === 200)
  expect(await hanging('watchword-migrate')).toBe(0)
  expect(service.stdout().match(/was promoted/g)).toHaveLength(1)
})
