import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned, SCIM, scimCaller } from '../../../../test/people/scim.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform

const CONFIG = '/v1/scim/config'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

const typesOf = async (subOrgId: string) =>
  (await app.events({ accountId: tenant.accountId }))
    .filter((event) => event.organization_id === subOrgId && event.type.startsWith('scim.'))
    .map(({ type }) => type)

const isTaken = async (token: string) => (await scimCaller(app, token)('GET', '/Me')).status !== 401

test('provisioning is off at first, and what is changed is told', async () => {
  const subOrgId = await tenant.organization()
  const first = await tenant.get(`${CONFIG}?subOrgId=${subOrgId}`)
  expect(first.body.config).toEqual({
    enabled: false,
    endpointUrl: `http://localhost:4000${SCIM}`,
    sso_connection_id: null,
    subOrgId,
    tokenSet: false,
    tokenHint: null,
    tokenRotatedAt: null,
    tokenExpiresAt: null,
    currentTokenExpiresAt: null,
    lastRequestAt: null,
    userCount: 0,
    groupCount: 0,
    onDeprovision: 'deactivate',
  })
  const on = await tenant.patch(CONFIG, { enabled: true, subOrgId })
  expect(on.body.config).toMatchObject({ enabled: true, onDeprovision: 'deactivate' })
  await tenant.patch(CONFIG, { enabled: true, subOrgId })
  const other = await tenant.patch(CONFIG, { onDeprovision: 'delete', subOrgId })
  expect(other.body.config).toMatchObject({ enabled: true, onDeprovision: 'delete' })
  await tenant.patch(CONFIG, { enabled: false, subOrgId })
  expect(await typesOf(subOrgId)).toEqual(['scim.enabled', 'scim.config_updated', 'scim.disabled'])
})

test('the linked connection is one of the organization', async () => {
  const [subOrgId, stranger] = [await tenant.organization(), await tenant.organization()]
  const oidc = {
    name: 'Acme',
    protocol: 'oidc',
    oidc_issuer: 'https://login.acme.example',
    oidc_client_id: 'watchword',
  }
  const own = (await tenant.post('/v1/sso/connections', { ...oidc, subOrgId })).body.connection.id
  const other = (await tenant.post('/v1/sso/connections', { ...oidc, subOrgId: stranger })).body.connection.id
  const linked = await tenant.patch(CONFIG, { sso_connection_id: own.toUpperCase(), subOrgId })
  expect(linked.body.config.sso_connection_id).toBe(own)
  for (const id of [other, 'nothing', '0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce']) {
    const refused = await tenant.patch(CONFIG, { sso_connection_id: id, subOrgId })
    expect([refused.status, refused.body.code]).toEqual([400, 'scim_connection_not_found'])
  }
  const none = await tenant.patch(CONFIG, { sso_connection_id: null, subOrgId })
  expect(none.body.config.sso_connection_id).toBeNull()
})

test('a token is shown once, stored as a keyed hash, and says nothing of the organization', async () => {
  const subOrgId = await tenant.organization()
  const reply = await tenant.post(CONFIG, { action: 'rotate-token', subOrgId })
  const { token, config } = reply.body
  expect(token).toMatch(/^scim_[0-9A-Za-z]{49}$/)
  expect(config).toMatchObject({ tokenSet: true, tokenHint: `scim_…${token.slice(-4)}`, tokenExpiresAt: null })
  expect(await typesOf(subOrgId)).toEqual(['scim.token_rotated'])
  const rows = await db.selectFrom('scim_tokens').selectAll().execute()
  const events = await app.events({ accountId: tenant.accountId })
  expect(JSON.stringify([rows, events, app.logLines])).not.toContain(token.slice(5, 40))
})

