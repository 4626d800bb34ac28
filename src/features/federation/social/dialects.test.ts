import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import {
  callBack,
  callBackByForm,
  signInAt,
  startAt,
  startSocial,
  withProvider,
} from '../../../../test/peers/social-peer.ts'
import { arrived } from '../../../../test/people/oidc-organization.ts'
import { newEmail } from '../../../../test/people/people.ts'

const service = await startSocial()
const { app, google, apple, microsoft, github } = service

const emailOf = (came: Record<string, string>) => decodeJwt(came['access_token'] ?? '')['email']
const queryOf = (url: string) => Object.fromEntries(new URL(url).searchParams)

test('Google: a verified address becomes a user, who is known by the subject from then on', async () => {
  const { key } = await withProvider(service, 'google')
  const { authorization_url, state } = await startAt(key, 'google')
  expect(queryOf(authorization_url)).toMatchObject({
    client_id: 'client',
    redirect_uri: 'http://localhost:4000/api/v1/auth/login/social/callback/google',
    scope: 'openid email profile',
    code_challenge_method: 'S256',
    state,
  })
  const email = newEmail()
  const person = {
    sub: 'g-1',
    email,
    email_verified: true,
    hd: 'example.com',
    given_name: 'Ada',
    family_name: 'Lovelace',
    name: 'Ada L',
  }
  const { code } = google.signIn(authorization_url, person)
  const came = arrived(await callBack(app, { code, state }))
  expect(came['state']).toBe(state)
  const { user } = (await key.get(`/v1/users/${came['directory_user_id']}`)).body
  expect(user).toMatchObject({ email, emailVerified: true, firstName: 'Ada', displayName: 'Ada L', source: 'social' })
  const again = { provider: 'google', peer: google, claims: { sub: 'g-1', email: newEmail(), email_verified: false } }
  expect((await signInAt(app, key, again))['user_id']).toBe(came['user_id'])
})

test.each([false, 'true', 1, undefined])('Google: an address whose email_verified is %j is of no use', async (said) => {
  const { id, key } = await withProvider(service, 'google')
  const email = newEmail()
  await key.post('/v1/users', { subOrgId: id, email })
  const claims = { sub: 'g-2', email, email_verified: said, hd: 'example.com' }
  expect(await signInAt(app, key, { provider: 'google', peer: google, claims })).toMatchObject({
    error: 'email_not_verified',
  })
})

test.each([
  ['ada@example.com', undefined, 'email_not_verified'],
  ['ada@example.com', '', 'email_not_verified'],
  ['ada@gmail.com.example.com', undefined, 'email_not_verified'],
  ['gmail.com@example.com', undefined, 'email_not_verified'],
  ['ada@example.com', 'example.com', undefined],
  ['Ada@Gmail.com', undefined, undefined],
])('Google: a verified address %s, of a Workspace %j: %s', async (email, hd, error) => {
  const { key } = await withProvider(service, 'google')
  const claims = { sub: `g-${email}`, email, email_verified: true, hd }
  expect((await signInAt(app, key, { provider: 'google', peer: google, claims }))['error']).toBe(error)
})

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const applications = {
  team_id: 'TEAM123456',
  key_id: 'KEY1234567',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
}

test('Apple: a form from its own site, a secret signed with the key, and the name at the first sign-in alone', async () => {
  apple.behaviour.secret = 'a JWT'
  const { key } = await withProvider(service, 'apple', applications)
  const { authorization_url, state } = await startAt(key, 'apple')
  expect(queryOf(authorization_url)).toMatchObject({ response_mode: 'form_post', scope: 'openid name email' })
  const email = 'x1y2@privaterelay.appleid.com'
  const { code } = apple.signIn(authorization_url, {
    sub: 'a-1',
    email,
    email_verified: 'true',
    is_private_email: 'true',
  })
  const user = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'ceo@bank.example' })
  const reply = await callBackByForm(app, { code, state, user, id_token: 'not looked at' })
  expect(reply.status).toBe(303)
  const came = arrived(reply)
  expect((await key.get(`/v1/users/${came['directory_user_id']}`)).body.user).toMatchObject({
    email,
    firstName: 'Ada',
    lastName: 'Lovelace',
    displayName: 'Ada Lovelace',
  })
  const asked = apple.asked.findLast(({ path }) => path === '/token')?.form ?? {}
  const { payload, protectedHeader } = await jwtVerify(asked['client_secret'] ?? '', publicKey)
  expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'KEY1234567' })
  expect(payload).toMatchObject({ iss: 'TEAM123456', sub: 'client', aud: apple.url })
  const second = await startAt(key, 'apple')
  const signedIn = apple.signIn(second.authorization_url, { sub: 'a-1' })
  expect(arrived(await callBackByForm(app, { code: signedIn.code, state: second.state }))['user_id']).toBe(
    came['user_id'],
  )
})

