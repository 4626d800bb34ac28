import { expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { newId } from '../../../platform/ids.ts'

const first = await startApp({ env: { WATCHWORD_TRUST_PROXY: '127.0.0.0/8' } })
const second = await startSecondApp(first)
const path = '/v1/api-keys'
const from = (ip: string) => ({ 'x-forwarded-for': ip })
const OFFICE = '203.0.113.7'

type As = Pick<typeof first, 'as'>

/** The result of using a key from an address. */
async function use(key: string, ip: string, on: As = first): Promise<string> {
  const { status, body } = await on.as(key).get('/v1/environments', from(ip))
  return status === 200 ? 'taken' : `${status} ${body.code}`
}

const ELSEWHERE = '403 api_key_ip_not_allowed'

test('a key may be used only from its addresses, also right after a change', async () => {
  const tenant = await first.tenant()
  const allowedIps = ['203.0.113.0/24', '2001:db8::/48', '198.51.100.9']
  const made = await tenant.post(path, { name: 'K', scopes: ['environments.read'], allowedIps })
  const { key, apiKey } = made.body
  expect(apiKey.allowedIps).toEqual(allowedIps)
  for (const [ip, answer] of [
    [OFFICE, 'taken'],
    ['::ffff:203.0.113.9', 'taken'],
    ['2001:db8:0:7::1', 'taken'],
    ['198.51.100.9', 'taken'],
    ['198.51.100.10', ELSEWHERE],
    ['203.0.114.1', ELSEWHERE],
    ['2001:db8:1::1', ELSEWHERE],
  ] as const)
    expect([ip, await use(key, ip), await use(key, ip, second)]).toEqual([ip, answer, answer])
  const told = () => first.logLines.filter((line) => line.includes('allowedIps') && line.includes(apiKey.id)).length
  expect(told()).toBe(1)
  await first.advance(61)
  await use(key, '192.0.2.1')
  expect(told()).toBe(2)
  const changed = await tenant.patch(`${path}/${apiKey.id}`, { allowedIps: ['192.0.2.1'] })
  expect([changed.status, changed.body.apiKey.allowedIps]).toEqual([200, ['192.0.2.1']])
  expect([await use(key, '192.0.2.1'), await use(key, OFFICE)]).toEqual(['taken', ELSEWHERE])
  await until(async () => (await use(key, OFFICE, second)) === ELSEWHERE)
  await tenant.patch(`${path}/${apiKey.id}`, { allowedIps: null })
  expect(await use(key, '198.51.100.10')).toBe('taken')
})

test('what is no address is refused', async () => {
  const tenant = await first.tenant()
  for (const wrong of ['10.0.0.0/33', 'localhost', '2001:db8::/129', '10.0.0', '10.0.0.0/8/8']) {
    const reply = await tenant.post(path, { name: 'K', scopes: ['users.read'], allowedIps: ['10.0.0.1', wrong] })
    expect([wrong, reply.status, reply.body.errors?.[0]?.field]).toEqual([wrong, 400, 'allowedIps.1'])
  }
})

test('a key of some addresses grants no others, by a new key, a change or a rotation', async () => {
  const tenant = await first.tenant()
  const body = { name: 'K', scopes: ['api_keys.*', 'users.read'], allowedIps: ['203.0.113.0/24'] }
  const limited = await tenant.post(path, body)
  const caller = first.as(limited.body.key)
  const office = from(OFFICE)
  const mint = (allowedIps: string[] | null | undefined) =>
    caller.post(path, { name: 'M', scopes: ['users.read'], allowedIps }, office)
  expect((await mint(undefined)).body.apiKey.allowedIps).toEqual(['203.0.113.0/24'])
  expect((await mint(['203.0.113.128/25', OFFICE])).status).toBe(200)
  for (const wider of [null, ['203.0.112.0/23'], ['203.0.113.7', '198.51.100.1'], ['2001:db8::1']])
    expect([wider, (await mint(wider)).body.code]).toEqual([wider, 'privilege_escalation'])
  const target = (await mint(undefined)).body.apiKey.id
  for (const patch of [{ allowedIps: null }, { scopes: ['users.*'] }, { scopes: ['*'] }])
    expect((await caller.patch(`${path}/${target}`, patch, office)).body.code).toBe('privilege_escalation')
  const everywhere = (await tenant.post(path, { name: 'E', scopes: ['users.read'] })).body.apiKey.id
  expect((await caller.post(`${path}/${everywhere}/rotate`, {}, office)).body.code).toBe('privilege_escalation')
  expect((await tenant.get(`${path}/${target}`)).body.apiKey).toMatchObject({ scopes: ['users.read'], name: 'M' })
})

test('no key shuts itself out, also by its previous secret', async () => {
  const tenant = await first.tenant()
  // With an expiry, so that the previous secret lasts as long as the key and has the same rights.
  const expiresAt = new Date(Date.now() + 600_000).toISOString()
  const made = await tenant.post(path, { name: 'K', scopes: ['*'], expiresAt })
  const { id } = made.body.apiKey
  const change = (key: string, allowedIps: string[]) =>
    first.as(key).patch(`${path}/${id}`, { allowedIps }, from(OFFICE))
  const rotated = await tenant.post(`${path}/${id}/rotate`, { overlap_seconds: 3600 })
  for (const key of [made.body.key, rotated.body.key]) {
    const reply = await change(key, ['198.51.100.0/24'])
    expect([reply.status, reply.body.errors?.[0]?.code]).toEqual([400, 'excludes_caller'])
  }
  expect(await use(rotated.body.key, '192.0.2.1')).toBe('taken')
  expect((await change(made.body.key, ['203.0.113.0/24'])).status).toBe(200)
  for (const key of [made.body.key, rotated.body.key])
    expect([await use(key, OFFICE), await use(key, '192.0.2.1')]).toEqual(['taken', ELSEWHERE])
})

test('the previous secret of a key has its addresses', async () => {
  const tenant = await first.tenant()
  const body = { name: 'K', scopes: ['environments.read'], allowedIps: [OFFICE] }
  const { key, apiKey } = (await tenant.post(path, body)).body
  await tenant.post(`${path}/${apiKey.id}/rotate`, { overlap_seconds: 3600 })
  expect([await use(key, OFFICE), await use(key, '192.0.2.1')]).toEqual(['taken', ELSEWHERE])
})

test('a change is an event with what was before; one that changes nothing is none', async () => {
  const tenant = await first.tenant()
  const made = await tenant.post(path, { name: 'K', scopes: ['environments.read', 'users.read'] })
  const { apiKey, key } = made.body
  const at = `${path}/${apiKey.id}`
  const changed = await tenant.patch(at, { name: 'Named', scopes: ['users.read'] })
  expect(changed.body.apiKey).toEqual({ ...apiKey, name: 'Named', scopes: ['users.read'] })
  expect((await tenant.patch(at, { name: 'Named' })).status).toBe(200)
  const events = await first.events({ accountId: tenant.accountId, type: 'api_key.updated' })
  expect(events).toMatchObject([
    { target_id: apiKey.id, data: { name: 'Named' }, previous: { name: 'K', scopes: apiKey.scopes } },
  ])
  expect(await use(key, OFFICE)).toBe('403 insufficient_scope')
  expect((await tenant.get(at)).body.apiKey).toMatchObject({ name: 'Named', scopes: ['users.read'] })
  expect((await tenant.patch(at, { scopes: ['nothing.read'] })).status).toBe(400)
  await tenant.delete(at)
  expect((await tenant.patch(at, { name: 'Late' })).body.code).toBe('api_key_inactive')
  expect((await tenant.get(at)).body.apiKey.revokedAt).not.toBeNull()
})

test('a key is read and changed only within its reach', async () => {
  const [tenant, other] = [await first.tenant(), await first.tenant()]
  const [subOrgId, another] = [await tenant.organization(), await tenant.organization()]
  const own = (await tenant.post(path, { name: 'K', scopes: ['users.read'], subOrgId })).body.apiKey
  const strangers = [
    other,
    await tenant.withKey({ subOrgId: another }),
    await tenant.withKey({ environment: 'staging' }),
  ]
  for (const stranger of strangers)
    for (const reply of [
      await stranger.get(`${path}/${own.id}`),
      await stranger.patch(`${path}/${own.id}`, { name: 'X' }),
    ])
      expect([reply.status, reply.body.code]).toEqual([404, 'api_key_not_found'])
  for (const id of [newId(), 'x']) expect((await tenant.get(`${path}/${id}`)).status).toBe(404)
  expect((await tenant.get(`${path}/${own.id.toUpperCase()}`)).body.apiKey).toEqual(own)
})

test('any key learns what it may do', async () => {
  const tenant = await first.tenant()
  const subOrgId = await tenant.organization()
  const body = { name: 'K', scopes: ['otp.settings.read'], subOrgId, requestsPerSecond: 7 }
  const { key, apiKey } = (await tenant.post(path, body)).body
  expect((await first.as(key).get(`${path}/current`)).body).toEqual({
    kind: 'key',
    id: apiKey.id,
    accountId: tenant.accountId,
    environmentId: tenant.environmentId,
    environment: 'production',
    subOrgId,
    scopes: ['otp.settings.read'],
    requestsPerSecond: 7,
    expiresAt: null,
  })
  expect((await tenant.get(`${path}/current`)).body).toMatchObject({ subOrgId: null, scopes: ['*'] })
})
