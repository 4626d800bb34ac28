import { expect, test } from 'vitest'
import { onceFree, startApp } from '../../../test/harness.ts'

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

  expect((await tenant.delete(`${path}?subOrgId=${subOrgId}`)).body).toEqual({ success: true })
  expect((await tenant.get(path)).body.code).toBe('webhook_not_found')
  const types = (await service.events(tenant)).map(({ type }) => type).filter((type) => type.startsWith('webhook'))
  expect(types).toEqual(['webhook.created', 'webhook.updated', 'webhook.updated', 'webhook.deleted'])
})

test('of an organization is out of reach of another, and of the environment of each', async () => {
  const [one, two] = [await tenant.organization(), await tenant.organization()]
  const own = (await make({ subOrgId: one })).webhook
  const wide = (await make()).webhook
  expect(wide.subOrgId).toBeNull()
  const other = await tenant.withKey({ subOrgId: two })
  for (const { id } of [own, wide]) {
    for (const reply of [await other.get(`/v1/webhooks/${id}`), await other.patch(`/v1/webhooks/${id}`, { name: 'x' })])
      expect([reply.status, reply.body.code]).toEqual([404, 'webhook_not_found'])
    expect((await other.post(`/v1/webhooks/${id}/rotate-secret`)).status).toBe(404)
  }
  expect((await other.get('/v1/webhooks')).body.webhooks).toEqual([])
})

test('of an organization is changed and tested with its subOrgId, which a refusal without it says', async () => {
  const subOrgId = await tenant.organization()
  const { webhook } = await make({ subOrgId })
  const seen = (await service.events(tenant)).length
  const path = `/v1/webhooks/${webhook.id}`
  const detail = expect.stringContaining('with its subOrgId, which GET shows')
  const from = new Date().toISOString()
  for (const reply of [
    await tenant.patch(path, { name: 'x' }),
    await tenant.delete(path),
    await tenant.post(`${path}/test`),
    await tenant.post(`${path}/rotate-secret`),
    await tenant.post(`${path}/replay`, { from }),
    await tenant.post(`${path}/deliveries/${webhook.id}/resend`),
    await tenant.patch('/v1/webhooks/none', { name: 'x' }),
  ])
    expect([reply.status, reply.body]).toEqual([404, expect.objectContaining({ code: 'webhook_not_found', detail })])
  const scoped = await tenant.withKey({ subOrgId })
  const { body } = await scoped.patch(`/v1/webhooks/${subOrgId}`, { name: 'x' })
  expect(body).toMatchObject({ code: 'webhook_not_found', detail: 'The organization has no such webhook.' })
  expect((await tenant.get(path)).body.webhook).toEqual(webhook)
  expect((await service.events(tenant)).length).toBe(seen)
  expect((await tenant.patch(path, { subOrgId, name: 'Sea' })).body.webhook.name).toBe('Sea')
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
  const made = await tenant.post('/v1/webhooks', { name: 'A', url: address, events: ['*'] })
  const { webhook } = await make()
  const changed = await tenant.patch(`/v1/webhooks/${webhook.id}`, { url: address })
  for (const reply of [made, changed]) expect([reply.status, reply.body.code]).toEqual([status, code])
  await tenant.delete(`/v1/webhooks/${webhook.id}`)
})

test('listens to types that there are', async () => {
  const reply = await tenant.post('/v1/webhooks', { name: 'A', url, events: ['user.created', 'user.exploded', 'x.*'] })
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
