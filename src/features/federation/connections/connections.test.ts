import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { elliptic, many, weak } from '../../../../test/peers/weak-certificates.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { makeCertificate } from '../../../platform/crypto/certificates.ts'
import { newId } from '../../../platform/ids.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform
const second = await startSecondApp(app)

const CONNECTIONS = '/v1/sso/connections'
const oidc = { name: 'Acme', protocol: 'oidc', oidc_issuer: 'https://login.acme.example', oidc_client_id: 'watchword' }
const saml = { name: 'Acme', protocol: 'saml', idp_entity_id: 'urn:acme', idp_sso_url: 'https://idp.acme.example/sso' }

const certificate = async (days: number) => {
  const from = new Date(Date.now() + days * 86_400_000)
  return (await makeCertificate({ commonName: `idp-${fresh()}`, years: 1, from })).certificatePem
}

async function makeOrganization() {
  const subOrgId = await tenant.organization()
  const key = await tenant.withKey({ subOrgId })
  return { subOrgId, key, create: async (body: object) => (await key.post(CONNECTIONS, body)).body.connection }
}

const typesOf = async (id: string) =>
  (await app.events({ accountId: tenant.accountId })).filter((event) => event.target_id === id).map(({ type }) => type)

test('a connection begins as a draft, with safe defaults and the addresses to give to the provider', async () => {
  const { subOrgId, create } = await makeOrganization()
  const made = await create(saml)
  const base = `http://localhost:4000/api/v1/auth/login/sso/saml`
  expect(made).toMatchObject({
    ...saml,
    sub_org_id: subOrgId,
    status: 'draft',
    sign_requests: true,
    want_assertions_signed: true,
    allow_idp_initiated: false,
    allow_sha1: false,
    jit_provisioning: true,
    scim_match: null,
    relink: false,
    default_role: 'member',
    trust_idp_mfa: false,
    last_test: null,
    last_login_at: null,
    sp: {
      entity_id: `${base}/metadata/${made.id}`,
      acs_url: `${base}/acs/${made.id}`,
      slo_url: `${base}/slo/${made.id}`,
      metadata_url: `${base}/metadata/${made.id}`,
    },
  })
  expect(made.sp.certificates.map(({ status }: { status: string }) => status)).toEqual(['current', 'current'])
  const other = await create(saml)
  expect(other.sp.certificates).toEqual(made.sp.certificates)
})

test('the client secret and the keys of the service are never shown, nor stored as they are', async () => {
  const { key, create } = await makeOrganization()
  const secret = `canary-${fresh()}`
  const made = await create({ ...oidc, oidc_client_secret: secret })
  expect(made.oidc_client_secret_set).toBe(true)
  await create(saml)
  const [rows, keys] = [
    await db.selectFrom('sso_connections').selectAll().execute(),
    await db.selectFrom('sp_keys').selectAll().execute(),
  ]
  const shown = (await key.get(CONNECTIONS)).text
  const events = JSON.stringify(await app.events({ accountId: tenant.accountId }))
  for (const text of [JSON.stringify(rows), JSON.stringify(keys), shown, events])
    expect(text.includes(secret) || text.includes('PRIVATE KEY')).toBe(false)
  const cleared = await key.patch(`${CONNECTIONS}/${made.id}`, { oidc_client_secret: null })
  expect(cleared.body.connection.oidc_client_secret_set).toBe(false)
})

test('certificates are shown by what people compare, each once, with what they are now', async () => {
  const { create } = await makeOrganization()
  const [now, next, over] = [await certificate(-10), await certificate(30), await certificate(-800)]
  const bare = now.replaceAll(/-----[^-]+-----|\s/g, '')
  const made = await create({ ...saml, idp_certificate: [`${now}\n${next}`, bare, over] })
  expect(made.idp_certificates.map(({ status }: { status: string }) => status)).toEqual(['current', 'next', 'expired'])
  expect(made.idp_certificates[0]).toMatchObject({
    fingerprint_sha256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
    subject: expect.stringMatching(/^CN=idp-/),
  })
})

