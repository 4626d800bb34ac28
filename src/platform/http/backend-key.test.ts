import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { freshPassword } from '../../../test/fresh.ts'
import { type Caller, startApp, until } from '../../../test/harness.ts'
import { succeeded } from '../../../test/people/factors.ts'
import { snapshot } from '../../../test/snapshot.ts'
import {
  bearing,
  type OwnPerson,
  ownWorld,
  signedIn,
  signedInMember,
  signInAgain,
  teamWorld,
} from '../../../test/walkers/own-world.ts'

// The API key of a backend beside the access token of a user: with it, the backend states where the user is.

const app = await startApp()
const { platform } = app.app
const tenant = await app.tenant()
const world = await ownWorld(app, tenant)
const { subOrgId } = world

const HOME = { 'x-end-user-ip': '203.0.113.7', 'x-end-user-agent': 'Firefox/140' }
const at = (ip: string, key = tenant.key) => ({ 'x-api-key': key, 'x-end-user-ip': ip })
const beside = (key: string) => ({ 'x-api-key': key, ...HOME })
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

/** The newest event about a user, as the audit log shows it. */
async function lastEvent(subOrgId: string, type: string) {
  await app.settled()
  const { events } = succeeded(await tenant.get(`/v1/audit/events?subOrgId=${subOrgId}&types=${type}&limit=1`))
  return events[0]
}

test('without a key, the service records the address and the program that it sees itself', async () => {
  const person = await signedIn(world)
  succeeded(await person.me.patch('/v1/me', { displayName: 'Seen' }, { 'user-agent': 'Peer/1', ...HOME }))
  const event = await lastEvent(subOrgId, 'user.updated')
  expect(event).toMatchObject({ ip_address: '127.0.0.1', user_agent: 'Peer/1' })
  expect(event.actor).toEqual({ type: 'user', id: person.id, on_behalf_of: null, via: null })
})

test('with a key, the events of a user are of the address and the program that the backend states', async () => {
  const person = await signedIn(world)
  const { id } = succeeded(await tenant.get('/v1/api-keys/current'))
  const acting = { 'x-actor-id': 'staff-7', 'x-trusted-device': 'td_0' }
  succeeded(await person.me.patch('/v1/me', { displayName: 'Stated' }, { ...beside(tenant.key), ...acting }))
  const event = await lastEvent(subOrgId, 'user.updated')
  expect(event).toMatchObject({ ip_address: '203.0.113.7', user_agent: 'Firefox/140', target: { id: person.id } })
  // The user is the actor. A member of the backend's staff is not.
  const via = { type: 'api_key', id }
  expect(event.actor).toEqual({ type: 'user', id: person.id, on_behalf_of: null, via })
  const line = app.logLines.map((each) => JSON.parse(each)).findLast(({ route }) => route === '/v1/me')
  expect(line).toMatchObject({ caller: 'user', actorId: person.id, apiKeyId: id })
  // Also where sessions end by a bound, and their events follow.
  await signInAgain(person)
  succeeded(await person.me.delete('/v1/me/sessions', beside(tenant.key)))
  await until(async () => (await lastEvent(subOrgId, 'session.revoked'))?.ip_address === '203.0.113.7')
})

test('what the backend does not state is unknown, and is not the backend’s own', async () => {
  const person = await signedIn(world)
  const record = async (headers: Record<string, string>) => {
    const sent = { 'user-agent': 'Backend/1', 'x-api-key': tenant.key, ...headers }
    succeeded(await person.me.patch('/v1/me', { displayName: randomUUID() }, sent))
    const { ip_address, user_agent } = await lastEvent(subOrgId, 'user.updated')
    return [ip_address, user_agent]
  }
  expect(await record({})).toEqual([null, null])
  expect(await record({ 'x-end-user-agent': 'Firefox/140' })).toEqual([null, 'Firefox/140'])
  expect(await record({ 'x-end-user-ip': '2001:db8::7%.evil.example' })).toEqual(['2001:db8::7', null])
  expect(await record({ 'x-end-user-ip': 'no address' })).toEqual([null, null])
})

test('a lock is of the network of the person, and not of the backend', async () => {
  const password = freshPassword()
  const person = await signedIn(world, { password })
  const prove = (ip: string, word: string) => person.me.post('/v1/me/step-up/verify', { password: word }, at(ip))
  for (let turn = 0; turn < 10; turn++) await prove('198.51.100.1', `wrong ${turn}`)
  expect(codeOf(await prove('198.51.100.1', password))).toEqual([429, 'account_locked'])
  const signIn = { subOrgId, email: person.email, password }
  const there = await tenant.post('/v1/auth/login/password', signIn, { 'x-end-user-ip': '198.51.100.1' })
  expect(codeOf(there)).toEqual([429, 'account_locked'])
  succeeded(await prove('198.51.100.2', password))
  // The backend's own network has counted nothing.
  expect((await person.me.post('/v1/me/step-up/verify', { password })).status).toBe(200)
})

