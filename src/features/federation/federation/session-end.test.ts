import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { codeOf, enrollTotp, succeeded } from '../../../../test/people/factors.ts'
import { signInWith } from '../../../../test/people/group-roles.ts'
import {
  arrived,
  callBack,
  connect,
  provenOrganization,
  start,
  startFederatedApp,
} from '../../../../test/people/oidc-organization.ts'
import { sessionsIn } from '../../../../test/people/people.ts'
import { broughtBack, makeSamlOrganization, postResponse } from '../../../../test/people/saml-connection.ts'
import { mailedCode } from '../../../../test/people/sign-in.ts'
import { bearing } from '../../../../test/walkers/own-world.ts'

const service = await startFederatedApp()
const { app, tenant } = service
const peer = await startOpPeer()
let ahead = 0

const now = () => Math.floor(app.app.platform.clock.now().getTime() / 1000)
const advance = async (seconds: number) => {
  ahead += seconds
  peer.behaviour.aheadSeconds = ahead
  await app.advance(seconds)
}

async function organization(settings: object = {}) {
  const home = await provenOrganization(service)
  succeeded(await home.key.patch('/v1/auth/settings', { access_token_ttl_seconds: 300, ...settings }))
  const connection = await connect(home, peer.url)
  const claims = { sub: fresh(), email: `${fresh()}@${home.domain}` }
  const enter = (more: object) => signInWith({ app, home, peer }, connection, { ...claims, ...more })
  const refresh = (refresh_token: unknown) => home.key.post('/v1/auth/token/refresh', { refresh_token })
  const introspect = async (token: unknown) => (await home.key.post('/v1/auth/token/introspect', { token })).body
  const endOf = async () => {
    const [session] = await sessionsIn(home.key, home.id)
    return Math.floor(Date.parse(session.expiresAt ?? session.expires_at) / 1000)
  }
  return { home, connection, claims, enter, refresh, introspect, endOf }
}

test('session_expiry ends the session, with every token of it', async () => {
  const { home, enter, refresh, introspect, endOf } = await organization()
  const end = now() + 1000
  const came = await enter({ session_expiry: end })
  expect(Number(came['refresh_expires_in'])).toBeGreaterThan(900)
  expect(Number(came['refresh_expires_in'])).toBeLessThanOrEqual(1000)
  expect(await endOf()).toBe(end)
  expect((await introspect(came['refresh_token'])).exp).toBe(end)
  await advance(800)
  const { session } = succeeded(await refresh(came['refresh_token']))
  // Less time is left than access tokens and refresh tokens usually have.
  expect(decodeJwt(session.access_token).exp).toBeLessThanOrEqual(end)
  expect(session.refresh_expires_in).toBeLessThanOrEqual(200)
  expect(await endOf()).toBe(end)
  expect(await introspect(session.access_token)).toMatchObject({ active: true })
  await advance(201)
  expect((await refresh(session.refresh_token)).status).toBe(401)
  expect(await introspect(session.access_token)).toEqual({ active: false })
  expect(await introspect(session.refresh_token)).toEqual({ active: false })
  expect((await bearing(app, session.access_token).get('/v1/auth/userinfo')).status).toBe(401)
  expect(await sessionsIn(home.key, home.id)).toEqual([])
})

test.each([
  ['none', undefined],
  ['one beyond the lifetime of sessions', 400 * 86_400],
  ['one beyond every date', 1e15],
])('an end of the provider that is %s changes nothing', async (_, seconds) => {
  const { enter, endOf } = await organization()
  const came = await enter(seconds === undefined ? {} : { session_expiry: now() + seconds })
  expect(came['access_token']).toBeDefined()
  expect(Number(came['refresh_expires_in'])).toBe(7 * 86_400)
  expect((await endOf()) - now()).toBeGreaterThan(7 * 86_400 - 60)
})

test.each([
  ['past', () => now() - 61],
  ['within the tolerance of clocks', () => now() - 5],
  ['zero', () => 0],
  ['negative', () => -1],
  ['text', () => String(now() + 1000)],
  ['null', () => null],
])('session_expiry that is %s refuses the sign-in', async (_, end) => {
  const { home, connection, enter } = await organization()
  const came = await enter({ session_expiry: end() })
  expect(came['error']).toBe('response_invalid')
  expect(came['access_token']).toBeUndefined()
  const { traces } = succeeded(await home.key.get(`/v1/sso/connections/${connection}/traces`))
  expect(traces[0].said.detail).toContain(
    typeof end() === 'number' ? 'has ended (session_expiry)' : 'no number of seconds',
  )
  expect(await sessionsIn(home.key, home.id)).toEqual([])
  expect((await enter({ session_expiry: now() + 5 }))['access_token']).toBeDefined()
})