test.each([
  ['idp_certificate', 'nonsense'],
  ['idp_certificate', weak],
  ['idp_certificate', elliptic],
  ['idp_certificate', many],
  ['idp_certificate', many.join('\n')],
  ['idp_certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ['idp_sso_url', 'http://idp.acme.example/sso'],
  ['idp_sso_url', 'javascript:alert(1)'],
  ['idp_slo_url', 'https://ada@idp.acme.example/slo'],
  ['oidc_issuer', 'https://idp.acme.example/#x'],
  ['oidc_issuer', 'https://idp.acme.example/?tenant=1'],
  ['oidc_issuer', 'https://idp.acme.example?'],
  ['oidc_issuer', 'idp.acme.example'],
  ['group_role_mapping', { Everyone: 'owner' }],
  ['group_role_mapping', { Everyone: ['member', 'nobody'] }],
  ['group_role_mapping', { '': 'member' }],
  ['group_role_mapping', Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`g${n}`, 'member']))],
  ['default_role', 'owner'],
  ['status', 'open'],
  ['request_binding', 'artifact'],
  ['name', 'a\nb'],
])('%s %j is refused, and changes nothing', async (field, value) => {
  const { key, create } = await makeOrganization()
  const made = await create(saml)
  const refused = await key.patch(`${CONNECTIONS}/${made.id}`, { [field]: value })
  expect([refused.status, String(refused.body.errors[0].field).split('.')[0]]).toEqual([400, field])
  expect((await key.get(`${CONNECTIONS}/${made.id}`)).body.connection).toEqual(made)
})

test('a refusal names the field that was given, and what would let an address be without https', async () => {
  const { key, create } = await makeOrganization()
  const made = await create(oidc)
  const errorOf = async (body: object) => (await key.patch(`${CONNECTIONS}/${made.id}`, body)).body.errors[0]
  expect((await errorOf({ idp_metadata_url: 'https://idp.acme.example/metadata' })).field).toBe('idp_metadata_url')
  expect((await errorOf({ idp_metadata_xml: '<a/>' })).field).toBe('idp_metadata_xml')
  expect((await errorOf({ oidc_issuer: 'http://localhost:8080' })).message).toContain('WATCHWORD_OUTBOUND_ALLOW')
})

test('a test says that nobody can sign in before a domain is verified, whatever else is well', async () => {
  const { subOrgId, key, create } = await makeOrganization()
  const made = await create(saml)
  const domainChecks = async () => {
    const { body } = await key.post(`${CONNECTIONS}/${made.id}/test`)
    return body.checks.filter(({ id }: { id: string }) => id === 'domain')
  }
  expect(await domainChecks()).toMatchObject([{ ok: true, fix: expect.stringContaining('/v1/admin-portal') }])
  await verifyDomain(app, tenant, subOrgId, `${fresh()}.example`)
  expect(await domainChecks()).toEqual([])
})

test('a test that finds something is recorded with what it found', async () => {
  const { create, key } = await makeOrganization()
  const closed = await create({ ...oidc, oidc_issuer: 'https://login.invalid' })
  const { body } = await key.post(`${CONNECTIONS}/${closed.id}/test`)
  expect(body.success).toBe(false)
  const events = await app.events({ accountId: tenant.accountId, type: 'sso.connection.test_failed' })
  expect(events.filter(({ target_id }) => target_id === closed.id)).toMatchObject([
    { data: { status: 'testing', last_test: { success: false, checks: body.checks } } },
  ])
})