test('a new token ends the old one at once, or after the overlap', async () => {
  const { subOrgId, token: first } = await provisioned(app, tenant)
  expect(await isTaken(first)).toBe(true)
  const second = (await tenant.post(CONFIG, { action: 'rotate-token', subOrgId })).body.token
  expect([await isTaken(first), await isTaken(second)]).toEqual([false, true])
  const third = await tenant.post(CONFIG, { action: 'rotate-token', overlap_seconds: 3600, subOrgId })
  expect(third.body.config.tokenExpiresAt).not.toBeNull()
  expect([await isTaken(second), await isTaken(third.body.token)]).toEqual([true, true])
  await app.advance(3601)
  expect([await isTaken(second), await isTaken(third.body.token)]).toEqual([false, true])
  expect((await tenant.get(`${CONFIG}?subOrgId=${subOrgId}`)).body.config.tokenExpiresAt).toBeNull()
})

test('a rotation without overlap ends every earlier token, and none of another organization', async () => {
  const other = await provisioned(app, tenant)
  const { subOrgId, token: first } = await provisioned(app, tenant)
  const overlapping = { action: 'rotate-token', overlap_seconds: 604_800, subOrgId }
  const second = (await tenant.post(CONFIG, overlapping)).body.token
  expect([await isTaken(first), await isTaken(second)]).toEqual([true, true])
  const third = (await tenant.post(CONFIG, { action: 'rotate-token', subOrgId })).body.token
  expect([await isTaken(first), await isTaken(second), await isTaken(third)]).toEqual([false, false, true])
  expect(await isTaken(other.token)).toBe(true)
  expect((await tenant.post(CONFIG, { ...overlapping, overlap_seconds: 604_801 })).status).toBe(400)
})

test('of rotations at once the last one counts, and each shown token is its own', async () => {
  const subOrgId = await tenant.organization()
  const rotate = () => tenant.post(CONFIG, { action: 'rotate-token', subOrgId })
  const replies = await Promise.all(Array.from({ length: 6 }, rotate))
  const tokens = replies.map(({ body }) => body.token)
  expect(new Set(tokens).size).toBe(6)
  const taken = await Promise.all(tokens.map(isTaken))
  expect(taken.filter(Boolean)).toHaveLength(1)
})

test('a token that is none is refused as SCIM says', async () => {
  const { token } = await provisioned(app, tenant)
  const wrong = [null, '', 'scim_0', `${token}x`, token.slice(0, -1), `scim_${'A'.repeat(49)}`, tenant.key]
  for (const presented of wrong) {
    const reply = await scimCaller(app, presented)('GET', '/Me')
    expect([presented, reply.status]).toEqual([presented, 401])
    expect(reply.headers.get('content-type')).toBe('application/scim+json')
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer realm/)
    expect(reply.body).toMatchObject({ schemas: [ERROR], status: '401', detail: expect.any(String) })
  }
})

test('what the endpoint can do is read without a token, and not filtered', async () => {
  const read = scimCaller(app, null)
  const config = await read('GET', '/ServiceProviderConfig?aadOptscim062020')
  expect(config.headers.get('content-type')).toBe('application/scim+json')
  expect(config.body).toMatchObject({
    patch: { supported: true },
    bulk: { supported: true, maxOperations: 1000, maxPayloadSize: 1_048_576 },
    filter: { supported: true, maxResults: 200 },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    pagination: { cursor: true, index: true },
    authenticationSchemes: [{ type: 'oauthbearertoken' }],
  })
  const types = await read('GET', '/ResourceTypes')
  expect(types.body.Resources.map(({ id, endpoint }: Record<string, string>) => [id, endpoint])).toEqual([
    ['User', '/Users'],
    ['Group', '/Groups'],
  ])
  expect((await read('GET', '/ResourceTypes/user')).body.id).toBe('User')
  expect((await read('GET', '/ResourceTypes/Nothing')).status).toBe(404)
  for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/ResourceTypes/User', '/Schemas']) {
    const filtered = await read('GET', `${path}?filter=id eq "1"`)
    expect([path, filtered.status, filtered.body.schemas]).toEqual([path, 403, [ERROR]])
  }
})