/** Keys that reach the user, by what sets them apart. */
const good: Record<string, () => Promise<string>> = {
  'an org-wide key': async () => tenant.key,
  'a key of the organization': async () => (await tenant.withKey({ subOrgId })).key,
  'a key with one scope that no route of users asks for': async () =>
    (await tenant.withKey({ scopes: ['webhooks.read'] })).key,
  'a key that may be used from here': async () =>
    succeeded(await tenant.post('/v1/api-keys', { name: 'Here', scopes: ['*'], allowedIps: ['127.0.0.0/8'] })).key,
  'the previous secret of a rotated key, during the overlap': async () => {
    const { key, apiKey } = succeeded(await tenant.post('/v1/api-keys', { name: 'Rotated', scopes: ['*'] }))
    succeeded(await tenant.post(`/v1/api-keys/${apiKey.id}/rotate`, { overlap_seconds: 3600 }))
    return key
  },
}

test.each(Object.keys(good))('accepted: %s', async (name) => {
  const person = await signedIn(world)
  const key = await (good[name] as () => Promise<string>)()
  succeeded(await person.me.patch('/v1/me', { displayName: name.slice(0, 20) }, beside(key)))
  expect((await lastEvent(subOrgId, 'user.updated')).ip_address).toBe('203.0.113.7')
})

/** Keys that are refused, with the refusal. */
const bad: Record<string, [make: () => Promise<string>, status: number, code: string]> = {
  'no key in the header': [async () => '', 401, 'api_key_missing'],
  'a made-up key': [async () => 'nonsense', 401, 'api_key_invalid'],
  'a key that is cut off': [async () => tenant.key.slice(0, -1), 401, 'api_key_invalid'],
  'two keys': [async () => `${tenant.key}, ${tenant.key}`, 401, 'api_key_invalid'],
  'the access token of the user': [async () => (await signedIn(world)).session.access_token, 401, 'api_key_invalid'],
  'a revoked key': [
    async () => {
      const { key, apiKey } = succeeded(await tenant.post('/v1/api-keys', { name: 'Revoked', scopes: ['*'] }))
      succeeded(await tenant.delete(`/v1/api-keys/${apiKey.id}`))
      return key
    },
    401,
    'api_key_invalid',
  ],
  'a rotated key': [
    async () => {
      const { key, apiKey } = succeeded(await tenant.post('/v1/api-keys', { name: 'Rotated', scopes: ['*'] }))
      succeeded(await tenant.post(`/v1/api-keys/${apiKey.id}/rotate`, {}))
      return key
    },
    401,
    'api_key_invalid',
  ],
  'an expired key': [
    async () => {
      const expiresAt = new Date(platform.clock.now().getTime() + 1000).toISOString()
      const { key } = succeeded(await tenant.post('/v1/api-keys', { name: 'Short', scopes: ['*'], expiresAt }))
      await app.advance(2)
      return key
    },
    401,
    'api_key_expired',
  ],
  'a key of another account': [async () => (await app.tenant()).key, 403, 'api_key_mismatch'],
  'a key of staging': [async () => (await tenant.withKey({ environment: 'staging' })).key, 403, 'api_key_mismatch'],
  'a key of the organization in staging': [
    async () => (await tenant.withKey({ environment: 'staging', subOrgId })).key,
    403,
    'api_key_mismatch',
  ],
  'a key of another organization': [
    async () => (await tenant.withKey({ subOrgId: await tenant.organization() })).key,
    403,
    'api_key_mismatch',
  ],
  'a key that may not be used from here': [
    async () => {
      const { key, apiKey } = succeeded(await tenant.post('/v1/api-keys', { name: 'Elsewhere', scopes: ['*'] }))
      succeeded(await tenant.patch(`/v1/api-keys/${apiKey.id}`, { allowedIps: ['192.0.2.0/24'] }))
      return key
    },
    403,
    'api_key_ip_not_allowed',
  ],
}

