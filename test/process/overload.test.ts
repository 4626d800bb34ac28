import { connect } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { ID_LENGTH } from '../../src/platform/crypto/tokens.ts'
import { type Caller, caller, until } from '../harness.ts'
import { newEmail } from '../people/people.ts'
import { productionSettings, type Service, startedOnce, startService } from './service.ts'

interface Deployment {
  service: Service
  databaseUrl: string
  key: string
  api: Caller
  subOrgId: string
  /** The path of the page of a genuine link. */
  linkPath: string
}

async function startDeployment(env: Record<string, string>): Promise<Deployment> {
  const settings = await productionSettings()
  const service = await startService({ ...settings, ...env })
  await service.ready()
  const key = settings.WATCHWORD_BOOTSTRAP_API_KEY
  const api = caller(service.baseUrl, key)
  const made = await api.post('/v1/organizations', { name: 'Acme', slug: 'acme' })
  const subOrgId = made.body.subOrganization.id
  const email = newEmail()
  await api.post('/v1/users', { subOrgId, email })
  const sent = await api.post('/v1/auth/login/magic-link/send', { subOrgId, email, deliver: false })
  const { search } = new URL(sent.body.url)
  return { service, databaseUrl: settings.DATABASE_URL, key, api, subOrgId, linkPath: `/auth/link${search}` }
}

const limited = await startedOnce(() => startDeployment({}))
const unlimited = await startedOnce(() =>
  startDeployment({ WATCHWORD_NETWORK_REQUESTS_PER_SECOND: '0', WATCHWORD_TRUST_PROXY: '127.0.0.1' }),
)

/** Connections that ask again as soon as they are answered. Returns what ends them, and returns answers by status. */
async function hammer(baseUrl: string, connections: number, requestOf: () => { path: string; headers?: string[] }) {
  const { hostname, port } = new URL(baseUrl)
  const statuses: Record<string, number> = {}
  let isOver = false
  const sockets = Array.from({ length: connections }, () => open())

  function open() {
    const socket = connect(Number(port), hostname).setEncoding('latin1')
    const ask = () => {
      const { path, headers = [] } = requestOf()
      const lines = [`GET ${path} HTTP/1.1`, 'host: localhost', ...headers]
      if (!isOver) socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    }
    socket.on('connect', ask)
    socket.on('error', () => undefined)
    socket.on('data', (text: string) => {
      const status = /^HTTP\/1.1 (\d+)/.exec(text)?.[1]
      if (status === undefined) return
      statuses[status] = (statuses[status] ?? 0) + 1
      ask()
    })
    return socket
  }

  /** Ends once very many were refused for their network. Returns the other statuses. */
  async function endRefused() {
    await until(async () => (statuses['429'] ?? 0) > 100)
    const { 429: _, ...others } = end()
    return others
  }

  const end = () => {
    isOver = true
    for (const socket of sockets) socket.destroy()
    return statuses
  }
  onTestFinished(() => void end())
  return { end, endRefused, statuses }
}

/** One request after the other, of each kind that a backend sends; returns the statuses that there were. */
async function callOn({ api, subOrgId }: Deployment, rounds: number): Promise<Set<number>> {
  const seen = new Set<number>()
  for (let round = 0; round < rounds; round++) {
    const replies = [
      await api.get(`/v1/users?subOrgId=${subOrgId}&limit=1`),
      await api.post('/v1/otp/generate', { subOrgId }),
      await api.get(`/v1/auth/methods?subOrgId=${subOrgId}`),
    ]
    for (const { status } of replies) seen.add(status)
  }
  return seen
}