test('what a change does not name stays, and its events tell what became of the connection', async () => {
  const { key, create } = await makeOrganization()
  const made = await create({ ...oidc, group_role_mapping: { Engineers: 'admin', __proto: 'member' } })
  const path = `${CONNECTIONS}/${made.id}`
  const change = async (body: object) => (await key.patch(path, body)).body.connection
  expect(await change({ name: 'Acme 2' })).toEqual({ ...made, name: 'Acme 2', updated_at: expect.any(String) })
  expect((await change({ status: 'active' })).status).toBe('active')
  expect((await change({ trust_idp_mfa: true })).trust_idp_mfa).toBe(true)
  expect((await change({ status: 'error' })).status).toBe('error')
  expect((await key.delete(path)).body).toEqual({ success: true })
  expect((await key.get(path)).body.code).toBe('connection_not_found')
  const names = ['created', 'updated', 'activated', 'updated', 'deactivated', 'deleted']
  expect(await typesOf(made.id)).toEqual(names.map((name) => `sso.connection.${name}`))
})

test('the client secret does not go along to another server', async () => {
  const { key, create } = await makeOrganization()
  const path = `${CONNECTIONS}/${(await create({ ...oidc, oidc_issuer: null, oidc_client_secret: 'given' })).id}`
  const hasSecret = async (body: object) => (await key.patch(path, body)).body.connection.oidc_client_secret_set
  expect(await hasSecret({ oidc_issuer: 'https://login.acme.example' })).toBe(true)
  expect(await hasSecret({ oidc_issuer: 'https://login.acme.example/oauth2' })).toBe(true)
  for (const elsewhere of ['https://evil.example', 'https://login.acme.example:444', null]) {
    expect(await hasSecret({ oidc_issuer: elsewhere })).toBe(false)
    expect(await hasSecret({ oidc_issuer: 'https://login.acme.example', oidc_client_secret: 'given' })).toBe(true)
  }
})

test('a change or deletion with an old version is refused', async () => {
  const { key, create } = await makeOrganization()
  const path = `${CONNECTIONS}/${(await create(oidc)).id}`
  const etag = (await key.get(path)).headers.get('etag') ?? ''
  expect((await key.patch(path, { name: 'First' }, { 'if-match': etag })).status).toBe(200)
  expect((await key.patch(path, { name: 'Second' }, { 'if-match': etag })).status).toBe(412)
  const late = await key.delete(path, { 'if-match': etag })
  expect([late.status, late.body.code]).toEqual([412, 'version_conflict'])
  const shown = await key.get(path)
  expect(shown.body.connection.name).toBe('First')
  const present = { 'if-match': shown.headers.get('etag') ?? '' }
  expect((await key.delete(path, present)).status).toBe(200)
  expect((await key.get(path)).body.code).toBe('connection_not_found')
})

test('an organization has fifty at most, however many processes make some at once', async () => {
  const { subOrgId, key, create } = await makeOrganization()
  const { id } = await create(oidc)
  const row = await db.selectFrom('sso_connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const copies = Array.from({ length: 46 }, () => ({ ...row, id: newId(), config: '{}' }))
  await db.insertInto('sso_connections').values(copies).execute()
  const others = second.as(key.key)
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? key : others).post(CONNECTIONS, oidc)),
  )
  const codes = made.map(({ status, body }) => (status === 200 ? 'made' : body.code)).sort()
  expect(codes).toEqual([...Array(17).fill('connection_limit_reached'), 'made', 'made', 'made'])
  const { connections } = (await tenant.get(`${CONNECTIONS}?subOrgId=${subOrgId}&limit=100`)).body
  expect(connections).toHaveLength(50)
  const { has_more } = (await tenant.get(`${CONNECTIONS}?subOrgId=${subOrgId}&limit=20`)).body
  expect(has_more).toBe(true)
})

test('the keys of an account are its own, made once, however many ask for them at once', async () => {
  const other = await app.tenant()
  const subOrgId = await other.organization()
  const made = await Promise.all(Array.from({ length: 5 }, () => other.post(CONNECTIONS, { subOrgId, ...saml })))
  const shown = new Set(made.map(({ body }) => JSON.stringify(body.connection.sp.certificates)))
  expect(shown.size).toBe(1)
  const { create } = await makeOrganization()
  expect(shown).not.toContain(JSON.stringify((await create(saml)).sp.certificates))
})
