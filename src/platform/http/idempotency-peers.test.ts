import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { startApp, type Tenant } from '../../../test/harness.ts'

const service = await startApp({ env: { WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' } })
const { db } = service.app.platform

/** An identity provider that accepts requests and never responds. */
const open: ServerResponse[] = []
const silent = createServer((_, response) => void open.push(response)).listen(0, '127.0.0.1')
await once(silent, 'listening')
const bound = silent.address()
const silentUrl = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}/sso`
afterAll(() => silent.closeAllConnections())
afterAll(() => void silent.close())

async function makeSilentConnection(tenant: Tenant) {
  const key = await tenant.withKey({ subOrgId: await tenant.organization() })
  const body = { name: 'Silent', protocol: 'saml', idp_entity_id: 'urn:silent', idp_sso_url: silentUrl }
  const { connection } = (await key.post('/v1/sso/connections', body)).body
  return (idempotencyKey: string) =>
    key.post(`/v1/sso/connections/${connection.id}/test`, {}, { 'idempotency-key': idempotencyKey })
}

test('requests that wait for servers that never answer take no turn from other organizations', async () => {
  const [one, two] = [await service.tenant(), await service.tenant()]
  const testers = [await makeSilentConnection(one), await makeSilentConnection(one), await makeSilentConnection(two)]
  const neighbours = [
    { tenant: one, subOrgId: await one.organization() },
    { tenant: two, subOrgId: await two.organization() },
  ]
  // The process, the account and each organization have fewer turns than this.
  const waiting = testers.flatMap((run, n) => [1, 2, 3].map((m) => run(`silent-${n}-${m}`)))
  await expect.poll(() => open.length).toBe(9)
  for (const { tenant, subOrgId } of neighbours) {
    const made = await tenant.post('/v1/users', { subOrgId, email: 'a@example.com' }, { 'idempotency-key': subOrgId })
    expect([made.status, made.body.code]).toEqual([200, undefined])
  }
  silent.closeAllConnections()
  for (const { status, body } of await Promise.all(waiting)) expect([status, body.success]).toEqual([200, false])
})

test('the key of a request that waits for another server is claimed', async () => {
  const run = await makeSilentConnection(await service.tenant())
  const before = open.length
  const first = run('once')
  await expect.poll(() => open.length).toBe(before + 1)
  const repeated = await run('once')
  expect([repeated.status, repeated.body.code]).toEqual([409, 'idempotency_in_progress'])
  silent.closeAllConnections()
  const { text } = await first
  const again = await run('once')
  expect([again.headers.get('idempotent-replayed'), again.text]).toEqual(['true', text])
  expect(open).toHaveLength(before + 1)
})

test('a request that is refused while it prepares frees its key', async () => {
  const tenant = await service.tenant()
  const key = await tenant.withKey({ subOrgId: await tenant.organization() })
  const send = () => key.post('/v1/sso/connections/none/test', {}, { 'idempotency-key': 'refused-early' })
  for (const reply of [await send(), await send()])
    expect([reply.status, reply.body.code]).toEqual([404, 'connection_not_found'])
  expect(await db.selectFrom('idempotency_keys').select('key').where('key', '=', 'refused-early').execute()).toEqual([])
})
