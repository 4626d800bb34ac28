import { expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { signedInUser } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { newId } from '../../../platform/ids.ts'
import { createApiKey, listApiKeys } from './api-keys.ts'
import { flushKeyUses, noteKeyUse } from './key-use.ts'
import { stampKeyUses } from './store.ts'

const first = await startApp()
const second = await startSecondApp(first)
const { platform } = first.app
const path = '/v1/api-keys'

/** Whether a process accepts a key. */
const works = async (on: Pick<typeof first, 'as'>, key: string) => {
  const { status } = await on.as(key).get('/v1/environments')
  expect([200, 401]).toContain(status)
  return status === 200
}

const dumped = async () => JSON.stringify(await platform.db.selectFrom('api_keys').selectAll().execute())

test('makes a key that works, and shows it once', async () => {
  const tenant = await first.tenant()
  const subOrgId = await tenant.organization()
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const body = { name: 'CI', scopes: ['users.*', 'environments.read'], expiresAt, requestsPerSecond: 50, subOrgId }
  const reply = await tenant.post(path, body)
  expect(reply.status).toBe(200)
  const { apiKey, key } = reply.body
  expect(key).toMatch(/^ww_live_[0-9A-Za-z]{49}$/)
  const [own] = (await tenant.get(path)).body.apiKeys
  expect(apiKey).toEqual({
    id: apiKey.id,
    name: 'CI',
    start: key.slice(0, 12),
    scopes: body.scopes,
    subOrgId,
    environment: 'production',
    requestsPerSecond: 50,
    allowedIps: null,
    expiresAt,
    lastUsedAt: null,
    lastUsedIp: null,
    createdBy: `api_key:${own.id}`,
    createdAt: apiKey.createdAt,
    revokedAt: null,
  })
  expect(await works(first, key)).toBe(true)
  expect((await first.as(key).get(path)).status).toBe(403)
  const list = await tenant.get(path)
  expect(list.body).toMatchObject({ apiKeys: [own, apiKey], has_more: false, next_cursor: null })
  const events = await first.events({ accountId: tenant.accountId, type: 'api_key.created' })
  expect(events).toMatchObject([{ target_id: apiKey.id, actor_type: 'api_key', actor_id: own.id, data: apiKey }])
  for (const text of [list.text, JSON.stringify(events), await dumped(), first.logLines.join()])
    expect(text).not.toContain(key.slice(12))
  expect((await listApiKeys(platform.db, tenant.accountId)).map((row) => row.id)).toEqual([own.id, apiKey.id])
})

test('a repeated request is answered with the same key, which is kept sealed', async () => {
  const tenant = await first.tenant()
  const make = () => tenant.post(path, { name: 'K', scopes: ['*'] }, { 'idempotency-key': 'same' })
  const [made, again] = [await make(), await make()]
  expect([made.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, made.text, 'true'])
  const kept = await platform.db.selectFrom('idempotency_keys').selectAll().where('key', '=', 'same').execute()
  expect(kept).toHaveLength(1)
  expect(JSON.stringify(kept)).not.toContain(made.body.key.slice(-20))
  expect((await tenant.get(path)).body.apiKeys.filter((key: { name: string }) => key.name === 'K')).toHaveLength(1)
})

test('a key mints only a subset of itself', async () => {
  const tenant = await first.tenant()
  const [own, other] = [await tenant.organization(), await tenant.organization()]
  const soon = new Date(Date.now() + 60_000)
  const { key } = await createApiKey(platform, platform.db, {
    accountId: tenant.accountId,
    environmentId: tenant.environmentId,
    environmentSlug: 'production',
    organizationId: own,
    name: 'narrow',
    scopes: ['api_keys.*', 'users.read'],
    expiresAt: soon,
    requestsPerSecond: null,
    createdBy: 'test',
  })
  const narrow = first.as(key)
  const post = (body: object) => narrow.post(path, { name: 'K', scopes: ['users.read'], ...body })
  for (const body of [
    { scopes: ['users.write'] },
    { scopes: ['users.*'] },
    { scopes: ['*'] },
    { scopes: ['users.read', 'roles.read'] },
    // No permission in the catalogue belongs to this scope.
    { scopes: ['auth.login'] },
    { expiresAt: null },
    { expiresAt: new Date(soon.getTime() + 1).toISOString() },
    { environment: 'staging' },
    { environment: 'unknown' },
  ]) {
    const reply = await post(body)
    expect([body, reply.status, reply.body.code]).toEqual([body, 403, 'privilege_escalation'])
  }
  const foreign = await post({ subOrgId: other })
  expect([foreign.status, foreign.body.code]).toEqual([403, 'sub_org_mismatch'])
  expect((await first.events({ accountId: tenant.accountId, type: 'api_key.created' })).length).toBe(0)
  const made = await post({ scopes: ['users.read', 'api_keys.*', 'api_keys.manage'], environment: 'production' })
  expect(made.body.apiKey).toMatchObject({ subOrgId: own, expiresAt: soon.toISOString(), requestsPerSecond: null })
})

test('an environment mints, lists, rotates and revokes its own keys alone', async () => {
  const tenant = await first.tenant()
  const staging = await tenant.withKey({ environment: 'staging' })
  const refused = await staging.post(path, { name: 'Up', scopes: ['*'], environment: 'production' })
  expect([refused.status, refused.body.code]).toEqual([403, 'privilege_escalation'])
  const [production] = (await tenant.get(path)).body.apiKeys
  expect((await staging.get(path)).body.apiKeys).toMatchObject([{ environment: 'staging' }])
  for (const reply of [
    await staging.delete(`${path}/${production.id}`),
    await staging.post(`${path}/${production.id}/rotate`, {}),
  ])
    expect([reply.status, reply.body.code]).toEqual([404, 'api_key_not_found'])
  expect((await staging.post(path, { name: 'S', scopes: ['*'] })).body.key).toMatch(/^ww_stg_/)
  expect(await works(first, tenant.key)).toBe(true)
})

test('an organization and an account reach their own keys alone', async () => {
  const [tenant, stranger] = [await first.tenant(), await first.tenant()]
  const [own, other] = [await tenant.organization(), await tenant.organization()]
  const scoped = await tenant.withKey({ subOrgId: own })
  const beside = await tenant.withKey({ subOrgId: other })
  const rows = await listApiKeys(platform.db, tenant.accountId)
  const strange = await listApiKeys(platform.db, stranger.accountId)
  expect((await scoped.get(`${path}?include_total=true`)).body).toMatchObject({
    apiKeys: [{ subOrgId: own }],
    total: 1,
  })
  expect((await tenant.get(`${path}?subOrgId=${other}`)).body.apiKeys).toMatchObject([{ subOrgId: other }])
  const out = rows.filter((row) => row.organization_id !== own).concat(strange)
  expect(out).toHaveLength(3)
  for (const id of [...out.map((row) => row.id), newId(), 'nonsense']) {
    const replies = [await scoped.delete(`${path}/${id}`), await scoped.post(`${path}/${id}/rotate`)]
    for (const reply of replies) expect([reply.status, reply.body.code]).toEqual([404, 'api_key_not_found'])
  }
  for (const key of [tenant.key, beside.key, stranger.key]) expect(await works(first, key)).toBe(true)
})

test('refuses what is no key', async () => {
  const tenant = await first.tenant()
  for (const body of [
    { scopes: [] },
    { scopes: ['users.fly'] },
    { scopes: ['*', '*'] },
    { scopes: ['*'], expiresAt: new Date(Date.now() - 1000).toISOString() },
    { scopes: ['*'], expiresAt: 'tomorrow' },
    { scopes: ['*'], requestsPerSecond: 0 },
    { scopes: ['*'], createdBy: 'me' },
    { scopes: ['*'], name: ' ' },
  ]) {
    const reply = await tenant.post(path, { name: 'K', ...body })
    expect([body, reply.status, reply.body.code]).toEqual([body, 400, 'invalid_request'])
  }
  expect((await tenant.get(path)).body.apiKeys).toHaveLength(1)
})

test('an access token in place of a key is told what it is, wherever it is sent', async () => {
  const tenant = await first.tenant()
  const { session } = await signedInUser(first, tenant, await tenant.organization(), 'ada@example.com')
  const { access_token: token, refresh_token: other } = session
  const detail = 'An access token was sent, but this route needs an API key: send one in the header X-API-Key.'
  const nobody = first.as(null)
  for (const headers of [{ 'x-api-key': token }, { authorization: `Bearer ${token}` }]) {
    const reply = await nobody.get('/v1/environments', headers)
    expect(reply.body).toMatchObject({ status: 401, code: 'api_key_invalid', detail })
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="watchword"')
    expect(reply.text).not.toContain(token)
  }
  // For any other text, the response only says that it is not a key.
  for (const key of [other, 'eyJ', 'a.b.c', tenant.key.replace('ww_live', 'ww_stg')])
    expect((await first.as(key).get('/v1/environments')).body.detail).toContain('The key is mistyped')
})

test('a key of the operator’s own making may look like a token', async () => {
  const tenant = await first.tenant()
  const own = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJvcGVyYXRvciJ9.c2lnbmF0dXJl'
  const spec = {
    accountId: tenant.accountId,
    environmentId: tenant.environmentId,
    environmentSlug: 'production',
    organizationId: null,
    name: 'own',
    scopes: ['*'],
    expiresAt: null,
    requestsPerSecond: null,
    createdBy: 'test',
  }
  await createApiKey(platform, platform.db, spec, own)
  expect(await works(first, own)).toBe(true)
})

test('a revoked key is refused at once here and soon elsewhere', async () => {
  const tenant = await first.tenant()
  const { apiKey, key } = (await tenant.post(path, { name: 'K', scopes: ['*'] })).body
  expect([await works(first, key), await works(second, key)]).toEqual([true, true])
  expect((await tenant.delete(`${path}/${apiKey.id}`)).body).toEqual({ success: true })
  const reply = await first.as(key).get('/v1/environments')
  expect([reply.status, reply.body.code]).toEqual([401, 'api_key_invalid'])
  await until(async () => !(await works(second, key)), 5000)
  const [, listed] = (await tenant.get(path)).body.apiKeys
  expect([listed.id, typeof listed.revokedAt]).toEqual([apiKey.id, 'string'])
  expect((await tenant.delete(`${path}/${apiKey.id}`)).body).toEqual({ success: true })
  const [, after] = (await tenant.get(path)).body.apiKeys
  expect(after).toEqual(listed)
  const events = await first.events({ accountId: tenant.accountId, type: 'api_key.revoked' })
  expect(events).toMatchObject([{ target_id: apiKey.id, previous: { revokedAt: null } }])
})

test('rotation ends the secret before at once', async () => {
  const tenant = await first.tenant()
  const before = (await tenant.post(path, { name: 'K', scopes: ['environments.read'] })).body
  expect([await works(first, before.key), await works(second, before.key)]).toEqual([true, true])
  const rotated = await tenant.post(`${path}/${before.apiKey.id}/rotate`)
  expect(rotated.status).toBe(200)
  expect(rotated.body.apiKey).toEqual({ ...before.apiKey, start: rotated.body.key.slice(0, 12) })
  expect([await works(first, before.key), await works(first, rotated.body.key)]).toEqual([false, true])
  await until(async () => !(await works(second, before.key)), 5000)
  expect((await tenant.get(path)).body.apiKeys).toHaveLength(2)
  const events = await first.events({ accountId: tenant.accountId, type: 'api_key.rotated' })
  expect(events).toMatchObject([{ target_id: before.apiKey.id }])
})

test('rotation with an overlap lets the secret before live so long', async () => {
  const tenant = await first.tenant()
  const { apiKey, key } = (await tenant.post(path, { name: 'K', scopes: ['environments.read'] })).body
  const rotate = async (overlap_seconds: number) =>
    (await tenant.post(`${path}/${apiKey.id}/rotate`, { overlap_seconds })).body.key
  const next = await rotate(100)
  const [, kept, overlapping] = (await tenant.get(path)).body.apiKeys
  expect(kept.id).toBe(apiKey.id)
  expect(overlapping).toMatchObject({
    start: key.slice(0, 12),
    createdBy: `rotation:${apiKey.id}`,
    scopes: apiKey.scopes,
  })
  expect([await works(first, key), await works(first, next)]).toEqual([true, true])
  const chained = await tenant.post(`${path}/${overlapping.id}/rotate`)
  expect([chained.status, chained.body.code]).toEqual([409, 'api_key_inactive'])
  await first.advance(101)
  expect([await works(first, key), await works(first, next)]).toEqual([false, true])
  const third = await rotate(604_800)
  const fourth = await rotate(0)
  expect([await works(first, next), await works(first, third), await works(first, fourth)]).toEqual([
    false,
    false,
    true,
  ])
  expect((await tenant.post(`${path}/${apiKey.id}/rotate`, { overlap_seconds: 604_801 })).status).toBe(400)
})

test('revoking a rotated key ends the overlapping secret with it', async () => {
  const tenant = await first.tenant()
  const { apiKey, key } = (await tenant.post(path, { name: 'K', scopes: ['*'] })).body
  const next = (await tenant.post(`${path}/${apiKey.id}/rotate`, { overlap_seconds: 600 })).body.key
  await tenant.delete(`${path}/${apiKey.id}`)
  expect([await works(first, key), await works(first, next)]).toEqual([false, false])
  const again = await tenant.post(`${path}/${apiKey.id}/rotate`)
  expect([again.status, again.body.code]).toEqual([409, 'api_key_inactive'])
  expect(await first.events({ accountId: tenant.accountId, type: 'api_key.revoked' })).toHaveLength(1)
})

test('a key does not rotate another into more than itself', async () => {
  const tenant = await first.tenant()
  const [target] = (await tenant.get(path)).body.apiKeys
  const manager = await tenant.withKey({ scopes: ['api_keys.manage'] })
  const reply = await manager.post(`${path}/${target.id}/rotate`)
  expect([reply.status, reply.body.code]).toEqual([403, 'privilege_escalation'])
  expect(await works(first, tenant.key)).toBe(true)
})

test('two rotations at once on two processes leave one secret alive', async () => {
  const tenant = await first.tenant()
  const { apiKey } = (await tenant.post(path, { name: 'K', scopes: ['environments.read'] })).body
  const replies = await Promise.all(
    [tenant, second.as(tenant.key)].map((caller) => caller.post(`${path}/${apiKey.id}/rotate`)),
  )
  expect(replies.map((reply) => reply.status)).toEqual([200, 200])
  const alive = await Promise.all(replies.map(({ body }) => works(first, body.key)))
  expect(alive.filter(Boolean)).toHaveLength(1)
})

test('the last use is kept in batches, never by the request', async () => {
  const tenant = await first.tenant()
  const [own] = await listApiKeys(platform.db, tenant.accountId)
  if (!own) throw new Error('no key')
  await flushKeyUses(platform)
  const before = (await tenant.get(path)).body.apiKeys[0].lastUsedAt
  expect((await tenant.get(path)).body.apiKeys[0].lastUsedAt).toBe(before)
  noteKeyUse(platform, own.id, '203.0.113.7', platform.clock.now())
  await flushKeyUses(platform)
  const [stamped] = (await tenant.get(path)).body.apiKeys
  expect(stamped.lastUsedIp).toBe('203.0.113.7')
  const earlier = { id: own.id, at: new Date(0), ip: null }
  await Promise.all([platform, second.app.platform].map(({ db }) => stampKeyUses(db, [earlier])))
  const [kept] = await listApiKeys(platform.db, tenant.accountId)
  expect([kept?.last_used_at?.toISOString(), kept?.last_used_ip]).toEqual([stamped.lastUsedAt, '203.0.113.7'])
})

test('no key mints another past the ceiling of the deployment', async () => {
  const limited = await startApp({ env: { WATCHWORD_KEY_REQUESTS_PER_SECOND: '50' } })
  const tenant = await limited.tenant()
  const mint = (body: object) => tenant.post(path, { name: 'K', scopes: ['users.read'], ...body })
  const refused = await mint({ requestsPerSecond: 51 })
  expect([refused.status, refused.body.code]).toEqual([403, 'privilege_escalation'])
  for (const [body, kept] of [
    [{}, null],
    [{ requestsPerSecond: null }, null],
    [{ requestsPerSecond: 50 }, 50],
  ] as const)
    expect((await mint(body)).body.apiKey.requestsPerSecond).toBe(kept)
})
