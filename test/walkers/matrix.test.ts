import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../src/contract/contract.ts'
import type { Route } from '../../src/platform/http/route.ts'
import { isAnyCaller } from '../../src/platform/tenancy/authorize.ts'
import { requiresOrganization } from '../../src/platform/tenancy/resolve-directory.ts'
import { routes } from '../../src/wiring/routes.ts'
import { type Caller, type Reply, startApp } from '../harness.ts'
import { snapshot } from '../snapshot.ts'
import { nameOf, orgWideOnly, type SampleRequest, sampleOf, samples, sendSample } from './samples.ts'
import { makeWorld } from './world.ts'

const app = await startApp()
const tenant = await app.tenant()
const own = await makeWorld(app, tenant)
const strangers = await makeWorld(app, await app.tenant())
const unknownKey = app.as(`ww_live_${'A'.repeat(49)}`)
const anonymous = app.as(null)

const keyed = routes.filter((route) => route.auth === 'key')
const byName = keyed.map((route) => [nameOf(route), route] as const)
const withBody = byName.filter(([, route]) => route.body)

type Verdict = [status: number, code: string | null]

function verdict(reply: Reply): Verdict {
  return [reply.status, reply.body?.code ?? null]
}

/** A sample as an org-wide key sends it: with the organization named. */
function inOrganization(route: Route, organizationId = own.ids.organization): SampleRequest {
  const sample = sampleOf(route, own)
  return orgWideOnly.includes(nameOf(route))
    ? sample
    : { ...sample, query: { ...sample.query, subOrgId: organizationId } }
}

/** Keys that hold every scope but one. */
const keysWithout = new Map<string, Promise<Caller>>()
function keyWithout(scope: string): Promise<Caller> {
  const known = keysWithout.get(scope) ?? tenant.withKey({ scopes: scopes.filter((other) => other !== scope) })
  keysWithout.set(scope, known)
  return known
}

test('every keyed route has a sample, and every sample a route', () => {
  const names = byName.map(([name]) => name)
  expect(
    names.filter((name) => !(name in samples)),
    'add rows to `samples` in the sample.ts of the feature',
  ).toEqual([])
  expect(
    Object.keys(samples).filter((name) => !names.includes(name)),
    'rows of routes that are gone',
  ).toEqual([])
})