test('Apple: what is not JSON in the user field is no obstacle, and a false address no proof', async () => {
  const { key } = await withProvider(service, 'apple', applications)
  for (const [isVerified, user] of [
    [true, '{'],
    ['false', 'null'],
    [undefined, '[]'],
  ] as const) {
    const { authorization_url, state } = await startAt(key, 'apple')
    const claims = { sub: `a-${state}`, email: newEmail(), email_verified: isVerified }
    const { code } = apple.signIn(authorization_url, claims)
    const came = arrived(await callBackByForm(app, { code, state, user }))
    expect(came['error'] ?? null).toBe(isVerified === true ? null : 'email_not_verified')
  }
  const { state } = await startAt(key, 'apple')
  const cancelled = { error: 'user_cancelled_authorize', state }
  expect(arrived(await callBackByForm(app, cancelled))['error']).toBe('access_denied')
})

const TENANT = '11111111-2222-3333-4444-555555555555'
const OTHER = '99999999-2222-3333-4444-555555555555'
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad'
const ofTenant = (tid: string, more: object = {}) => ({ iss: `${microsoft.url}/${tid}/v2.0`, tid, ...more })

test('Microsoft: an address counts with a pinned tenant that has proved the domain, and not otherwise', async () => {
  const discovery = new Map<string, string>([
    [TENANT, TENANT],
    ['consumers', PERSONAL],
  ])
  const come = async (tenant: string, claims: object) => {
    const issuer = discovery.get(tenant)
    microsoft.behaviour.discovery = (document) =>
      issuer === undefined ? document : { ...document, issuer: `${microsoft.url}/${issuer}/v2.0` }
    const { key } = await withProvider(service, 'microsoft', { tenant })
    const person = { sub: 'm-1', email: newEmail(), email_verified: true, ...claims }
    const came = await signInAt(app, key, { provider: 'microsoft', peer: microsoft, claims: person })
    return came['error'] ?? null
  }
  expect(await come(TENANT, ofTenant(TENANT, { xms_edov: true }))).toBeNull()
  expect(await come(TENANT, ofTenant(TENANT, { xms_edov: '1' }))).toBeNull()
  expect(await come(TENANT, ofTenant(TENANT))).toBe('email_not_verified')
  expect(await come(TENANT, ofTenant(TENANT, { xms_edov: false }))).toBe('email_not_verified')
  expect(await come(TENANT, ofTenant(OTHER, { xms_edov: true }))).toBe('response_invalid')
  for (const tenant of ['common', 'organizations'])
    expect(await come(tenant, ofTenant(OTHER, { xms_edov: true }))).toBe('email_not_verified')
  expect(await come('organizations', ofTenant(PERSONAL))).toBe('response_invalid')
  expect(await come('consumers', ofTenant(PERSONAL, { xms_edov: true }))).toBeNull()
  expect(await come('consumers', ofTenant(OTHER, { xms_edov: true }))).toBe('response_invalid')
  // The issuer must belong to the tenant in the token.
  expect(await come('common', { ...ofTenant(OTHER), tid: TENANT })).toBe('response_invalid')
  expect(await come('common', { ...ofTenant(OTHER), tid: undefined })).toBe('response_invalid')
  expect(await come('common', { iss: `${google.url}/${OTHER}/v2.0`, tid: OTHER })).toBe('response_invalid')
})