test('while requests of nobody hold every connection that they get, callers are answered', async () => {
  const { service, databaseUrl, linkPath, subOrgId, api } = unlimited
  const holder = new pg.Client({ connectionString: databaseUrl })
  await holder.connect()
  onTestFinished(() => holder.end())
  // Whoever looks a link up waits for this.
  await holder.query('begin; lock table links in access exclusive mode')
  const ask = () => fetch(service.baseUrl + linkPath)
  const anonymous = Promise.all(Array.from({ length: 300 }, ask))
  expect(await callOn(unlimited, 20)).toEqual(new Set([200]))
  // A key that the process has not met, and settings that it has not read.
  const made = await api.post('/v1/api-keys', { name: 'fresh', scopes: ['users.read'] })
  const fresh = caller(service.baseUrl, made.body.key)
  expect((await fresh.get(`/v1/users?subOrgId=${subOrgId}`)).status).toBe(200)
  const refused = await anonymous
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]))
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(refused.map(() => '1'))
  expect(refused[0]?.headers.get('content-type')).toBe('text/html; charset=utf-8')
  await holder.query('rollback')
  expect((await ask()).status).toBe(200)
})

test('while the requests of one network hold every turn that it gets, another network is answered', async () => {
  const { service, databaseUrl, linkPath } = unlimited
  const holder = new pg.Client({ connectionString: databaseUrl })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('begin; lock table links in access exclusive mode')
  const ask = (path: string, ip: string) => fetch(service.baseUrl + path, { headers: { 'x-forwarded-for': ip } })
  let answered = 0
  const crowd = Array.from({ length: 300 }, async () => {
    const { status } = await ask(linkPath, '198.51.100.1')
    answered++
    return status
  })
  const waiting = `select count(*)::int as n from pg_locks where not granted and relation = 'links'::regclass
    and database = (select oid from pg_database where datname = current_database())`
  await until(async () => (await holder.query(waiting)).rows[0].n > 0)
  expect((await ask('/docs/errors', '198.51.100.2')).status).toBe(200)
  expect(answered).toBe(0)
  await holder.query('rollback')
  expect(new Set(await Promise.all(crowd)).difference(new Set([200, 503]))).toEqual(new Set())
})

test('several hundred connections that hammer what needs no key are refused, and callers are answered', async () => {
  const { service, linkPath } = limited
  const madeUp = linkPath.replace(/token_hash=\w+/, (genuine) =>
    genuine.slice(0, 'token_hash='.length + ID_LENGTH).padEnd(genuine.length, '0'),
  )
  const paths = [linkPath, madeUp, '/docs', '/docs/errors', '/v1/openapi.json', '/.well-known/jwks.json', '/nowhere']
  let asked = 0
  const storm = await hammer(service.baseUrl, 500, () => ({ path: paths[asked++ % paths.length] ?? '' }))
  expect(await callOn(limited, 60)).toEqual(new Set([200]))
  const others = await storm.endRefused()
  expect(Object.keys(others).filter((status) => !['200', '400', '404', '503'].includes(status))).toEqual([])
  expect((await fetch(`${service.baseUrl}/healthz`)).status).toBe(200)
})

test('several hundred connections with made-up keys are refused, and those with a right one answered', async () => {
  const storm = await hammer(limited.service.baseUrl, 500, () => ({
    path: '/v1/users',
    headers: [`x-api-key: made-up-${crypto.randomUUID()}`],
  }))
  expect(await callOn(limited, 60)).toEqual(new Set([200]))
  const others = await storm.endRefused()
  expect(Object.keys(others).filter((status) => !['401', '503'].includes(status))).toEqual([])
})

test('made-up keys from as many networks as there are slow no right one', async () => {
  const storm = await hammer(unlimited.service.baseUrl, 500, () => ({
    path: '/v1/users',
    headers: [`x-api-key: made-up-${crypto.randomUUID()}`],
  }))
  expect(await callOn(unlimited, 60)).toEqual(new Set([200]))
  const answers = storm.end()
  expect(Object.keys(answers).filter((status) => !['401', '503'].includes(status))).toEqual([])
  expect(answers[401] ?? 0).toBeGreaterThan(100)
})