test('nobody is a user by a token of provisioning', async () => {
  const { call } = await provisioned(app, tenant)
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const reply = await call(method, '/Me', ['GET', 'DELETE'].includes(method) ? undefined : {})
    expect([method, reply.status, reply.body.status]).toEqual([method, 501, '501'])
  }
})

test('where provisioning is off, or the organization suspended, nobody is served', async () => {
  const { subOrgId, call } = await provisioned(app, tenant)
  const served = async () => (await call('GET', '/Me')).status
  expect(await served()).toBe(501)
  await tenant.patch(CONFIG, { enabled: false, subOrgId })
  expect(await served()).toBe(403)
  await tenant.patch(CONFIG, { enabled: true, subOrgId })
  expect(await served()).toBe(501)
  for (const status of ['suspended', 'archived']) {
    await tenant.patch(`/v1/organizations/${subOrgId}`, { status })
    expect(await served()).toBe(403)
    await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'active' })
    expect(await served()).toBe(501)
  }
})

test('each request is kept, with why it was refused and how to mend it, and no secret', async () => {
  const { subOrgId, call, token } = await provisioned(app, tenant)
  await call('POST', '/Users', { userName: 'ada@acme.example', title: 'Engineer' })
  await call('POST', '/Users', { userName: 'ADA@acme.example', password: 'canary-of-a-password' })
  await call('GET', '/Users?filter=nickName eq "x"')
  await call('POST', '/Users', '{')
  const { logs } = (await tenant.get(`/v1/scim/logs?subOrgId=${subOrgId}`)).body
  const told = logs.map((log: Record<string, unknown>) => [log['method'], log['status'], log['outcome'], log['code']])
  expect(told).toEqual([
    ['POST', 201, 'accepted', null],
    ['POST', 409, 'refused', 'scim_uniqueness'],
    ['GET', 400, 'refused', 'scim_invalid_filter'],
    ['POST', 400, 'refused', 'invalid_json'],
  ])
  expect(logs[0]).toMatchObject({ path: '/Users', reason: null, fix: null, body: { title: 'Engineer' } })
  expect(logs[1]).toMatchObject({
    reason: 'Another user has this userName.',
    fix: expect.stringContaining('the same userName'),
  })
  const rows = await db.selectFrom('scim_logs').selectAll().execute()
  expect(JSON.stringify([logs, rows])).not.toMatch(new RegExp(`canary|${token.slice(5, 30)}`))
  expect(JSON.stringify(rows)).not.toContain('acme.example')
  expect((await tenant.get(`${CONFIG}?subOrgId=${subOrgId}`)).body.config.lastRequestAt).toEqual(expect.any(String))
  await call('GET', '/Users')
  const page = await tenant.get(`/v1/scim/logs?subOrgId=${subOrgId}&order=desc&limit=1`)
  expect([page.body.logs[0].path, page.body.has_more]).toEqual(['/Users', true])
})

test('what a client sent is shown as data, whatever it would be in a page', async () => {
  const { subOrgId, call } = await provisioned(app, tenant)
  const hostile = '</script><img src=x onerror=alert(1)>'
  const body = { userName: `x-${hostile}`, displayName: hostile, title: hostile, emails: [{ value: 'x@acme.example' }] }
  const { id } = (await call('POST', '/Users', body)).body
  await call('DELETE', `/Users/${encodeURIComponent(hostile)}`)
  const replies = [
    await tenant.get(`/v1/scim/logs?subOrgId=${subOrgId}`),
    await tenant.get(`/v1/users/${id}?subOrgId=${subOrgId}`),
    await call('GET', `/Users/${id}`),
    await call('GET', `/Users/${encodeURIComponent(hostile)}`),
  ]
  for (const { headers } of replies) {
    expect(headers.get('content-type')).toMatch(/^application\/(scim\+)?json(;|$)/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  const [logs] = replies
  expect(logs?.body.logs.map(({ body }: { body: { title?: string } | null }) => body?.title)).toContain(hostile)
})
