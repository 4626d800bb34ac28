import { describe, expect, test } from 'vitest'
import { routes } from '../../src/wiring/routes.ts'
import { startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { snapshot } from '../snapshot.ts'
import {
  bearing,
  giveApp,
  OWN_PAGE,
  ownSamples,
  ownSamplesWithApp,
  ownWorld,
  signedIn,
  signedInMember,
  steppedUp,
  teamWorld,
} from './own-world.ts'
import { nameOf, sendSample } from './samples.ts'

// Every route that people call about themselves, and who may not.

const app = await startApp()
const tenant = await app.tenant()
const world = await ownWorld(app, tenant)
const own = routes.filter((route) => route.auth === 'user').map((route) => [nameOf(route), route] as const)

async function sampleFor(name: string) {
  const person = await signedIn(world)
  const sample = await ownSamples[name]?.(person)
  if (!sample)
    throw new Error(`${name} has no sample: add a request that succeeds to ownSamples in test/walkers/own-world.ts`)
  return { person, sample }
}

test('every route has a sample, and every sample a route', () => {
  expect(Object.keys(ownSamples).sort()).toEqual(own.map(([name]) => name).sort())
})

test.each(own)(
  '%s: succeeds, without an origin and from an allowed page, and is kept by nobody',
  async (name, route) => {
    for (const headers of [{}, { origin: OWN_PAGE }]) {
      const { person, sample } = await sampleFor(name)
      const reply = await sendSample(person.me, route, sample, { headers })
      expect(reply.status, reply.text).toBe(200)
      const { origin = null } = headers
      expect(reply.headers.get('access-control-allow-origin')).toBe(origin)
      expect([reply.headers.has('access-control-allow-credentials'), reply.headers.get('vary')]).toEqual([
        false,
        'origin',
      ])
      expect(reply.headers.get('cache-control')).toBe('no-store')
    }
  },
)

test.each(own)('%s: succeeds beside a key that reaches the user', async (name, route) => {
  const { person, sample } = await sampleFor(name)
  const headers = { 'x-api-key': tenant.key, 'x-end-user-ip': '203.0.113.7' }
  const reply = await sendSample(person.me, route, sample, { headers })
  expect(reply.status, reply.text).toBe(200)
})

describe('is refused, and changes nothing', () => {
  test.each(own)('%s: beside a key that does not reach the user', async (name, route) => {
    const { person, sample } = await sampleFor(name)
    const { key } = await tenant.withKey({ subOrgId: await tenant.organization() })
    const before = await snapshot(app)
    for (const [sent, refusal] of [
      [key, [403, 'api_key_mismatch']],
      ['nonsense', [401, 'api_key_invalid']],
    ] as const) {
      const reply = await sendSample(person.me, route, sample, { headers: { 'x-api-key': sent } })
      expect([reply.status, reply.body.code]).toEqual(refusal)
    }
    expect(await snapshot(app)).toEqual(before)
  })

  test.each(own)('%s: by an ended session, another page, an unknown name', async (name, route) => {
    const { person, sample } = await sampleFor(name)
    const before = await snapshot(app)
    const evil = await sendSample(person.me, route, sample, { headers: { origin: 'https://evil.example' } })
    expect([evil.status, evil.body.code]).toEqual([403, 'origin_not_allowed'])
    for (const bogus of ['bogus', '__proto__', 'userId', 'subOrgId']) {
      const query = { ...sample.query }
      Object.defineProperty(query, bogus, { value: person.id, enumerable: true })
      const reply = await sendSample(person.me, route, { ...sample, query })
      expect([bogus, reply.status, reply.body.code]).toEqual([bogus, 400, 'invalid_request'])
      if (!route.body) continue
      const inner = JSON.stringify(sample.body ?? {}).slice(1, -1)
      const text = `{"${bogus}":"${person.id}"${inner && `,${inner}`}}`
      const named = await sendSample(person.me, route, sample, { text })
      expect([bogus, named.status, named.body.code]).toEqual([bogus, 400, 'invalid_request'])
    }
    expect(await snapshot(app)).toEqual(before)
    const { access_token, refresh_token } = person.session
    succeeded(await tenant.post('/v1/auth/token/revoke', { subOrgId: world.subOrgId, refresh_token }))
    const after = await snapshot(app)
    const ended = await sendSample(bearing(app, access_token), route, sample)
    expect([ended.status, ended.body.code]).toEqual([401, 'access_token_invalid'])
    expect(await snapshot(app)).toEqual(after)
  })

  const naming = own.filter(([, { params }]) => Object.keys(params.properties).length > 0)
  test.each(naming)('%s: a record of another user is not found', async (name, route) => {
    const { sample } = await sampleFor(name)
    const staging = await ownWorld(app, {
      ...(await tenant.withKey({ environment: 'staging' })),
      organization: async () => world.subOrgId,
    })
    const strangers = await ownWorld(app, await app.tenant())
    const others = [await signedIn(world), await signedIn(staging), await signedIn(strangers)]
    const before = await snapshot(app)
    for (const other of others) {
      const reply = await sendSample(other.me, route, sample)
      expect([reply.status, reply.body.code]).toEqual([404, expect.stringMatching(/_not_found$/)])
    }
    expect(await snapshot(app)).toEqual(before)
  })

  const served = own.filter(([, { service }]) => service !== null)
  test.each(served)('%s: with its service off', async (name, route) => {
    const { person, sample } = await sampleFor(name)
    const { subOrgId } = world
    const { enabledAppIds } = succeeded(await tenant.get(`/v1/organization-apps?subOrgId=${subOrgId}`))
    const left = enabledAppIds.filter((id: string) => id !== route.service)
    succeeded(await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: left }))
    const reply = await sendSample(person.me, route, sample)
    succeeded(await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds }))
    expect([reply.status, reply.body.code, reply.body.service]).toEqual([403, 'service_disabled', route.service])
  })
})

