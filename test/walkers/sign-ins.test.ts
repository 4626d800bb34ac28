import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { enrollTotp, makeProvenUser, signInByLink, succeeded } from '../people/factors.ts'
import { sendSample } from './samples.ts'
import { entryBy, waysIn } from './ways-in.ts'
import { makeWorldFor } from './world.ts'

// What every sign-in says of itself, whatever the method. Sign-ins by a connection have a test of their own.

const app = await startApp()

test.each(waysIn)('%s: a session that comes of no connection says so', async (_, route) => {
  const tenant = await app.tenant()
  const world = await makeWorldFor(app, tenant, route)
  const { session } = succeeded(await sendSample(world.scoped, route, await entryBy(route, world)))
  const { sid, connection_id } = decodeJwt(session.access_token)
  const events = await app.events({ accountId: tenant.accountId, type: 'session.created' })
  const created = events.filter(({ target_id }) => target_id === sid)
  expect([connection_id, created.map(({ data }) => data)]).toEqual([
    null,
    [expect.objectContaining({ connection_id: null })],
  ])
})

const PERSON = { id: '4711', name: 'Grace' }
const ACTING = { 'x-actor-id': PERSON.id, 'x-actor-name': PERSON.name }
const signingIn = waysIn.filter(([name]) => name !== 'POST /v1/auth/token/refresh')

/** The events of one request, by type. */
async function eventsOf({ headers }: Reply) {
  const id = headers.get('x-request-id') ?? ''
  const rows = await app.app.platform.db.selectFrom('events').selectAll().where('request_id', '=', id).execute()
  return new Map(rows.map((row) => [row.type, row]))
}

// They create the user of a mailbox that was proved.
const PROVING_SIGN_UPS = ['POST /v1/auth/signup/otp/verify', 'POST /v1/auth/signup/authenticate-email/verify']

test.each(signingIn)('%s: the user is the actor, by way of the key', async (name, route) => {
  const world = await makeWorldFor(app, await app.tenant(), route)
  const apiKey = succeeded(await world.scoped.get('/v1/api-keys/current'))
  const reply = await sendSample(world.scoped, route, await entryBy(route, world), { headers: ACTING })
  const { directory_user_id: id } = succeeded(reply).session
  const events = await eventsOf(reply)
  const byUser = { actor_type: 'user', actor_id: id, via: { type: 'api_key', id: apiKey.id }, on_behalf_of: PERSON }
  for (const type of ['session.created', 'auth.login.succeeded']) expect(events.get(type)).toMatchObject(byUser)
  const proved = ['user.email_verified', 'auth.password.changed', 'invite.accepted', 'mfa.challenge.succeeded']
  for (const type of proved) if (events.has(type)) expect(events.get(type)).toMatchObject(byUser)
  const created = events.get('user.created')
  const byKey = { actor_type: 'api_key', actor_id: apiKey.id, via: null, on_behalf_of: PERSON }
  if (created) expect(created).toMatchObject(PROVING_SIGN_UPS.includes(name) ? byUser : byKey)
})

test('a sign-in that is refused, or continues a session, names the key', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const key = await tenant.withKey({ subOrgId })
  const apiKey = succeeded(await key.get('/v1/api-keys/current'))
  const { email } = await makeProvenUser(key)
  const refused = await key.post('/v1/auth/login/password', { email, password: 'wrong' }, ACTING)
  expect(refused.status).toBe(401)
  const byKey = { actor_type: 'api_key', actor_id: apiKey.id, via: null }
  expect((await eventsOf(refused)).get('auth.login.failed')).toMatchObject({ ...byKey, on_behalf_of: PERSON })
  const { session } = succeeded(await signInByLink(key, email))
  succeeded(await key.patch('/v1/mfa/policy', { require_mfa: true, grace_period_days: 0 }))
  const held = await key.post('/v1/auth/token/refresh', { refresh_token: session.refresh_token })
  expect(succeeded(held).mfa_required).toBe(true)
  expect((await eventsOf(held)).get('mfa.challenge.created')).toMatchObject({ ...byKey, on_behalf_of: null })
})

