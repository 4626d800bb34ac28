import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import * as forExpress from '../src/express.ts'
import * as forFastify from '../src/fastify.ts'
import { receiveDelivery } from '../src/fetch.ts'
import * as forHono from '../src/hono.ts'
import { verifyWebhook } from '../src/webhooks.ts'

// What is wrong with the set-up of a webhook is said when it is registered, or in the log of the application.

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const BAD: [string, unknown][] = [
  ['none', undefined],
  ['an empty text', ''],
  ['another text', 'hunter2'],
  ['base64 of too few bytes', 'whsec_aHVudGVyMg=='],
  ['an empty list', []],
  ['a list with an empty text', [secret, '']],
]
const ignore = () => undefined

describe.each(BAD)('as a secret, %s is refused', (_, given) => {
  const bad = given as string

  test('by Express and Hono where the webhook is registered', () => {
    expect(() => forExpress.webhook(bad, ignore)).toThrow(TypeError)
    expect(() => forHono.webhook(bad, ignore)).toThrow(TypeError)
  })

  test('by Fastify before it listens', async () => {
    const { webhook } = forFastify
    const app = fastify()
    const register = async () => {
      await app.register(webhook, { path: '/webhooks', secret: bad, handle: ignore })
    }
    await expect(register()).rejects.toThrow(TypeError)
  })

  test('by what takes one delivery, also if that is not signed', async () => {
    await expect(verifyWebhook('{}', {}, bad)).rejects.toThrow(TypeError)
    const request = new Request('http://x.test', { method: 'POST', body: '{}' })
    await expect(receiveDelivery(request, bad, ignore)).rejects.toThrow(TypeError)
  })
})

test('Express: behind a parser of JSON, the delivery is refused, and the log says where to register the webhook', async () => {
  const reported: unknown[] = []
  const received: string[] = []
  const app = express()
  app.use(express.json())
  const take = ({ id }: { id: string }) => void received.push(id)
  app.post('/webhooks', forExpress.webhook(secret, take, { report: (error) => void reported.push(error) }))
  const server = createServer(app)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  afterAll(() => void server.close())
  const [body, at] = ['{"id":"evt_1","type":"user.created"}', new Date()]
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  }
  const { port } = server.address() as AddressInfo
  const reply = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body })
  expect([reply.status, Object(await reply.json()).code, received]).toEqual([400, 'body_not_raw', []])
  expect(reported).toMatchObject([
    { name: 'WebhookError', message: expect.stringContaining('before `express.json()`') },
  ])
  // What anyone can send is not for the log.
  const forged = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: 'x' })
  expect([forged.status, reported.length]).toEqual([400, 1])
})