test.each(Object.keys(bad))('refused, and nothing is changed or read: %s', async (name) => {
  const [make, status, code] = bad[name] as (typeof bad)[string]
  const key = await make()
  const person = await signedIn(world)
  const before = await snapshot(app)
  for (const headers of [beside(key), { 'x-api-key': key }]) {
    expect(codeOf(await person.me.get('/v1/me', headers))).toEqual([status, code])
    expect(codeOf(await person.me.get('/v1/auth/userinfo', headers))).toEqual([status, code])
    const write = await person.me.patch('/v1/me', { displayName: 'Refused' }, headers)
    expect(codeOf(write)).toEqual([status, code])
    expect(write.headers.has('www-authenticate')).toBe(status === 401)
  }
  expect(await snapshot(app)).toEqual(before)
  succeeded(await person.me.get('/v1/me'))
})

test('a user of staging is reached by a key of staging', async () => {
  const staging = await tenant.withKey({ environment: 'staging' })
  const there = await ownWorld(app, { ...staging, organization: async () => subOrgId })
  const person = await signedIn(there)
  succeeded(await person.me.get('/v1/me', beside(staging.key)))
  expect(codeOf(await person.me.get('/v1/me', beside(tenant.key)))).toEqual([403, 'api_key_mismatch'])
})

test('a member of the team is reached by an org-wide key of production', async () => {
  const team = teamWorld(app, tenant)
  const member = await signedInMember(team)
  succeeded(await member.me.patch('/v1/me', { displayName: 'Member' }, beside(tenant.key)))
  const others = [{ subOrgId }, { environment: 'staging' as const }]
  for (const options of others) {
    const { key } = await tenant.withKey(options)
    expect(codeOf(await member.me.get('/v1/me', beside(key)))).toEqual([403, 'api_key_mismatch'])
  }
  const stranger = await app.tenant()
  expect(codeOf(await member.me.get('/v1/me', beside(stranger.key)))).toEqual([403, 'api_key_mismatch'])
})

test('the key adds no rights', async () => {
  const person = await signedIn(world)
  const ended = await signedIn(world)
  succeeded(await tenant.delete(`/v1/users/${ended.id}/sessions?subOrgId=${subOrgId}`))
  expect(codeOf(await ended.me.get('/v1/me', beside(tenant.key)))).toEqual([401, 'access_token_invalid'])
  // A made-up token beside a right key, and no token.
  expect(codeOf(await bearing(app, 'made.up.token').get('/v1/me', beside(tenant.key)))).toEqual([
    401,
    'access_token_invalid',
  ])
  expect(codeOf(await app.as(tenant.key).get('/v1/me'))).toEqual([401, 'access_token_missing'])
  const support = { subOrgId, actor: 'grace@support.example', reason: 'Ticket 4711' }
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, impersonation_enabled: true }))
  const { session } = succeeded(await tenant.post(`/v1/users/${person.id}/impersonate`, support))
  const asPerson = bearing(app, session.access_token)
  const change = await asPerson.patch('/v1/me', { displayName: 'Grace' }, beside(tenant.key))
  expect(codeOf(change)).toEqual([403, 'impersonation_read_only'])
  // On a route of keys they are two credentials.
  expect(codeOf(await person.me.get('/v1/users', beside(tenant.key)))).toEqual([400, 'api_key_conflict'])
  // What asks for a recent proof asks for it still.
  await app.advance(601)
  const late = await person.me.post('/v1/me/email', { email: 'new@example.com' }, beside(tenant.key))
  expect(codeOf(late)).toEqual([401, 'step_up_required'])
})

test('requests count towards the rate of the key, and towards that of no other', async () => {
  const limited = { name: 'Limited', scopes: ['*'], requestsPerSecond: 2 }
  const { key } = succeeded(await tenant.post('/v1/api-keys', limited))
  const people: OwnPerson[] = [await signedIn(world), await signedIn(world)]
  const ask = (caller: Caller) => caller.get('/v1/me', beside(key))
  // So many at once fall into two seconds at most.
  const replies = await Promise.all(people.flatMap(({ me }) => Array.from({ length: 6 }, () => ask(me))))
  const refused = replies.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThanOrEqual(6)
  for (const reply of refused) {
    expect(codeOf(reply)).toEqual([429, 'rate_limited'])
    expect([reply.headers.get('retry-after'), reply.headers.get('x-ratelimit-limit')]).toEqual(['1', '2'])
  }
  for (const { me } of people) succeeded(await me.get('/v1/me'))
  await app.advance(2)
  for (const { me } of people) expect((await ask(me)).headers.get('x-ratelimit-limit')).toBe('2')
})

test('pages send no key: a preflight allows neither the key nor what it makes believed', async () => {
  const asked = { origin: 'https://app.example.com', 'access-control-request-method': 'PATCH' }
  const reply = await fetch(`${app.baseUrl}/v1/me`, { method: 'OPTIONS', headers: asked })
  expect(reply.headers.get('access-control-allow-headers')).toBe('authorization, content-type, if-match')
})
