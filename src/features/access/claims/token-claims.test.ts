import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { freshEmail } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { signIn } from '../../../../test/people/sign-in.ts'

// Audience and custom claims of access tokens. Each test uses a separate organization.

const app = await startApp()
const tenant = await app.tenant()
const API = 'https://api.acme.example'

const set = (subOrgId: string, settings: object) => tenant.patch('/v1/auth/settings', { subOrgId, ...settings })
const introspect = async (token: string) => (await tenant.post('/v1/auth/token/introspect', { token })).body
const userinfo = (token: string) => app.as(null).get('/v1/auth/userinfo', { authorization: `Bearer ${token}` })

async function newUser(subOrgId: string, more: object = {}): Promise<string> {
  const email = freshEmail('ada')
  succeeded(await tenant.post('/v1/users', { subOrgId, email, ...more }))
  return email
}

test('tokens are for the audience that is set; those of the account id stay live, those of another do not', async () => {
  const subOrgId = await tenant.organization()
  const email = await newUser(subOrgId)
  const before = await signIn(app, tenant, subOrgId, email)
  expect(decodeJwt(before.access_token).aud).toBe(tenant.accountId)
  for (const audience of [API, [API, 'urn:acme:billing']]) {
    await app.advance(61)
    succeeded(await set(subOrgId, { audience }))
    const { access_token } = await signIn(app, tenant, subOrgId, email)
    expect(decodeJwt(access_token).aud).toEqual(audience)
    expect(await introspect(access_token)).toMatchObject({ active: true, aud: audience })
    expect((await userinfo(access_token)).status).toBe(200)
    expect(await introspect(before.access_token)).toMatchObject({ active: true, aud: tenant.accountId })
    succeeded(await set(subOrgId, { audience: 'urn:another' }))
    expect(await introspect(access_token)).toEqual({ active: false })
    expect((await userinfo(access_token)).status).toBe(401)
  }
  await app.advance(61)
  const { refresh_token } = await signIn(app, tenant, subOrgId, email)
  expect(await introspect(refresh_token)).toMatchObject({ active: true, aud: 'urn:another' })
  const other = await tenant.organization()
  const elsewhere = await signIn(app, tenant, other, await newUser(other))
  expect(decodeJwt(elsewhere.access_token).aud).toBe(tenant.accountId)
})

test('no audience is that of a team, and none is no text', async () => {
  const subOrgId = await tenant.organization()
  const team = `${tenant.accountId}/team`
  for (const audience of [team, [API, team], '', [], 'a b', 'é', 1, ['x', 'x'], 'x'.repeat(256)])
    expect([audience, (await set(subOrgId, { audience })).status]).toEqual([audience, 400])
})

test('further claims say what is stored of the user and the organization when the token is issued', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch(`/v1/organizations/${subOrgId}`, {
    externalId: 'crm-1',
    metadata: { plan: 'pro', 'a.b': [1, { c: 2 }] },
  })
  const email = await newUser(subOrgId, { externalId: 'u-9', metadata: { team: 'engines' } })
  const token_claims = {
    plan: 'organization.metadata.plan',
    'https://acme.example/ab': 'organization.metadata.a.b',
    crm: 'organization.externalId',
    person: 'user.externalId',
    team: 'user.metadata.team',
    absent: 'user.metadata.nothing',
    inherited: 'user.metadata.constructor',
  }
  succeeded(await set(subOrgId, { token_claims }))
  const session = await signIn(app, tenant, subOrgId, email)
  const claims = decodeJwt(session.access_token)
  expect(claims).toMatchObject({
    plan: 'pro',
    'https://acme.example/ab': [1, { c: 2 }],
    crm: 'crm-1',
    person: 'u-9',
    team: 'engines',
    email,
  })
  for (const name of ['absent', 'inherited', 'claims_truncated']) expect(claims).not.toHaveProperty(name)
  await tenant.patch(`/v1/organizations/${subOrgId}`, { metadata: { plan: 'free' } })
  const renewed = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token })
  expect(decodeJwt(renewed.body.session.access_token)).toMatchObject({ plan: 'free', crm: 'crm-1' })
  succeeded(await set(subOrgId, { token_claims: null }))
  expect(decodeJwt((await signIn(app, tenant, subOrgId, email)).access_token)).not.toHaveProperty('plan')
})

test('what exceeds 2 KB is left out, by name, and that is said', async () => {
  const subOrgId = await tenant.organization()
  const email = await newUser(subOrgId, { metadata: { big: 'x'.repeat(1500), bigger: 'y'.repeat(3000), small: 'z' } })
  const token_claims = {
    a: 'user.metadata.bigger',
    b: 'user.metadata.big',
    c: 'user.metadata.big',
    d: 'user.metadata.small',
  }
  succeeded(await set(subOrgId, { token_claims }))
  const claims = decodeJwt((await signIn(app, tenant, subOrgId, email)).access_token)
  expect(claims).toMatchObject({ b: 'x'.repeat(1500), d: 'z', claims_truncated: true })
  expect(claims).not.toHaveProperty('a')
  expect(claims).not.toHaveProperty('c')
})

test('a claim has a name that nothing else has, and a source that there is', async () => {
  const subOrgId = await tenant.organization()
  const source = 'user.externalId'
  const taken = Object.keys(decodeJwt((await signIn(app, tenant, subOrgId, await newUser(subOrgId))).access_token))
  for (const name of [...taken, 'act', 'scope', 'client_id', 'cnf', 'SUB', '__proto__', '1st', 'with space', ''])
    expect([name, (await set(subOrgId, { token_claims: Object.fromEntries([[name, source]]) })).status]).toEqual([
      name,
      400,
    ])
  for (const wrong of ['user.email', 'user.metadata', 'user.metadata.', 'account.metadata.x', 'user.password', 1, null])
    expect([wrong, (await set(subOrgId, { token_claims: { plan: wrong } })).status]).toEqual([wrong, 400])
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`c${n}`, source]))
  expect((await set(subOrgId, { token_claims: many })).status).toBe(400)
})
