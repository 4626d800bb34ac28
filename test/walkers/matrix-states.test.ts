import { beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '../../src/platform/http/route.ts'
import { routes } from '../../src/wiring/routes.ts'
import { startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { nameOf, orgWideOnly, sampleOf, sendSample } from './samples.ts'
import { makeWorld, makeWorldFor } from './world.ts'

const app = await startApp()
const keyed = routes.filter((route) => route.auth === 'key')
const byName = keyed.map((route) => [nameOf(route), route] as const)
// They show or end sessions, which stays possible.
const tellOrEnd = ['POST /v1/auth/token/introspect', 'POST /v1/auth/token/revoke', 'POST /v1/auth/login/sso/logout']

// What only reads changes nothing, so that one world does for all of it. With a key of the account some routes change what
// all of it inherits.
const account = await app.tenant()
const toRead = makeWorld(app, account)
const worldFor = async (name: string, route: Route) =>
  makeWorldFor(app, orgWideOnly.includes(name) ? await app.tenant() : account, route)

test.each(byName)('%s: its sample succeeds', async (name, route) => {
  const world = await (route.method === 'GET' ? toRead : worldFor(name, route))
  const caller = orgWideOnly.includes(name) ? world.orgWide : world.scoped
  const reply = await sendSample(caller, route, sampleOf(route, world))
  expect(reply.status, reply.text).toBe(200)
})

// What is refused changes nothing, so that one world does for all that is.
const world = await makeWorld(app, await app.tenant())
const services = [...new Set(byName.flatMap(([, route]) => route.service ?? []))]
describe.each(services)('%s, switched off', (service) => {
  const served = byName.filter(([, route]) => route.service === service)

  beforeAll(async () => {
    const { enabledAppIds } = succeeded(await world.scoped.get('/v1/organization-apps'))
    expect(enabledAppIds).toContain(service)
    const left = enabledAppIds.filter((id: string) => id !== service)
    succeeded(await world.scoped.put('/v1/organization-apps', { enabledAppIds: left }))
    return async () => succeeded(await world.scoped.put('/v1/organization-apps', { enabledAppIds }))
  })

  test.each(served)('%s is refused', async (_, route) => {
    for (const caller of [world.scoped, world.orgWide]) {
      const sample = sampleOf(route, world)
      const query = { ...sample.query, subOrgId: world.ids.organization }
      const reply = await sendSample(caller, route, { ...sample, query })
      expect([reply.status, reply.body.code, reply.body.service]).toEqual([403, 'service_disabled', route.service])
    }
    if (route.organizationToken === null) return
    const byToken = await sendSample(world.orgWide, route, sampleOf(route, world))
    expect([byToken.status, byToken.body.code, byToken.body.service]).toEqual([403, 'service_disabled', route.service])
  })
})

const signIns = byName.filter(
  ([name, route]) =>
    route.method === 'POST' &&
    (route.scope === 'auth.login' || route.scope === 'auth.signup') &&
    !tellOrEnd.includes(name) &&
    !orgWideOnly.includes(name),
)

describe.each(['suspended', 'archived'])('in an organization that is %s', async (status) => {
  const tenant = await app.tenant()
  const world = await makeWorld(app, tenant)
  const change = await tenant.patch(`/v1/organizations/${world.ids.organization}`, { status })

  test.each(signIns)('%s is refused, and nobody gets in', async (_, route) => {
    expect(change.status, change.text).toBe(200)
    for (const caller of route.organizationToken === null ? [world.scoped] : [world.scoped, world.orgWide]) {
      const reply = await sendSample(caller, route, sampleOf(route, world))
      expect([reply.status, reply.body.code, reply.body.session]).toEqual([403, 'organization_suspended', undefined])
    }
    const sessions = await world.scoped.get('/v1/sessions')
    expect(sessions.body.users).toEqual([])
  })
})