test('a token of one environment is of nobody in another', async () => {
  const person = await signedIn(world)
  const staging = await ownWorld(app, {
    ...(await tenant.withKey({ environment: 'staging' })),
    organization: async () => world.subOrgId,
  })
  const there = await signedIn(staging)
  const [here, other] = [succeeded(await person.me.get('/v1/me')), succeeded(await there.me.get('/v1/me'))]
  expect([here.user.id, other.user.id]).toEqual([person.id, there.id])
  // The same session named under the other environment's issuer.
  const [head, , signature] = there.session.access_token.split('.')
  const mixed = [head, person.session.access_token.split('.')[1], signature].join('.')
  expect((await bearing(app, mixed).get('/v1/me')).status).toBe(401)
})

test('every preflight is answered with the methods of the path', async () => {
  for (const [, { path }] of own) {
    const headers = { origin: OWN_PAGE, 'access-control-request-method': 'GET' }
    const reply = await fetch(app.baseUrl + path.replaceAll(/\{\w+\}/g, 'any'), { method: 'OPTIONS', headers })
    const methods = own.filter(([, other]) => other.path === path).map(([, { method }]) => method)
    const allowed = reply.headers.get('access-control-allow-methods')?.split(', ') ?? []
    expect([path, reply.status, allowed.filter((method) => methods.some((own) => own === method)).sort()]).toEqual([
      path,
      204,
      [...methods].sort(),
    ])
  }
})

/** What changes no way in: ends access, names things, or is the proof itself. */
const FREE = [
  'DELETE /v1/me/sessions',
  'DELETE /v1/me/sessions/{sessionId}',
  'DELETE /v1/me/trusted-devices/{id}',
  'PATCH /v1/me',
  'PATCH /v1/me/passkeys/{id}',
  'POST /v1/me/step-up',
  'POST /v1/me/step-up/verify',
]
const waysIn = own.filter(([name, { method }]) => method !== 'GET' && !FREE.includes(name))

describe('what changes a way in', () => {
  test.each(waysIn)('%s: wants a recent proof, which a refresh is not, and by this token', async (name, route) => {
    const { person, sample } = await sampleFor(name)
    await app.advance(601)
    const before = await snapshot(app)
    const late = await sendSample(person.me, route, sample)
    expect([late.status, late.body.code, late.body.within_seconds]).toEqual([401, 'step_up_required', 600])
    expect(late.body.methods).toContain(person.secret === undefined ? 'otp' : 'totp')
    expect(late.headers.get('www-authenticate')).toContain('error="insufficient_user_authentication", max_age=600')
    expect(await snapshot(app)).toEqual(before)
    const { refresh_token } = person.session
    const { session } = succeeded(
      await tenant.post('/v1/auth/token/refresh', { subOrgId: world.subOrgId, refresh_token }),
    )
    const refreshed = await sendSample(bearing(app, session.access_token), route, sample)
    expect([refreshed.status, refreshed.body.code]).toEqual([401, 'step_up_required'])
    const fresh = await sendSample((await steppedUp(person)).me, route, sample)
    expect(fresh.body.code).not.toBe('step_up_required')
    // What was stolen before gains nothing by the proof.
    expect((await sendSample(person.me, route, sample)).body.code).toBe('step_up_required')
  })

  const byOneFactor = waysIn.filter(([name]) => !ownSamplesWithApp.includes(name))
  test.each(byOneFactor)('%s: wants the second factor of who has one', async (name, route) => {
    const { person, sample } = await sampleFor(name)
    await giveApp(person)
    const before = await snapshot(app)
    const half = await sendSample(person.me, route, sample)
    expect([half.status, half.body.code, half.body.methods]).toEqual([401, 'step_up_required', expect.any(Array)])
    expect(half.body.methods).not.toContain('otp')
    expect(await snapshot(app)).toEqual(before)
  })
})