test('the end goes with a code, which is worth nothing afterwards', async () => {
  const { home, connection, claims, endOf } = await organization()
  const codeBy = async (end: number) => {
    const { authorization_url, state } = await start(home, connection, { response_mode: 'code' })
    const { code } = peer.signIn(authorization_url, { ...claims, session_expiry: end })
    return arrived(await callBack(app, { code, state }))['code']
  }
  const exchange = (code: unknown) => home.key.post('/v1/auth/token/exchange', { code })
  const end = now() + 900
  const { session } = succeeded(await exchange(await codeBy(end)))
  expect(session.refresh_expires_in).toBeLessThanOrEqual(900)
  expect(await endOf()).toBe(end)
  const late = await codeBy(now() + 20)
  await advance(21)
  expect((await exchange(late)).status).toBe(400)
  expect(await sessionsIn(home.key, home.id)).toHaveLength(1)
})

test('the end goes through a challenge, and a later one than the end gives no session', async () => {
  const { home, enter, endOf, introspect } = await organization()
  const first = await enter({})
  const { secret, backupCodes } = await enrollTotp(home.key, first['directory_user_id'] ?? '', { ahead })
  const pass = (token: unknown, code: string) =>
    home.key.post('/v1/mfa/challenge/verify', { challenge_token: token, code })
  succeeded(await home.key.delete(`/v1/users/${first['directory_user_id']}/sessions`))
  const end = now() + 1200
  const held = await enter({ session_expiry: end })
  expect(held['access_token']).toBeUndefined()
  await advance(60)
  const { session } = succeeded(await pass(held['challenge_token'], codeOf(secret, 0, ahead)))
  expect(session.refresh_expires_in).toBeLessThanOrEqual(1140)
  expect(await endOf()).toBe(end)
  expect(await introspect(session.refresh_token)).toMatchObject({ exp: end })
  const late = await enter({ session_expiry: now() + 100 })
  await advance(101)
  const refused = await pass(late['challenge_token'], backupCodes[0] ?? '')
  expect([refused.status, refused.body.code]).toEqual([400, 'challenge_expired'])
  expect(await sessionsIn(home.key, home.id)).toHaveLength(1)
})

test('the end goes through a challenge at a refresh, and a step-up', async () => {
  const { home, enter, refresh, endOf } = await organization()
  const end = now() + 3000
  const came = await enter({ session_expiry: end })
  const id = came['directory_user_id'] ?? ''
  const me = bearing(app, came['access_token'] ?? '')
  const { user } = succeeded(await home.key.get(`/v1/users/${id}`))
  const { otp_id } = succeeded(await me.post('/v1/me/step-up', { method: 'otp' }))
  const code = await mailedCode(app, user.email)
  const stepped = succeeded(await me.post('/v1/me/step-up/verify', { otp_id, code }))
  expect(decodeJwt(stepped.access_token).exp).toBeLessThanOrEqual(end)
  expect(await endOf()).toBe(end)
  const { secret } = await enrollTotp(home.key, id, { ahead, revokeSessions: false })
  succeeded(await home.key.patch('/v1/mfa/policy', { require_mfa: true, grace_period_days: 0 }))
  await advance(60)
  const held = succeeded(await refresh(came['refresh_token']))
  expect(held).toMatchObject({ session: null, mfa_required: true })
  const body = { challenge_token: held.challenge_token, code: codeOf(secret, 0, ahead) }
  const { session } = succeeded(await home.key.post('/v1/mfa/challenge/verify', body))
  expect(session.refresh_expires_in).toBeLessThanOrEqual(2940)
  expect(await endOf()).toBe(end)
})

test('the earliest SessionNotOnOrAfter of SAML ends the session', async () => {
  const organization = await makeSamlOrganization(app, tenant)
  const { subOrgId } = organization
  const path = `/v1/auth/login/sso/saml/acs/${organization.connectionId}`
  const at = (seconds: number) => new Date((now() + seconds) * 1000).toISOString()
  const enter = async (said: object) => {
    const begun = await organization.start()
    return broughtBack(await postResponse(app, path, organization.respond(begun, said), begun.state))
  }
  const statement = (seconds: number) =>
    `<saml:AuthnStatement AuthnInstant="${at(-1)}" SessionNotOnOrAfter="${at(seconds)}"><saml:AuthnContext>` +
    '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>' +
    '</saml:AuthnContext></saml:AuthnStatement>'
  const one = await enter({ sessionNotOnOrAfter: at(600) })
  expect(Number(one['refresh_expires_in'])).toBeGreaterThan(500)
  expect(Number(one['refresh_expires_in'])).toBeLessThanOrEqual(600)
  for (const [first, second] of [
    [400, 500],
    [500, 400],
  ] as const) {
    const several = await enter({ sessionNotOnOrAfter: at(first), more: statement(second) })
    expect(Number(several['refresh_expires_in'])).toBeGreaterThan(300)
    expect(Number(several['refresh_expires_in'])).toBeLessThanOrEqual(400)
  }
  expect((await enter({ sessionNotOnOrAfter: at(-30) }))['error']).toBe('response_invalid')
  expect((await enter({ sessionNotOnOrAfter: at(600), more: statement(-61) }))['error']).toBe('response_invalid')
  expect(await sessionsIn(tenant, subOrgId)).toHaveLength(3)
  await advance(601)
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
})
