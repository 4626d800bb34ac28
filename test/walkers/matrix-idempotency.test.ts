import { expect, test } from 'vitest'
import { isSecret } from '../../src/platform/schema.ts'
import { routes } from '../../src/wiring/routes.ts'
import { startApp } from '../harness.ts'
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
  // In the body, of a DELETE too: other tests name it in the query.
  const named = orgWideOnly.includes(name) ? {} : { subOrgId: world.ids.organization }
  const request = { ...sample, body: { ...sample.body, ...named } }
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

test('the secrets that a repeated request brings are marked, so that no fast hash of them is kept', () => {
  const fields = keyed.flatMap(([, { operation, body }]) =>
    Object.entries(body?.properties ?? {}).map(([name, schema]) => ({ name: `${operation} ${name}`, schema })),
  )
  const marked = fields.filter(({ schema }) => isSecret(schema)).map(({ name }) => name)
  expect(fields.filter(({ name }) => /[ _](password|secret|private_key)$/.test(name)).map(({ name }) => name)).toEqual(
    marked.filter((name) => name !== 'users.createMany users'),
  )
  expect(marked).toContain('users.createMany users')
  expect(marked).toContain('users.setPassword password')
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

/** Where a request is judged afresh, or waits for somebody else. */
const UNREPEATED = [
  'POST /v1/mfa/challenge/verify',
  'POST /v1/otp/generate',
  'POST /v1/otp/validate',
  'POST /v1/rbac/check',
  'POST /v1/users/{userId}/impersonate',
  'POST /v1/webhooks/{webhookId}/test',
]

test('below /v1/auth/ nothing is repeated, and elsewhere every write that does not stand here', () => {
  const writes = routes.filter(({ auth, method }) => auth === 'key' && method !== 'GET')
  const unrepeated = writes.filter(({ idempotency }) => !idempotency).map(nameOf)
  expect(unrepeated.filter((name) => !name.includes(' /v1/auth/')).toSorted()).toEqual(UNREPEATED)
  expect(keyed.filter(([, { path }]) => path.startsWith('/v1/auth/'))).toEqual([])
  expect(settings.length).toBeGreaterThan(1)
})
