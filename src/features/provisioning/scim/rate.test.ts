import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { provisioned, type ScimClient, scimCaller } from '../../../../test/people/scim.ts'
import { answered, expectRefused } from '../../../../test/people/scim-answers.ts'
import { ofRequests, recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { routes } from '../../../wiring/routes.ts'

const app = await startApp()
const tenant = await app.tenant()
const SETTINGS = '/v1/auth/settings'

const setRate = async ({ subOrgId }: Pick<ScimClient, 'subOrgId'>, scim_requests_per_second: number | null) =>
  succeeded(await tenant.patch(SETTINGS, { subOrgId, scim_requests_per_second }))

/** A client of a new organization, which may send four requests at once and one a second. */
async function slowClient(): Promise<ScimClient> {
  const client = await provisioned(app, tenant)
  await setRate(client, 1)
  return client
}

/** Sends requests until one is refused by the rate limit. */
async function useUp({ call }: Pick<ScimClient, 'call'>): Promise<number> {
  for (let served = 0; served < 300; served++) if ((await call('GET', '/Me')).status === 429) return served
  throw new Error('No request was refused')
}

test('beyond the rate a request is refused as SCIM says, and is served again after Retry-After', async () => {
  const client = await slowClient()
  expect(await useUp(client)).toBeGreaterThanOrEqual(4)
  const refused = await client.call('POST', '/Users', { userName: `${fresh()}@acme.example` })
  expectRefused(refused, 429)
  expect(refused.headers.get('retry-after')).toBe('1')
  await app.advance(1)
  answered(await client.call('GET', '/Users'))
  await app.advance(4)
  const served = await useUp(client)
  expect(served).toBeGreaterThanOrEqual(4)
  // None of them is in the log, where each would cost what the rate limit saves.
  const { logs } = succeeded(await tenant.get(`/v1/scim/logs?limit=1000&subOrgId=${client.subOrgId}`))
  expect(logs.filter((log: { status: number }) => log.status === 429)).toEqual([])
})

test('the default is a hundred requests at once', async () => {
  const client = await provisioned(app, tenant)
  await setRate(client, null)
  const replies = await Promise.all(Array.from({ length: 100 }, () => client.call('GET', '/Me')))
  expect(replies.map(({ status }) => status)).toEqual(Array(100).fill(501))
  const { settings } = succeeded(await tenant.get(`${SETTINGS}?subOrgId=${client.subOrgId}`))
  expect(settings.scim_requests_per_second).toBe(25)
})

test('every route of the protocol with a token is counted, before its body is read', async () => {
  const client = await slowClient()
  const counted = routes.filter(({ auth }) => auth === 'scim')
  expect(counted.length).toBeGreaterThan(15)
  for (const { method, path } of counted) {
    await useUp(client)
    const place = path.replace('/api/os/scim/v2', '').replace('{id}', 'x')
    const body = method === 'GET' || method === 'DELETE' ? undefined : '{'
    expect([path, (await client.call(method as 'GET', place, body)).status]).toEqual([path, 429])
  }
  // Routes that need no token have the limit of the client's network.
  for (const path of ['/ServiceProviderConfig', '/Schemas', '/ResourceTypes'])
    expect((await client.call('GET', path)).status).toBe(200)
  succeeded(await tenant.get(`/v1/scim/config?subOrgId=${client.subOrgId}`))
})

test('a bulk request counts once, and a replay through the API does not', async () => {
  const client = await slowClient()
  const { call, subOrgId } = client
  await call('POST', '/Users', { userName: 'nobody' })
  const Operations = Array.from({ length: 20 }, (_, n) => ({
    method: 'POST',
    path: '/Users',
    bulkId: String(n),
    data: { userName: `${fresh()}@acme.example` },
  }))
  const { Operations: done } = answered(await call('POST', '/Bulk', { Operations }))
  expect(done.map(({ status }: { status: string }) => status)).toEqual(Array(20).fill('201'))
  await useUp(client)
  const { logs } = succeeded(await tenant.get(`/v1/scim/logs?subOrgId=${subOrgId}`))
  expect(succeeded(await tenant.post(`/v1/scim/logs/${logs[0].id}/replay`, { subOrgId })).log.status).toBe(400)
})

test('organizations, and wrong tokens, take nothing from one another', async () => {
  const [client, other] = [await slowClient(), await slowClient()]
  await useUp(client)
  answered(await other.call('GET', '/Users'))
  const wrong = scimCaller(app, `${other.token.slice(0, -1)}${other.token.endsWith('x') ? 'y' : 'x'}`)
  for (let n = 0; n < 10; n++) expectRefused(await wrong('GET', '/Users'), 401)
  answered(await other.call('GET', '/Users'))
  // A new token gets what is left of the organization's limit.
  const rotated = succeeded(await tenant.post('/v1/scim/config', { action: 'rotate-token', subOrgId: client.subOrgId }))
  await useUp({ call: scimCaller(app, rotated.token) })
  expectRefused(await scimCaller(app, rotated.token)('GET', '/Users'), 429)
})

test('the rate is raised for an organization or for all, and not with the right to change provisioning', async () => {
  const client = await slowClient()
  const { subOrgId } = client
  for (const scim_requests_per_second of [0, 10_001, 1.5, 'many'])
    expect((await tenant.patch(SETTINGS, { subOrgId, scim_requests_per_second })).body.code).toBe('invalid_request')
  const scopes = ['scim_config.read', 'scim_config.write']
  const { key } = succeeded(await tenant.post('/v1/api-keys', { name: 'Directory', scopes, subOrgId }))
  for (const path of [SETTINGS, `${SETTINGS}/defaults`])
    expect((await app.as(key).patch(path, { scim_requests_per_second: 100 })).body.code).toBe('insufficient_scope')
  await useUp(client)
  await setRate(client, 10_000)
  for (let n = 0; n < 20; n++) answered(await client.call('GET', '/Users?count=1'))
  const other = await app.tenant()
  const inheriting = await provisioned(app, other)
  succeeded(await other.patch(SETTINGS, { subOrgId: inheriting.subOrgId, scim_requests_per_second: null }))
  succeeded(await other.patch(`${SETTINGS}/defaults`, { scim_requests_per_second: 1 }))
  expect(await useUp(inheriting)).toBeLessThan(100)
  succeeded(await other.patch(`${SETTINGS}/defaults`, { scim_requests_per_second: 2000 }))
  for (let n = 0; n < 120; n++) answered(await inheriting.call('GET', '/Users?count=1'))
})

test('a flood of refused requests asks the database no more often than the rate', async () => {
  const client = await slowClient()
  const [counting, others] = [/insert into "?rate_counters/, /scim_logs|scim_configs/]
  await useUp(client)
  const statements = ofRequests(
    await recordStatements(async () => {
      for (let n = 0; n < 10; n++) await client.call('GET', '/Users')
    }),
  )
  expect(statements.filter((text) => counting.test(text)).length).toBeLessThan(10)
  expect(statements.filter((text) => others.test(text)).length).toBeLessThan(10)
})

test('a client gets its steady rate and its burst, whenever it asks', async () => {
  const step = fc.record({ seconds: fc.integer({ min: 0, max: 6 }), requests: fc.integer({ min: 0, max: 6 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const client = await slowClient()
      const start = Date.now()
      let [left, total, passed] = [4, 0, 0]
      for (const { seconds, requests } of steps) {
        if (seconds > 0) await app.advance(seconds)
        passed += seconds
        left = Math.min(4, left + seconds)
        let served = 0
        for (let n = 0; n < requests; n++) if ((await client.call('GET', '/Me')).status === 501) served += 1
        // Time that passes in between can only allow more requests.
        expect(served).toBeGreaterThanOrEqual(Math.min(requests, Math.floor(left)))
        left = Math.max(0, left - served)
        total += served
        expect(total).toBeLessThanOrEqual(4 + passed + Math.ceil((Date.now() - start) / 1000))
      }
    }),
    { numRuns: 6 },
  )
})
