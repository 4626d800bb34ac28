import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { person, RULES, signInAs, workOfOrganization } from '../../../../test/people/federation.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { mailedCode, signedInUser } from '../../../../test/people/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform

const SETTINGS = '/v1/auth/settings'
const oidc = {
  name: 'Acme',
  protocol: 'oidc',
  oidc_issuer: 'https://login.acme.example',
  oidc_client_id: 'watchword',
  oidc_client_secret: 'secret',
}

async function makeOrganization({ isVerified = true } = {}) {
  const subOrgId = await tenant.organization()
  if (isVerified) await verifyDomain(app, tenant, subOrgId, `${fresh()}.example`)
  const { body } = await tenant.post('/v1/sso/connections', { subOrgId, ...oidc })
  const { id } = body.connection
  const setStatus = (status: string) => tenant.patch(`/v1/sso/connections/${id}`, { subOrgId, status })
  const set = (patch: object) => tenant.patch(SETTINGS, { subOrgId, ...patch })
  return { subOrgId, connection: id as string, setStatus, set }
}

async function sendCode(subOrgId: string, email: string) {
  const { otp_id } = (await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })).body
  const code = await mailedCode(app, email)
  return () => tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })
}

test('where single sign-on is enforced, no other way leads in, but for those who are exempt', async () => {
  const { subOrgId, connection, setStatus, set } = await makeOrganization()
  const [ada, grace] = [await signedInUser(app, tenant, subOrgId, newEmail()), await newUser(tenant, { subOrgId })]
  await setStatus('active')
  const enterByCode = await sendCode(subOrgId, grace.email)
  expect((await set({ enforce_sso: true })).status).toBe(200)
  const refused = await enterByCode()
  expect([refused.status, refused.body.code]).toEqual([403, 'sso_required'])
  const { refresh_token } = ada.session
  const stale = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })
  expect([stale.status, stale.body.code]).toEqual([403, 'sso_required'])
  const work = await workOfOrganization(app, subOrgId)
  const who = person({ email: newEmail(), emailVerified: true })
  for (const responseMode of ['query', 'code'] as const) {
    const by = { responseMode }
    expect((await signInAs(work, who, RULES, by))['error']).toBe('sso_required')
    // The refused sign-in created no user.
    expect((await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=${who.email}`)).body.users).toEqual([])
    const sso = { ...by, method: 'sso', source: connection } as const
    expect((await signInAs(work, { ...who, email: ada.email }, RULES, sso))['error']).toBeUndefined()
  }
  await set({ sso_exempt_user_ids: [grace.id.toUpperCase()] })
  expect((await enterByCode()).status).toBe(200)
  await set({ enforce_sso: false })
  expect((await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })).status).toBe(200)
})

test('it cannot be enforced where nobody could sign in by it', async () => {
  const { set, setStatus } = await makeOrganization()
  const refused = await set({ enforce_sso: true })
  expect([refused.status, refused.body.errors[0]]).toMatchObject([400, { field: 'enforce_sso', code: 'no_connection' }])
  const defaults = await tenant.patch(`${SETTINGS}/defaults`, { enforce_sso: true })
  expect(defaults.status).toBe(400)
  await setStatus('testing')
  expect((await set({ enforce_sso: true })).status).toBe(400)
  await setStatus('active')
  expect((await set({ enforce_sso: true })).body.settings.enforce_sso).toBe(true)
})

test('it takes a connection that is complete, and a verified domain that it speaks for', async () => {
  const { subOrgId, connection, setStatus, set } = await makeOrganization({ isVerified: false })
  const change = (body: object) => tenant.patch(`/v1/sso/connections/${connection}`, { subOrgId, ...body })
  const refusal = async () => (await set({ enforce_sso: true })).body.errors[0]
  const offered = async () =>
    (await tenant.get(`/v1/auth/methods?subOrgId=${subOrgId}`)).body.methods.some(
      ({ id }: { id: string }) => id === 'sso',
    )
  await setStatus('active')
  await change({ oidc_client_secret: null, oidc_client_id: null })
  const lacking = 'Acme lacks oidc_client_id, oidc_client_secret'
  expect(await refusal()).toMatchObject({ code: 'connection_incomplete', message: expect.stringContaining(lacking) })
  expect(await offered()).toBe(false)
  await change({ oidc_client_id: 'watchword', oidc_client_auth: 'private_key_jwt' })
  await tenant.post('/v1/admin-portal', { subOrgId, action: 'add_domain', domain: `claimed-${fresh()}.example` })
  expect(await refusal()).toMatchObject({ code: 'no_domain', message: expect.stringContaining('add_domain') })
  expect(await offered()).toBe(true)
  const domain = `${fresh()}.example`
  await change({ domains: [domain] })
  await verifyDomain(app, tenant, subOrgId, `other-${domain}`)
  expect(await refusal()).toMatchObject({ code: 'no_domain', message: expect.stringContaining('whose domains') })
  await verifyDomain(app, tenant, subOrgId, domain)
  expect((await set({ enforce_sso: true })).status).toBe(200)
  const saml = { name: 'Empty', protocol: 'saml' }
  const empty = (await tenant.post('/v1/sso/connections', { subOrgId, ...saml })).body.connection.id
  await tenant.patch(`/v1/sso/connections/${empty}`, { subOrgId, status: 'active' })
  await setStatus('draft')
  expect((await refusal()).message).toContain('Empty lacks idp_entity_id, idp_sso_url, idp_certificate')
})

test('the connection of an address is found by a domain that the organization has verified', async () => {
  const { subOrgId, connection, setStatus, set } = await makeOrganization()
  const discover = async (email: string) => {
    const { body } = await tenant.post('/v1/auth/login/sso/discover', { subOrgId, email })
    return { connectionId: body.connectionId, enforced: body.enforced }
  }
  const [mine, other] = [`mine-${fresh()}.example`, `other-${fresh()}.example`]
  for (const domain of [mine, other]) await tenant.post('/v1/admin-portal', { subOrgId, action: 'add_domain', domain })
  const none = { connectionId: null, enforced: false }
  expect(await discover(`ada@${mine}`)).toEqual(none)
  await setStatus('active')
  expect(await discover(`ada@${mine}`)).toEqual(none)
  await db
    .updateTable('domains')
    .set({ status: 'verified', verified_at: new Date() })
    .where('organization_id', '=', subOrgId)
    .execute()
  expect(await discover(`Ada@${mine.toUpperCase()}`)).toEqual({ connectionId: connection, enforced: false })
  await set({ enforce_sso: true })
  expect(await discover(`ada@${mine}`)).toEqual({ connectionId: connection, enforced: true })
  // An address without a connection is refused with every other method, too. The answer does not show which users are
  // exempt.
  expect(await discover('ada@elsewhere.example')).toEqual({ connectionId: null, enforced: true })
  const second = await tenant.post('/v1/sso/connections', { subOrgId, ...oidc, domains: [other] })
  const { id } = second.body.connection
  await tenant.patch(`/v1/sso/connections/${id}`, { subOrgId, status: 'active' })
  expect((await discover(`ada@${other}`)).connectionId).toBe(id)
  expect((await discover(`ada@${mine}`)).connectionId).toBe(connection)
  const connections = [connection, id].map((id) => ({ id, name: 'Acme', protocol: 'oidc' }))
  expect((await tenant.get(`/v1/auth/methods?subOrgId=${subOrgId}`)).body.methods).toContainEqual({
    id: 'sso',
    label: 'Single sign-on',
    providers: null,
    connections,
  })
})

test('no address is sent to a connection that lacks something', async () => {
  const { subOrgId, connection, setStatus, set } = await makeOrganization({ isVerified: false })
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, subOrgId, domain)
  await setStatus('active')
  const change = (body: object) => tenant.patch(`/v1/sso/connections/${connection}`, { subOrgId, ...body })
  const discover = async () =>
    (await tenant.post('/v1/auth/login/sso/discover', { subOrgId, email: `ada@${domain}` })).body
  await set({ enforce_sso: true })
  expect(await discover()).toMatchObject({ connectionId: connection, enforced: true })
  await change({ oidc_client_secret: null })
  const none = { connection: null, connections: [], connectionId: null, enforced: true }
  expect(await discover()).toEqual(none)
})

test('a sign-in starts at an active connection of the same organization alone', async () => {
  const { subOrgId, connection } = await makeOrganization()
  const other = await makeOrganization()
  const start = async (organization: string, id: string) => {
    const body = { subOrgId: organization, connectionId: id, redirectUri: 'http://localhost:3000/auth' }
    return (await tenant.post('/v1/auth/login/sso/start', body)).body.code
  }
  expect(await start(subOrgId, connection)).toBe('connection_not_active')
  expect(await start(other.subOrgId, connection)).toBe('connection_not_found')
  expect(await start(subOrgId, 'nonsense')).toBe('connection_not_found')
})

test('a code of a connection or provider that was switched off since is exchanged for nothing', async () => {
  const { subOrgId, connection, setStatus } = await makeOrganization()
  const work = await workOfOrganization(app, subOrgId)
  const enable = (enabled: boolean) =>
    tenant.put('/v1/social/providers', { subOrgId, provider: 'google', enabled, client_id: 'x', client_secret: 'y' })
  const ways = [
    {
      by: { method: 'sso', source: connection } as const,
      off: () => setStatus('error'),
      on: () => setStatus('active'),
    },
    { by: { method: 'social', source: 'google' } as const, off: () => enable(false), on: () => enable(true) },
  ]
  for (const { by, off, on } of ways) {
    const ada = person({ email: newEmail(), emailVerified: true })
    const bring = () => signInAs(work, ada, RULES, { ...by, responseMode: 'code' })
    const exchange = async ({ code }: Record<string, string>) =>
      (await tenant.post('/v1/auth/token/exchange', { subOrgId, code })).body
    await on()
    const [kept, late] = [await bring(), await bring()]
    expect((await exchange(kept)).session).toBeDefined()
    await off()
    expect((await exchange(late)).code).toBe('code_invalid')
  }
})