test('Microsoft: the iss of a callback names a tenant, before the code is shown to the token endpoint', async () => {
  const come = async (iss?: string) => {
    const { key } = await withProvider(service, 'microsoft', { tenant: 'common' })
    const { authorization_url, state } = await startAt(key, 'microsoft')
    const { code } = microsoft.signIn(authorization_url, { sub: 'm-iss', ...ofTenant(TENANT) })
    return arrived(await callBack(app, { code, state, ...(iss === undefined ? {} : { iss }) }))['error'] ?? null
  }
  microsoft.calm()
  const wrong = [
    google.url,
    `${microsoft.url}/x/v2.0`,
    `${microsoft.url}/${TENANT}`,
    `${microsoft.url}/{tenantid}/v2.0`,
  ]
  for (const iss of wrong) expect(await come(iss)).toBe('response_invalid')
  microsoft.behaviour.discovery = (document) => ({ ...document, authorization_response_iss_parameter_supported: true })
  const later = await startSocial()
  later.microsoft.behaviour.discovery = microsoft.behaviour.discovery
  const { key } = await withProvider(later, 'microsoft', { tenant: 'common' })
  const { authorization_url, state } = await startAt(key, 'microsoft')
  const { code } = later.microsoft.signIn(authorization_url, { sub: 'm-iss' })
  expect(arrived(await callBack(later.app, { code, state }))['error']).toBe('response_invalid')
  expect([microsoft.count(/token/), later.microsoft.count(/token/)]).toEqual([0, 0])
  // The issuer in the callback is of another tenant. Only the token shows that.
  expect(await come(`${microsoft.url}/${OTHER}/v2.0`)).toBe('response_invalid')
  expect(await come(`${microsoft.url}/${TENANT}/v2.0`)).toBe('email_missing')
  microsoft.calm()
})

test('GitHub: the primary address, if it is verified, and the id, whatever the name', async () => {
  const { key } = await withProvider(service, 'github')
  const [primary, other] = [newEmail(), newEmail()]
  github.account.user = { id: 42, login: 'ada', name: 'Ada', email: other }
  github.account.emails = [
    { email: other, primary: false, verified: true },
    { email: primary, primary: true, verified: true },
  ]
  const { authorization_url } = await startAt(key, 'github')
  expect(authorization_url).toContain(`${github.url}/login/oauth/authorize?`)
  expect(queryOf(authorization_url)).toMatchObject({ scope: 'user:email read:user', code_challenge_method: 'S256' })
  const at = { provider: 'github', peer: github, claims: {} }
  const came = await signInAt(app, key, at)
  expect(emailOf(came)).toBe(primary)
  github.account.user = { id: 42, login: 'lovelace' }
  expect((await signInAt(app, key, at))['user_id']).toBe(came['user_id'])
  github.account = { user: { id: 43, login: 'ada' }, emails: [{ email: newEmail(), primary: true, verified: false }] }
  expect(await signInAt(app, key, at)).toMatchObject({ error: 'email_not_verified' })
  github.account.emails = [{ email: newEmail(), primary: false, verified: true }]
  expect(await signInAt(app, key, at)).toMatchObject({ error: 'email_missing' })
  github.account.user = { id: '42' }
  expect(await signInAt(app, key, at)).toMatchObject({ error: 'response_invalid' })
})

test('GitHub: refusals with the status 200, and a cancelled sign-in, are fixed codes', async () => {
  const { key } = await withProvider(service, 'github')
  const come = async (fields: Record<string, string>) => {
    const { state } = await startAt(key, 'github')
    return arrived(await callBack(app, { state, ...fields }))
  }
  expect(await come({ code: 'wrong' })).toMatchObject({ error: 'idp_error' })
  expect(await come({ code: 'wrong', iss: `${github.url}/login/oauth` })).toMatchObject({ error: 'idp_error' })
  const asked = github.count(/access_token/)
  expect(await come({ code: 'wrong', iss: google.url })).toMatchObject({ error: 'response_invalid' })
  expect(github.count(/access_token/)).toBe(asked)
  expect(await come({ error: 'access_denied', error_description: 'canary' })).toMatchObject({ error: 'access_denied' })
  expect(await come({})).toMatchObject({ error: 'response_invalid' })
  github.behaviour.down = /access_token/
  expect(await come({ code: 'any' })).toMatchObject({ error: 'idp_unreachable' })
  github.calm()
})
