import { expect, test } from 'vitest'
import { routes } from '../src/routes.ts'
import { startApp } from './harness.ts'
import { nameOf, orgWideOnly, sampleOf, sendSample } from './samples.ts'
import { makeWorldFor } from './world.ts'

// With an Idempotency-Key a handler runs inside the transaction that stores its answer: each route must have the same
// result there as without, and a repeated request the same answer.

const app = await startApp()
const keyed = routes.filter((route) => route.idempotency).map((route) => [nameOf(route), route] as const)

async function eventTypes(accountId: string): Promise<string[]> {
  return (await app.events({ accountId })).map(({ type }) => type)
}

test.each(keyed)('%s succeeds, once, and answers the same again', async (name, route) => {
  const tenant = await app.tenant()
  const world = await makeWorldFor(app, tenant, route)
  const sample = sampleOf(route, world)
  const query = orgWideOnly.includes(name) ? {} : { subOrgId: world.ids.organization }
  const request = { ...sample, query: { ...sample.query, ...query } }
  const headers = { 'idempotency-key': `once ${name}` }
  const first = await sendSample(world.orgWide, route, request, { headers })
  expect([first.status, first.text]).toEqual([200, first.text])
  const events = await eventTypes(tenant.accountId)
  const mails = await app.mails()
  const again = await sendSample(world.orgWide, route, request, { headers })
  expect([again.status, again.headers.get('idempotent-replayed'), again.text]).toEqual([200, 'true', first.text])
  expect(await eventTypes(tenant.accountId)).toEqual(events)
  expect(await app.mails()).toEqual(mails)
})

const settings = keyed.filter(([, route]) => route.operation.endsWith('.updateSettings'))

test.each(settings)('%s answers what is then in force', async (_, route) => {
  const tenant = await app.tenant()
  const world = await makeWorldFor(app, tenant, route)
  const { body } = sampleOf(route, world)
  const own = await tenant.withKey({ subOrgId: world.ids.organization })
  const before = await own.get(route.path)
  const changed = await own.patch(route.path, body, { 'idempotency-key': 'once' })
  expect(changed.body).not.toEqual(before.body)
  expect((await own.get(route.path)).body).toEqual(changed.body)
})

test('below /v1/auth/ nothing is repeated', () => {
  const repeating = keyed.filter(([, { path }]) => path.startsWith('/v1/auth/'))
  expect(repeating).toEqual([])
  expect(settings.length).toBeGreaterThan(1)
})
