import { expect, test } from 'vitest'
import { onceFree, type Reply, startApp } from '../../../../test/harness.ts'

const service = await startApp()
const tenant = await service.tenant()
const url = 'https://hooks.example.com/in'

async function make(more: object = {}) {
  const reply = await tenant.post('/v1/webhooks', { name: 'Lake', url, events: ['user.*'], ...more })
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}

test('is made with a secret that is shown once, is changed, and deleted', async () => {
  const subOrgId = await tenant.organization()
  const { webhook, signingSecret } = await make({ subOrgId })
  expect(Buffer.from(signingSecret.slice(6), 'base64')).toHaveLength(32)
  expect(webhook).toMatchObject({ subOrgId, name: 'Lake', url, events: ['user.*'], enabled: true, status: 'active' })
  expect(webhook.secretHint).toBe(`whsec_…${signingSecret.replace(/=+$/, '').slice(-4)}`)
  const path = `/v1/webhooks/${webhook.id}`
  const read = await tenant.get(path)
  expect(read.body).toEqual({ webhook, deliveries: [] })
  expect((await tenant.get(`/v1/webhooks?subOrgId=${subOrgId}`)).body.webhooks).toEqual([webhook])
  expect(read.text + JSON.stringify(await service.events(tenant))).not.toContain(signingSecret)

  const changed = await tenant.patch(path, { subOrgId, enabled: false }, { 'if-match': read.headers.get('etag') ?? '' })
  expect(changed.status, changed.text).toBe(200)
  expect(changed.body.webhook).toMatchObject({ enabled: false, status: 'disabled', disabledReason: 'request' })
  const late = await tenant.patch(path, { subOrgId, name: 'B' }, { 'if-match': read.headers.get('etag') ?? '' })
  expect([late.status, late.body.code]).toEqual([412, 'version_conflict'])
  const again = await tenant.patch(path, { subOrgId, enabled: true, events: ['*', '*'] })
  expect(again.body.webhook).toMatchObject({ enabled: true, disabledReason: null, events: ['*'] })

  const stale = { 'if-match': read.headers.get('etag') ?? '' }
  const early = await tenant.delete(`${path}?subOrgId=${subOrgId}`, stale)
  expect([early.status, early.body.code]).toEqual([412, 'version_conflict'])
  const present = { 'if-match': again.headers.get('etag') ?? '' }
  expect((await tenant.delete(`${path}?subOrgId=${subOrgId}`, present)).body).toEqual({ success: true })
  expect((await tenant.get(path)).body.code).toBe('webhook_not_found')
  const types = (await service.events(tenant)).map(({ type }) => type).filter((type) => type.startsWith('webhook'))
  expect(types).toEqual(['webhook.created', 'webhook.updated', 'webhook.updated', 'webhook.deleted'])
})

test('of an organization is out of reach of another, and of the environment of each', async () => {
  const [one, two] = [await tenant.organization(), await tenant.organization()]
  const own = (await make({ subOrgId: one })).webhook
  const wide = (await make({ scope: 'environment' })).webhook
  expect(wide.subOrgId).toBeNull()
  const other = await tenant.withKey({ subOrgId: two })
  for (const { id } of [own, wide]) {
    for (const reply of [await other.get(`/v1/webhooks/${id}`), await other.patch(`/v1/webhooks/${id}`, { name: 'x' })])
      expect([reply.status, reply.body.code]).toEqual([404, 'webhook_not_found'])
    expect((await other.post(`/v1/webhooks/${id}/rotate-secret`)).status).toBe(404)
  }
  expect((await other.get('/v1/webhooks')).body.webhooks).toEqual([])
})

const from = new Date().toISOString()

/** Every change of a webhook by id, with the organization or scope in the query or the body. */
const writes = (id: string, place: object) => {
  const path = `/v1/webhooks/${id}`
  const query = new URLSearchParams(Object.entries(place)).toString()
  return [
    () => tenant.patch(path, { ...place, name: 'x' }),
    () => tenant.post(`${path}/test?${query}`),
    () => tenant.post(`${path}/rotate-secret`, place),
    () => tenant.post(`${path}/replay`, { ...place, from }),
    () => tenant.post(`${path}/deliveries/${id}/resend?${query}`),
    () => tenant.delete(`${path}?${query}`),
    () => tenant.delete(path, {}, place),
  ]
}

