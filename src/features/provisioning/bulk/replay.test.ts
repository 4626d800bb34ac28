import { get } from 'node:http'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'

const app = await startApp()
const tenant = await app.tenant()
const { subOrgId, call, token } = await provisioned(app, tenant)

const logs = async () => (await tenant.get(`/v1/scim/logs?order=desc&limit=100&subOrgId=${subOrgId}`)).body.logs
const replay = (id: string) => tenant.post(`/v1/scim/logs/${id}/replay`, { subOrgId })
const list = async () => (await call('GET', '/Users')).body.Resources

test.each(['http://elsewhere.example/api/os/scim/v2', '/api/o%73/scim/v2'])(
  'what was asked of %s is kept by its path below the base',
  async (base) => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    const headers = { authorization: `Bearer ${token}` }
    get(app.baseUrl, { path: `${base}/Users?count=2`, headers, agent: false }, (reply) =>
      resolve(reply.resume().statusCode),
    )
    expect(await promise).toBe(200)
    expect((await logs())[0]).toMatchObject({ method: 'GET', path: '/Users?count=2' })
  },
)

test('a write that was refused is performed again once its reason is mended, and kept as one of its own', async () => {
  const { id } = (await call('POST', '/Users', { userName: 'ada@acme.example' })).body
  await call('POST', '/Users?attributes=id', { userName: 'Ada@acme.example', externalId: 'second' })
  const [refused] = await logs()
  const early = await replay(refused.id)
  expect(early.body.log).toMatchObject({
    status: 409,
    outcome: 'refused',
    code: 'scim_uniqueness',
    replayOf: refused.id,
  })
  await call('DELETE', `/Users/${id}`)
  const { status, body } = await replay(refused.id.toUpperCase())
  const said = { method: 'POST', path: refused.path, body: refused.body, reason: null, fix: null }
  expect([status, body.log]).toEqual([200, expect.objectContaining({ ...said, status: 201, replayOf: refused.id })])
  expect(await list()).toMatchObject([{ userName: 'Ada@acme.example', externalId: 'second' }])
  const kept = await logs()
  expect(kept.find((log: { id: string }) => log.id === body.log.id)).toEqual(body.log)
  expect(refused.replayOf).toBeNull()
  const again = await replay(body.log.id)
  expect([again.status, again.body.code]).toEqual([409, 'scim_not_replayable'])
})

test('what is refused half-way leaves nothing, with a key of idempotency too', async () => {
  await call('POST', '/Groups', { displayName: 'Eng', members: [{ value: 'nobody' }] })
  const [refused] = await logs()
  const headers = { 'idempotency-key': 'once' }
  const first = await tenant.post(`/v1/scim/logs/${refused.id}/replay`, { subOrgId }, headers)
  const second = await tenant.post(`/v1/scim/logs/${refused.id}/replay`, { subOrgId }, headers)
  expect([first.status, first.body.log.outcome]).toEqual([200, 'refused'])
  expect(second.body).toEqual(first.body)
  expect((await call('GET', '/Groups')).body.totalResults).toBe(0)
})

test('a refused Bulk request is repeated', async () => {
  await call('POST', '/Bulk', { Operations: 'none' })
  const [bulk] = await logs()
  expect((await replay(bulk.id)).body.log).toMatchObject({ status: 400, path: '/Bulk', replayOf: bulk.id })
})

test('an accepted write is not repeated: it would undo a later change', async () => {
  const data = { userName: 'bulk@acme.example' }
  await call('POST', '/Bulk', { Operations: [{ method: 'POST', path: '/Users', bulkId: '1', data }] })
  const { id } = (await call('GET', '/Users?filter=userName eq "bulk@acme.example"')).body.Resources[0]
  const member = { op: 'add', path: 'members', value: [{ value: id }] }
  const group = (await call('POST', '/Groups', { displayName: 'Admins' })).body.id
  await call('PATCH', `/Groups/${group}`, { Operations: [member] })
  await call('PATCH', `/Groups/${group}`, { Operations: [{ op: 'remove', path: `members[value eq "${id}"]` }] })
  await call('PATCH', `/Users/${id}`, { active: true, Operations: [{ op: 'replace', path: 'title', value: 'Head' }] })
  await call('DELETE', `/Users/${id}`)
  const before = await logs()
  const accepted = before.filter(
    ({ method, status }: { method: string; status: number }) => method !== 'GET' && status < 400,
  )
  expect(accepted.length).toBeGreaterThanOrEqual(6)
  for (const { id } of accepted) {
    const reply = await replay(id)
    expect([reply.status, reply.body.code]).toEqual([409, 'scim_not_replayable'])
  }
  expect(await logs()).toEqual(before)
  expect((await call('GET', '/Users?filter=userName eq "bulk@acme.example"')).body.totalResults).toBe(0)
  expect((await call('GET', `/Groups/${group}`)).body.members).toEqual([])
})

test('what was read or not kept is not repeated, nor what belongs to another organization, or where provisioning is off', async () => {
  await call('GET', '/Users')
  await call('POST', '/Users/.search', {})
  await call('PATCH', '/Users/nobody', { Operations: [{ op: 'add', path: 'password', value: 'x' }] })
  await call('PATCH', '/Users/nobody', { Operations: [{ op: 'add', path: 'title', value: 'x'.repeat(20_000) }] })
  const [large, secret, search, get] = await logs()
  for (const { id, method } of [large, secret, search, get]) {
    const reply = await replay(id)
    expect([method, reply.status, reply.body.code]).toEqual([method, 409, 'scim_not_replayable'])
  }
  await call('DELETE', '/Users/nobody')
  const [{ id }] = await logs()
  const stranger = await tenant.organization()
  const foreign = await tenant.post(`/v1/scim/logs/${id}/replay`, { subOrgId: stranger })
  expect([foreign.status, foreign.body.code]).toEqual([404, 'scim_log_not_found'])
  await tenant.patch('/v1/scim/config', { enabled: false, subOrgId })
  expect((await replay(id)).body.code).toBe('scim_disabled')
})