test('a first factor names the user, and a wrong second factor the key', async () => {
  const tenant = await app.tenant()
  const key = await tenant.withKey({ subOrgId: await tenant.organization() })
  const { id, email } = await makeProvenUser(key)
  await enrollTotp(key, id)
  const held = await signInByLink(key, email)
  expect((await eventsOf(held)).get('mfa.challenge.created')).toMatchObject({ actor_type: 'user', actor_id: id })
  const { challenge_token } = succeeded(held)
  const wrong = await key.post('/v1/mfa/challenge/verify', { challenge_token, code: '000000' })
  expect((await eventsOf(wrong)).get('mfa.challenge.failed')).toMatchObject({ actor_type: 'api_key', via: null })
})

const GOODBYE = 'http://localhost:3000/goodbye'
const signOuts: [path: string, more: object][] = [
  ['/v1/auth/token/revoke', {}],
  ['/v1/auth/logout', { everywhere: true }],
  ['/v1/auth/login/sso/logout', { redirectUri: GOODBYE }],
]

test.each(signOuts)(
  'a sign-out at %s names the user whose token is presented, otherwise the key',
  async (path, more) => {
    const tenant = await app.tenant()
    const subOrgId = await tenant.organization()
    const key = await tenant.withKey({ subOrgId })
    const apiKey = succeeded(await key.get('/v1/api-keys/current'))
    const { id, email } = await makeProvenUser(key)
    const byKey = { actor_type: 'api_key', actor_id: apiKey.id, via: null }
    const byUser = { actor_type: 'user', actor_id: id, via: { type: 'api_key', id: apiKey.id } }
    const signIn = async () => {
      await app.advance(61)
      return succeeded(await signInByLink(key, email)).session
    }
    const ended = async (body: object) => {
      const reply = await key.post(path, { ...body, ...more }, ACTING)
      succeeded(reply)
      return (await eventsOf(reply)).get('session.revoked')
    }
    const proof = { on_behalf_of: PERSON, data: expect.objectContaining({ reason: 'logout' }) }
    expect(await ended({ refresh_token: (await signIn()).refresh_token })).toMatchObject({ ...byUser, ...proof })
    expect(await ended({ access_token: (await signIn()).access_token })).toMatchObject({ ...byUser, ...proof })
    const sessionIdOf = ({ access_token }: { access_token: string }) => decodeJwt(access_token)['sid']
    expect(await ended({ session_id: sessionIdOf(await signIn()) })).toMatchObject({ ...byKey, ...proof })
    // An old refresh token may be stolen: it ends the session, and proves no user.
    const { refresh_token } = await signIn()
    succeeded(await key.post('/v1/auth/token/refresh', { refresh_token }))
    await app.advance(3600)
    expect(await ended({ refresh_token })).toMatchObject({ ...byKey, ...proof })
  },
)

test('a sign-out everywhere with a token of an ended session names the key', async () => {
  const tenant = await app.tenant()
  const key = await tenant.withKey({ subOrgId: await tenant.organization() })
  const apiKey = succeeded(await key.get('/v1/api-keys/current'))
  const { email } = await makeProvenUser(key)
  const { session: ended } = succeeded(await signInByLink(key, email))
  await app.advance(61)
  const { session: live } = succeeded(await signInByLink(key, email))
  succeeded(await key.post('/v1/auth/token/revoke', { refresh_token: ended.refresh_token }))
  const reply = await key.post('/v1/auth/token/revoke', { access_token: ended.access_token, everywhere: true })
  succeeded(reply)
  expect((await eventsOf(reply)).get('session.revoked')).toMatchObject({
    ...{ actor_type: 'api_key', actor_id: apiKey.id, via: null },
    target_id: decodeJwt(live.access_token)['sid'],
  })
})