describe('a member of the team', () => {
  const team = teamWorld(app, tenant)
  const memberSample = async (name: string) => {
    const person = await signedInMember(team)
    const sample = await ownSamples[name]?.(person)
    if (!sample) throw new Error(`${name} has no sample`)
    return { person, sample }
  }
  // Memberships belong to an address.
  const FIXED = ['POST /v1/me/email', 'POST /v1/me/email/verify']
  // An application that checks tokens there would take the member for a user.
  const FOR_USERS = 'GET /v1/auth/userinfo'
  const changeable = own.filter(([name]) => !FIXED.includes(name) && name !== FOR_USERS)

  test(`${FOR_USERS}: is refused`, async () => {
    const reply = await (await signedInMember(team)).me.get('/v1/auth/userinfo')
    expect([reply.status, reply.body.code]).toEqual([401, 'access_token_invalid'])
  })

  test.each(changeable)(
    '%s: succeeds, but not from a page of users, nor once the session has ended',
    async (name, route) => {
      const { person, sample } = await memberSample(name)
      const before = await snapshot(app)
      const elsewhere = await sendSample(person.me, route, sample, { headers: { origin: OWN_PAGE } })
      expect([elsewhere.status, elsewhere.body.code]).toEqual([403, 'origin_not_allowed'])
      expect(await snapshot(app)).toEqual(before)
      const reply = await sendSample(person.me, route, sample)
      expect(reply.status, reply.text).toBe(200)
      succeeded(await tenant.delete(`/v1/members/${person.membershipId}`))
      const after = await snapshot(app)
      const ended = await sendSample(person.me, route, sample)
      expect([ended.status, ended.body.code]).toEqual([401, 'access_token_invalid'])
      expect(await snapshot(app)).toEqual(after)
    },
  )

  const naming = changeable.filter(([, { params }]) => Object.keys(params.properties).length > 0)
  test.each(naming)('%s: a record of another user is not found', async (name, route) => {
    const { sample: ofMember } = await memberSample(name)
    const { sample: ofUser } = await sampleFor(name)
    const strangers = teamWorld(app, await app.tenant())
    const [user, colleague, stranger] = [
      await signedIn(world),
      await signedInMember(team),
      await signedInMember(strangers),
    ]
    const before = await snapshot(app)
    for (const [by, sample] of [
      [user, ofMember],
      [colleague, ofMember],
      [stranger, ofMember],
      [colleague, ofUser],
    ] as const) {
      const reply = await sendSample(by.me, route, sample)
      expect([reply.status, reply.body.code]).toEqual([404, expect.stringMatching(/_not_found$/)])
    }
    expect(await snapshot(app)).toEqual(before)
  })

  const ways = waysIn.filter(([name]) => !FIXED.includes(name))
  test.each(ways)(
    '%s: requires a recent step-up, with the second factor of a user who has one',
    async (name, route) => {
      const { person, sample } = await memberSample(name)
      if (person.secret === undefined) person.secret = await giveApp(person)
      const before = await snapshot(app)
      if (!ownSamplesWithApp.includes(name)) {
        const half = await sendSample(person.me, route, sample)
        expect([half.status, half.body.code]).toEqual([401, 'step_up_required'])
        expect(half.body.methods).toContain('totp')
        expect(half.body.methods).not.toContain('otp')
      }
      await app.advance(601)
      const late = await sendSample(person.me, route, sample)
      expect([late.status, late.body.code]).toEqual([401, 'step_up_required'])
      expect(await snapshot(app)).toEqual(before)
      const fresh = await sendSample((await steppedUp(person)).me, route, sample)
      expect(fresh.body.code).not.toBe('step_up_required')
    },
  )

  test.each(FIXED)('%s: is refused, and changes nothing', async (name) => {
    const person = await signedInMember(team)
    const colleague = await signedInMember(team, 'owner')
    const before = await snapshot(app)
    const proof = { otp_id: person.id, code: 'some code' }
    const body = { email: colleague.email, ...(name.endsWith('verify') ? proof : {}) }
    const reply = await person.me.post(name.slice('POST '.length), body)
    expect([reply.status, reply.body.code], reply.text).toEqual([409, 'team_email_fixed'])
    expect(await snapshot(app)).toEqual(before)
  })
})
