import { expect, test } from 'vitest'
import { mediaOf } from '../../src/platform/http/media.ts'
import { routes } from '../../src/wiring/routes.ts'
import { startApp } from '../harness.ts'
import { send } from '../send.ts'
import { nameOf } from './samples.ts'

const app = await startApp()
const tenant = await app.tenant()

const withKey = { 'x-api-key': tenant.key, 'content-type': 'application/json' }

test('an organization named in the body of a GET is refused, not passed over', async () => {
  const [one, two] = [await tenant.organization(), await tenant.organization()]
  await tenant.post('/v1/users', { subOrgId: two, email: 'of-two@example.com' })
  const body = JSON.stringify({ subOrgId: one })
  const forms = [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]
  for (const form of forms) {
    const reply = await send(`${app.baseUrl}/v1/users`, { headers: { ...withKey, ...form }, body })
    expect([reply.status, JSON.parse(reply.text).code]).toEqual([400, 'invalid_request'])
    expect(reply.text).not.toContain('of-two')
  }
  const empty = await send(`${app.baseUrl}/v1/users`, { headers: { ...withKey, 'content-length': '0' } })
  expect([empty.status, empty.text.includes('of-two')]).toEqual([200, true])
})

const looks = routes.filter(({ method }) => method === 'GET').map((route) => [nameOf(route), route] as const)

test.each(looks)('%s with a body is 400, with HEAD too', async (_, route) => {
  const url = app.baseUrl + route.path.replaceAll(/\{\w+\}/g, 'any')
  const headers = { 'x-api-key': tenant.key, 'content-length': '2' }
  const shown = await send(url, { headers, body: '{}' })
  expect([shown.status, shown.type.split(';')[0]]).toEqual([400, mediaOf(route.media).refusalType])
  expect((await send(url, { method: 'HEAD', headers, body: '{}' })).status).toBe(400)
})