test('is for the whole environment only by scope, and each write by id names its place', async () => {
  const subOrgId = await tenant.organization()
  const [own, wide] = [(await make({ subOrgId })).webhook, (await make({ scope: 'environment' })).webhook]
  expect([own.subOrgId, wide.subOrgId]).toEqual([subOrgId, null])
  const seen = (await service.events(tenant)).length
  const create = (more: object) => tenant.post('/v1/webhooks', { name: 'Lake', url, events: ['user.*'], ...more })
  const detail = expect.stringContaining('scope: "environment"')
  for (const reply of [
    await create({}),
    ...(await inTurn([...writes(own.id, {}), ...writes(wide.id, {})])),
    await tenant.delete('/v1/webhooks/none'),
  ])
    expect([reply.status, reply.body]).toEqual([400, expect.objectContaining({ code: 'sub_org_required', detail })])
  // Each webhook is addressed with the organization or scope of the other.
  const elsewhere = [...writes(wide.id, { subOrgId }), ...writes(own.id, { scope: 'environment' })]
  for (const { status, body } of await inTurn(elsewhere))
    expect([status, body.code]).toEqual([404, 'webhook_not_found'])
  expect((await tenant.patch(`/v1/webhooks/${own.id}`, { scope: 'environment', name: 'x' })).body.detail).toContain(
    'subOrgId',
  )
  for (const [more, status, code] of [
    [{ subOrgId, scope: 'environment' }, 400, 'sub_org_conflict'],
    [{ scope: 'account' }, 400, 'invalid_request'],
    [{ scope: null }, 400, 'invalid_request'],
    [{ subOrgId: null }, 400, 'invalid_request'],
  ] as const)
    for (const reply of [await create(more), await tenant.patch(`/v1/webhooks/${wide.id}`, { ...more, name: 'x' })])
      expect([reply.status, reply.body.code]).toEqual([status, code])
  const twice = await tenant.delete(`/v1/webhooks/${wide.id}?scope=environment`, {}, { subOrgId })
  expect([twice.status, twice.body.code]).toEqual([400, 'sub_org_conflict'])
  for (const { webhook } of [
    (await tenant.get(`/v1/webhooks/${own.id}`)).body,
    (await tenant.get(`/v1/webhooks/${wide.id}`)).body,
  ])
    expect(webhook).toEqual(webhook.id === own.id ? own : wide)
  expect((await service.events(tenant)).length).toBe(seen)

  const changes = [writes(own.id, { subOrgId }), writes(wide.id, { scope: 'environment' })]
  for (const [change, test, rotate, replay, resend, remove] of changes) {
    const replies = await inTurn([change, test, rotate, replay, resend, remove].flatMap((send) => send ?? []))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 200])
    expect(replies[4]?.body.code).toBe('delivery_not_found')
  }
})

async function inTurn(requests: (() => Promise<Reply>)[]): Promise<Reply[]> {
  const replies: Reply[] = []
  for (const send of requests) replies.push(await send())
  return replies
}

test('a webhook is read with the scope that a change of it needs', async () => {
  const { webhook } = await make({ scope: 'environment' })
  const own = await make({ subOrgId: await tenant.organization() })
  const read = async (id: string, query: string) => {
    const { status, body } = await tenant.get(`/v1/webhooks/${id}?${query}`)
    return [status, body.code]
  }
  expect(await read(webhook.id, 'scope=environment')).toEqual([200, undefined])
  expect(await read(own.webhook.id, 'scope=environment')).toEqual([404, 'webhook_not_found'])
  expect(await read(webhook.id, `scope=environment&subOrgId=${own.webhook.subOrgId}`)).toEqual([
    400,
    'sub_org_conflict',
  ])
  expect(await read(webhook.id, 'scope=organization')).toEqual([400, 'invalid_request'])
})

test('a key of one organization makes none for the environment', async () => {
  const subOrgId = await tenant.organization()
  const scoped = await tenant.withKey({ subOrgId })
  const made = await scoped.post('/v1/webhooks', { name: 'Lake', url, events: ['*'], scope: 'environment' })
  expect([made.status, made.body.code]).toEqual([403, 'sub_org_mismatch'])
  expect((await scoped.get('/v1/webhooks')).body.webhooks).toEqual([])
  const { body } = await scoped.patch(`/v1/webhooks/${subOrgId}`, { name: 'x' })
  const detail =
    'The organization has no such webhook. For a webhook of the whole environment (subOrgId null), send scope: "environment".'
  expect(body).toMatchObject({ code: 'webhook_not_found', detail })
})

test.each([
  ['http://hooks.example.com/in', 400, 'insecure_url'],
  ['https://127.0.0.1/in', 422, 'webhook_url_not_allowed'],
  ['https://2130706433/in', 422, 'webhook_url_not_allowed'],
  ['https://[::1]/in', 422, 'webhook_url_not_allowed'],
  ['https://[::ffff:10.0.0.1]/in', 422, 'webhook_url_not_allowed'],
  ['https://169.254.169.254/latest', 422, 'webhook_url_not_allowed'],
  ['https://db.internal/', 422, 'webhook_url_not_allowed'],
  ['https://user:pw@hooks.example.com/', 400, 'invalid_request'],
  ['https://hooks.example.com/#a', 400, 'invalid_request'],
  ['ftp://hooks.example.com/', 400, 'invalid_request'],
])('is not sent to %s', async (address, status, code) => {
  const scope = 'environment'
  const made = await tenant.post('/v1/webhooks', { name: 'A', url: address, events: ['*'], scope })
  const { webhook } = await make({ scope })
  const changed = await tenant.patch(`/v1/webhooks/${webhook.id}`, { url: address, scope })
  for (const reply of [made, changed]) expect([reply.status, reply.body.code]).toEqual([status, code])
  expect((await tenant.delete(`/v1/webhooks/${webhook.id}?scope=environment`)).status).toBe(200)
})

test('listens to types that there are', async () => {
  const events = ['user.created', 'user.exploded', 'x.*']
  const reply = await tenant.post('/v1/webhooks', { name: 'A', url, events, scope: 'environment' })
  expect([reply.status, reply.body.errors]).toEqual([
    400,
    [{ field: 'events', code: 'enum', message: 'events names unknown types: "user.exploded", "x.*"' }],
  ])
  expect(reply.body.detail).toContain('user.deleted')
  const { eventTypes } = (await tenant.get('/v1/webhooks/event-types')).body
  expect(eventTypes.map(({ type }: { type: string }) => type)).toContain('webhook.disabled')
})

test('there are at most 50, however many are made at the same time', async () => {
  const subOrgId = await tenant.organization()
  const scoped = await tenant.withKey({ subOrgId })
  const body = { name: 'A', url, events: ['*'] }
  const replies = await Promise.all(Array.from({ length: 55 }, () => onceFree(() => scoped.post('/v1/webhooks', body))))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(50)
  for (const { status, body } of replies.filter(({ status }) => status !== 200))
    expect([status, body.code]).toEqual([409, 'webhook_limit_reached'])
})
