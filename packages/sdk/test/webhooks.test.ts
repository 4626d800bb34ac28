import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { fanOut } from '../../../src/features/records/deliveries/fan-out.ts'
import { startApp } from '../../../test/harness.ts'
import { startReceiver } from '../../../test/peers/webhook-receiver.ts'
import { deliverDue } from '../../../test/people/webhook-delivery.ts'
import { Watchword } from '../src/index.ts'
import { verifyWebhook, WebhookError } from '../src/webhooks.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()

function signed(body: string, at = new Date(), by = secret, id = 'evt_1') {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new StandardWebhook(by).sign(id, at, body),
  }
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: unknown) => (error instanceof WebhookError ? error.code : String(error)),
  )

const bodies: [string, string][] = [
  ['an emoji', '{"name":"🦅 Ada"}'],
  ['an escaped character', '{"name":"\\u003cb\\u003e"}'],
  ['a line end at the end', '{"name":"Ada"}\n'],
  ['spaces and an order of its own', '{ "b" : 1.0,  "a":1e3 }'],
]

describe('accepts the body as it arrived', () => {
  test.each(bodies)('with %s', async (_, body) => {
    const headers = signed(body)
    const bytes = new TextEncoder().encode(body)
    const padded = new Uint8Array([1, 2, ...bytes, 3])
    const shapes = [body, Buffer.from(body), bytes, bytes.buffer, padded.subarray(2, 2 + bytes.length)]
    for (const shape of shapes) expect(await verifyWebhook(shape, headers, secret)).toEqual(JSON.parse(body))
    expect(await verifyWebhook(body, new Headers(headers), secret)).toEqual(JSON.parse(body))
  })
})

test('passes an event on whose type the package does not list', async () => {
  const body = '{"id":"evt_1","type":"rocket.launched","data":{"height":7}}'
  const event = await verifyWebhook(body, signed(body), secret)
  const type: string = event.type
  expect([type, event.data]).toEqual(['rocket.launched', { height: 7 }])
})

test('refuses a parsed body with a sentence', async () => {
  const parsed = verifyWebhook({ name: 'Ada' } as never, signed('{}'), secret)
  await expect(parsed).rejects.toThrow('Pass the raw body (text or bytes), not a parsed object.')
  expect(await codeOf(verifyWebhook(undefined as never, signed('{}'), secret))).toBe('body_not_raw')
})

test('refuses what is missing, old, early, changed, or signed by another', async () => {
  const body = '{"id":"evt_1"}'
  const { 'webhook-id': _, ...without } = signed(body)
  const at = (seconds: number) => verifyWebhook(body, signed(body, new Date(Date.now() + seconds * 1000)), secret)
  expect(await codeOf(verifyWebhook(body, without, secret))).toBe('header_missing')
  expect(await codeOf(at(-302))).toBe('timestamp_invalid')
  expect(await codeOf(at(302))).toBe('timestamp_invalid')
  expect(await codeOf(at(-290))).toBe('accepted')
  const odd = { ...signed(body), 'webhook-timestamp': 'NaN' }
  expect(await codeOf(verifyWebhook(body, odd, secret))).toBe('timestamp_invalid')
  expect(await codeOf(verifyWebhook(`${body} `, signed(body), secret))).toBe('signature_invalid')
  expect(await codeOf(verifyWebhook(body, signed(body, new Date(), newSecret()), secret))).toBe('signature_invalid')
  const moved = { ...signed(body), 'webhook-id': 'evt_2' }
  expect(await codeOf(verifyWebhook(body, moved, secret))).toBe('signature_invalid')
  const none = { ...signed(body), 'webhook-signature': 'v1, v2,abc v1,%%%' }
  expect(await codeOf(verifyWebhook(body, none, secret))).toBe('signature_invalid')
})

