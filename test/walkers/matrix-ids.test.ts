import { describe, expect, test } from 'vitest'
import type { Route } from '../../src/platform/http/route.ts'
import { isId } from '../../src/platform/ids.ts'
import { routes } from '../../src/wiring/routes.ts'
import { type Caller, startApp } from '../harness.ts'
import { snapshot } from '../snapshot.ts'
import { nameOf, notIds, orgWideOnly, type SampleRequest, sampleOf, sendSample } from './samples.ts'
import { type Kind, kindsOf, makeWorld, unknownId, type World } from './world.ts'

const app = await startApp()
const tenant = await app.tenant()
const own = await makeWorld(app, tenant)
const foreign = {
  'another organization': await makeWorld(app, tenant),
  'another account': await makeWorld(app, await app.tenant()),
  'another environment': await makeWorld(app, tenant, {
    environment: 'staging',
    organizationId: own.ids.organization,
  }),
}

const kindOf = kindsOf(own)

/** What the account has, whatever the environment. */
const OF_EVERY_ENVIRONMENT = ['organization', 'customEnvironment', 'owner', 'colleague', 'teamInvite'] as const

/** Puts other ids in place of the world's own, wherever they are in a request. */
function replaceIds(sample: SampleRequest, replace: (kind: Kind, id: string) => string): SampleRequest {
  return JSON.parse(JSON.stringify(sample), (_, value: unknown) => {
    const kind = typeof value === 'string' ? kindOf.get(value) : undefined
    return kind && typeof value === 'string' ? replace(kind, value) : value
  })
}

function kindsIn(sample: SampleRequest): Kind[] {
  const found = new Set<Kind>()
  replaceIds(sample, (kind, id) => {
    found.add(kind)
    return id
  })
  return [...found]
}

const keyed = routes.filter((route) => route.auth === 'key')
const byName = keyed.map((route) => [nameOf(route), route] as const)
const withIds = byName.filter(([, route]) => kindsIn(sampleOf(route, own)).length > 0)

const mayBeId = (name: string, field: string) => !(field in notIds) && !(`${name} ${field}` in notIds)

/** Names of a route's fields that hold ids by their looks, nested ones too. */
function idFields(name: string, schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const properties: unknown = Reflect.get(schema, 'properties')
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  const here = names.filter((field) => /(^id|Id|_id|Ids|_ids)$/.test(field) && field !== 'subOrgId')
  const ids = here.filter((field) => mayBeId(name, field))
  return [...ids, ...Object.values(schema).flatMap((inner) => idFields(name, inner))]
}

test.each(byName)('%s: its sample names every id that the route takes', (name, route) => {
  const sample = JSON.stringify(replaceIds(sampleOf(route, own), () => 'AN ID'))
  const fields = new Set([
    ...Object.keys(route.params.properties).filter((field) => mayBeId(name, field)),
    ...idFields(name, route.query),
    ...idFields(name, route.body),
  ])
  // Where one of several ids is enough, the sample has one.
  const optional = name === 'POST /v1/auth/token/revoke' ? ['session_id'] : []
  const missing = [...fields].filter(
    (field) =>
      !optional.includes(field) && ![`"${field}":"AN ID"`, `"${field}":["AN ID"`].some((text) => sample.includes(text)),
  )
  expect(missing, 'put `ids.…` into the row of its sample.ts, or the field into `notIds` there').toEqual([])
})

const look = () => snapshot(app, { failedSignInsOf: own.directoryId })
let seen = await look()

/** Since the last look: each is what the next is compared with. */
async function expectNothingChanged(): Promise<void> {
  const before = seen
  seen = await look()
  expect(seen).toEqual(before)
}

/** What a caller learns: the same for what it may not see and for what does not exist. */
async function learn(caller: Caller, route: Route, sample: SampleRequest) {
  const reply = await sendSample(caller, route, sample)
  expect(reply.status, reply.text).toBeLessThan(500)
  return { status: reply.status, body: { ...reply.body, request_id: null } }
}

function named(route: Route, sample: SampleRequest): SampleRequest {
  if (orgWideOnly.includes(nameOf(route))) return sample
  return { ...sample, query: { ...sample.query, subOrgId: own.ids.organization } }
}

describe.each(Object.entries(foreign))('ids of %s', (place, stranger: World) => {
  test.each(withIds)('%s: answers as for an unknown id, and changes nothing', async (_, route) => {
    const sample = sampleOf(route, own)
    for (const kind of kindsIn(sample)) {
      if (stranger.ids[kind] === own.ids[kind]) continue
      const put = (id: string) => replaceIds(sample, (found, before) => (found === kind ? id : before))
      const theirs = put(stranger.ids[kind])
      const nobodys = put(unknownId(stranger, kind))
      // An org-wide key reaches every organization of its account, and may name two in one request.
      const reachesBoth = kind === 'organization' && stranger.accountId === own.accountId
      expect(await learn(own.scoped, route, theirs)).toEqual(await learn(own.scoped, route, nobodys))
      if (!reachesBoth) {
        const [there, nowhere] = [named(route, theirs), named(route, nobodys)]
        expect(await learn(own.orgWide, route, there)).toEqual(await learn(own.orgWide, route, nowhere))
      }
      // A token of an organization that the key reaches is redeemed there.
      if (route.organizationToken !== null && place !== 'another organization')
        expect(await learn(own.orgWide, route, theirs)).toEqual(await learn(own.orgWide, route, nobodys))
      await expectNothingChanged()
    }
  })

  test.each(withIds)('%s: refuses what succeeds there, and changes nothing', async (__, route) => {
    const theirs = sampleOf(route, stranger)
    // The same organization in another environment may be changed from here, and so may its team.
    const isOurs = (kind: Kind) => stranger.ids[kind] === own.ids[kind] && kindsIn(theirs).includes(kind)
    if (OF_EVERY_ENVIRONMENT.some(isOurs)) return
    const reply = await sendSample(own.scoped, route, theirs)
    expect(reply.status, reply.text).toBeLessThan(500)
    for (const secret of [stranger.email, stranger.loginEmail, stranger.ids.session])
      expect(reply.text).not.toContain(secret)
    await expectNothingChanged()
  })
})

// What other readers take for the same id (RFC 9562 §4), and the database for none.
const withUuids = withIds.filter(([, route]) => kindsIn(sampleOf(route, own)).some((kind) => isId(own.ids[kind])))
test.each(withUuids)('%s: an id in another form than ours is no failure, and changes nothing', async (_, route) => {
  const sample = sampleOf(route, own)
  for (const form of [(id: string) => `urn:uuid:${id}`, (id: string) => `{${id}}`]) {
    const other = replaceIds(sample, (__, id) => (isId(id) ? form(id) : id))
    const reply = await sendSample(own.scoped, route, other)
    expect(reply.status, reply.text).toBeLessThan(500)
  }
  await expectNothingChanged()
})

const reads = byName.filter(([name, route]) => route.method === 'GET' && !orgWideOnly.includes(name))
test.each(reads)('%s: the id of an organization may be in upper case', async (_, route) => {
  const sample = sampleOf(route, own)
  const naming = (subOrgId: string) => ({ ...sample, query: { ...sample.query, subOrgId } })
  for (const caller of [own.scoped, own.orgWide]) {
    const [usual, upper] = [own.ids.organization, own.ids.organization.toUpperCase()].map(naming)
    if (!usual || !upper) continue
    const [asUsual, inUpper] = [await learn(caller, route, usual), await learn(caller, route, upper)]
    expect([inUpper.status, inUpper.body.code]).toEqual([asUsual.status, asUsual.body.code])
  }
})