describe('a request that is refused changes nothing', () => {
  // What is there after one of them is there before the next.
  let before: Record<string, string> | null = null
  beforeEach(async () => {
    for (const [, route] of byName) if (route.scope && !isAnyCaller(route.scope)) await keyWithout(route.scope)
    const known = before ?? (await snapshot(app))
    return async () => {
      before = await snapshot(app)
      expect(before).toEqual(known)
    }
  })

  test.each(byName)('%s: no key, an unknown key, a key without the scope', async (_, route) => {
    for (const path of [route.path, ...route.aliases]) {
      const sample = inOrganization(route)
      const missing = await sendSample(anonymous, route, sample, { path })
      expect([missing.headers.has('www-authenticate'), ...verdict(missing)]).toEqual([true, 401, 'api_key_missing'])
      expect(verdict(await sendSample(unknownKey, route, sample, { path }))).toEqual([401, 'api_key_invalid'])
      if (route.scope === null || isAnyCaller(route.scope)) continue
      const reply = await sendSample(await keyWithout(route.scope), route, sample, { path })
      expect([...verdict(reply), reply.body.scope]).toEqual([403, 'insufficient_scope', route.scope])
    }
  })

  test.each(byName)('%s: unknown and forbidden names in the query', async (_, route) => {
    const sample = inOrganization(route)
    for (const name of ['bogus', '__proto__', 'constructor']) {
      const query = { ...sample.query }
      Object.defineProperty(query, name, { value: '1', enumerable: true })
      expect([name, ...verdict(await sendSample(own.orgWide, route, { ...sample, query }))]).toEqual([
        name,
        400,
        'invalid_request',
      ])
    }
  })

  test.each(withBody)('%s: unknown and forbidden names in the body, no JSON, another type', async (_, route) => {
    const sample = inOrganization(route)
    const inner = JSON.stringify(sample.body ?? {}).slice(1, -1)
    const send = (text: string, headers = {}) => sendSample(own.orgWide, route, sample, { text, headers })
    for (const name of ['bogus', '__proto__', 'constructor', 'prototype']) {
      const reply = await send(`{"${name}":{"a":1}${inner && `,${inner}`}}`)
      expect([name, ...verdict(reply)]).toEqual([name, 400, 'invalid_request'])
    }
    expect(verdict(await send(`{"metadata":{"a":{"__proto__":{"a":1}}}}`))).toEqual([400, 'invalid_request'])
    expect(verdict(await send('[]'))).toEqual([400, 'invalid_request'])
    expect(verdict(await send('{'))).toEqual([400, 'invalid_json'])
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])
      expect([type, ...verdict(await send(`{${inner}}`, { 'content-type': type }))]).toEqual([
        type,
        415,
        'unsupported_media_type',
      ])
  })

  const writesOfOne = byName.filter(([, route]) => requiresOrganization(route))
  test.each(writesOfOne)('%s: an org-wide key that names no organization', async (_, route) => {
    expect(verdict(await sendSample(own.orgWide, route, sampleOf(route, own)))).toEqual([400, 'sub_org_required'])
  })

  test.each(withBody)('%s: query and body name different organizations', async (_, route) => {
    const sample = inOrganization(route)
    const other = {
      ...sample,
      query: { subOrgId: own.ids.organization },
      body: { ...sample.body, subOrgId: randomUUID() },
    }
    expect(verdict(await sendSample(own.orgWide, route, other))).toEqual([400, 'sub_org_conflict'])
  })

  test.each(byName)('%s: an organization that the key does not reach', async (_, route) => {
    const named = (subOrgId: string) => ({ ...sampleOf(route, own), query: { subOrgId } })
    const other = await sendSample(own.scoped, route, named(strangers.ids.organization))
    expect(verdict(other)).toEqual([403, 'sub_org_mismatch'])
    const replies = await Promise.all(
      [strangers.ids.organization, randomUUID(), 'nobody'].map((id) => sendSample(own.orgWide, route, named(id))),
    )
    for (const reply of replies) expect(verdict(reply)).toEqual([404, 'organization_not_found'])
    const [theirs, nobodys] = replies.map(({ body }) => ({ ...body, request_id: null }))
    expect(theirs).toEqual(nobodys)
  })

  test.each(byName)('%s: an organization that is named twice', async (_, route) => {
    const { query, ...sample } = sampleOf(route, own)
    const { organization } = own.ids
    for (const [first, second] of [
      [organization, organization],
      [organization, strangers.ids.organization],
      [strangers.ids.organization, organization],
    ])
      for (const caller of [own.orgWide, own.scoped]) {
        const path = `${route.path}?${new URLSearchParams([...Object.entries(query ?? {}), ['subOrgId', first ?? ''], ['subOrgId', second ?? '']])}`
        const reply = await sendSample(caller, route, sample, { path })
        expect([...verdict(reply), reply.body.errors?.[0]?.field]).toEqual([400, 'invalid_request', 'subOrgId'])
      }
  })
})

const readsOfUsers = byName.filter(
  // One that is recorded tells of that the next time.
  ([, route]) =>
    route.method === 'GET' &&
    route.events.length === 0 &&
    'userId' in { ...route.params.properties, ...route.query.properties },
)

test.each(readsOfUsers)('%s: an org-wide key finds the user in whichever organization', async (_, route) => {
  const reply = await sendSample(own.orgWide, route, sampleOf(route, own))
  const inside = await sendSample(own.orgWide, route, inOrganization(route))
  expect([reply.status, reply.body]).toEqual([200, inside.body])
})

const counted = byName.filter(([, route]) => 'include_total' in route.query.properties)

test.each(counted)('%s: tells how many there are in all where that is asked', async (_, route) => {
  const { query, ...sample } = sampleOf(route, own)
  const asked = await sendSample(own.orgWide, route, { ...sample, query: { ...query, include_total: 'true' } })
  expect([asked.status, typeof asked.body.total]).toEqual([200, 'number'])
  expect('total' in (await sendSample(own.orgWide, route, { ...sample, ...(query ? { query } : {}) })).body).toBe(false)
})