test('refuses every time if the tolerance or the secret is no value', async () => {
  const body = '{}'
  const old = signed(body, new Date(1000))
  expect(await codeOf(verifyWebhook(body, old, secret, { toleranceSeconds: Number.NaN }))).toBe('timestamp_invalid')
  expect(await codeOf(verifyWebhook(body, signed(body), secret, { now: () => Number.NaN }))).toBe('timestamp_invalid')
  for (const none of ['', 'whsec_', undefined, 'whsec_%'])
    await expect(verifyWebhook(body, signed(body), none as never)).rejects.toThrow('The secret of a webhook is missing')
})

test('reads headers in any case, of any kind, and several signatures', async () => {
  const body = '{}'
  const headers = signed(body)
  const inCapitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  expect(await verifyWebhook(body, inCapitals, secret)).toEqual({})
  const another = { get: (name: string) => new Headers(headers).get(name) } as Headers
  expect(await verifyWebhook(body, another, secret)).toEqual({})
  const list = { ...headers, 'webhook-signature': ['v1,AAAA', headers['webhook-signature']] }
  expect(await verifyWebhook(body, list, secret)).toEqual({})
})

test('during a rotation either secret is good, and either signature', async () => {
  const [old, body] = [newSecret(), '{"id":"evt_1"}']
  expect(await codeOf(verifyWebhook(body, signed(body, new Date(), old), [secret, old]))).toBe('accepted')
  const both = { ...signed(body), 'webhook-signature': ['v1,AAAA', signed(body)['webhook-signature']].join(' ') }
  expect(await codeOf(verifyWebhook(body, both, secret))).toBe('accepted')
})

test('agrees with standardwebhooks and svix on 1 000 random messages, whole and changed', async () => {
  const change = fc.constantFrom('none', 'body', 'id', 'time', 'secret', 'signature')
  await fc.assert(
    fc.asyncProperty(fc.json(), change, fc.uint8Array({ minLength: 24, maxLength: 64 }), async (body, what, key) => {
      const by = `whsec_${Buffer.from(key).toString('base64')}`
      const good = signed(body, new Date(), by)
      const headers = {
        'webhook-id': what === 'id' ? 'evt_2' : good['webhook-id'],
        'webhook-timestamp':
          what === 'time' ? String(Number(good['webhook-timestamp']) - 1) : good['webhook-timestamp'],
        'webhook-signature':
          what === 'signature' ? `v1,${randomBytes(32).toString('base64')}` : good['webhook-signature'],
      }
      const text = what === 'body' ? `${body}\n` : body
      const used = what === 'secret' ? newSecret() : by
      const ours = (await codeOf(verifyWebhook(text, headers, used))) === 'accepted'
      const theirs = [new StandardWebhook(used), new SvixWebhook(used)].map((peer) => {
        try {
          peer.verify(text, headers)
          return true
        } catch {
          return false
        }
      })
      expect([ours, ...theirs]).toEqual(Array(3).fill(what === 'none'))
    }),
    { numRuns: 1000 },
  )
})

test('accepts what the service delivers', async () => {
  const service = await startApp({ env: { WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' } })
  const tenant = await service.tenant()
  const receiver = await startReceiver()
  const watchword = new Watchword({ url: service.baseUrl, apiKey: tenant.key })
  const subOrgId = await tenant.organization()
  const hook = { subOrgId, name: 'All', url: receiver.url, events: ['user.created'] }
  const { signingSecret } = await watchword.webhooks.create(hook)
  const { user } = await watchword.users.create({ subOrgId, email: 'ada@acme.test', displayName: 'Zoë 🦅 <b>' })
  await service.settled()
  while (await fanOut(service.app.platform));
  while (await deliverDue(service.app.platform));
  const [delivery] = receiver.received
  const event = await verifyWebhook(delivery?.body ?? '', delivery?.headers ?? {}, signingSecret)
  if (event.type !== 'user.created') throw new Error(event.type)
  expect(event.data).toMatchObject({ id: user.id, displayName: 'Zoë 🦅 <b>' })
})
