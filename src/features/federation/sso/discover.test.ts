import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { type Caller, startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newUser, sessionsIn } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { mailedCode } from '../../../../test/people/sign-in.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { serviceIds } from '../../tenancy/services/selection.ts'

// One login page for all organizations: the address's domain determines the connection.

const app = await startApp()
const tenant = await app.tenant()

const oidc = {
  name: 'Acme',
  protocol: 'oidc',
  oidc_issuer: 'https://login.acme.example',
  oidc_client_id: 'watchword',
  oidc_client_secret: 'secret',
}
const NONE = { connection: null, connections: [], connectionId: null, enforced: false }

/** An organization with a verified domain and an active connection. */
async function makeOrganization(by: Pick<Caller, 'post' | 'patch'> = tenant, subOrgId?: string) {
  const id = subOrgId ?? (await tenant.organization())
  const domain = `${fresh()}.example`
  await verifyDomain(app, by, id, domain)
  const connect = async (more: object = {}) => {
    const { connection } = succeeded(await by.post('/v1/sso/connections', { subOrgId: id, ...oidc, ...more }))
    succeeded(await by.patch(`/v1/sso/connections/${connection.id}`, { subOrgId: id, status: 'active' }))
    return { id: String(connection.id), subOrgId: id, name: String(connection.name), protocol: 'oidc' }
  }
  return { subOrgId: id, domain, connect, connection: await connect() }
}

const discover = async (domain: string, by: Pick<Caller, 'post'> = tenant, body: object = {}) =>
  succeeded(await by.post('/v1/auth/login/sso/discover', { email: `ada@${domain}`, ...body }))

const found = (connection: object & { id: string }, enforced = false) => ({
  connection,
  connections: [connection],
  connectionId: connection.id,
  enforced,
})

const services = (without: string) => ({ enabledAppIds: serviceIds.filter((id) => id !== without) })

const changes = {
  organization: { active: null, suspended: { status: 'suspended' }, archived: { status: 'archived' } },
  service: { on: null, off: services('sso') },
  connection: {
    active: null,
    draft: { status: 'draft' },
    testing: { status: 'testing' },
    incomplete: { oidc_client_secret: null },
  },
  domain: { verified: false, removed: true },
}
type States<T> = { [K in keyof T]: keyof T[K] }

const states = Object.keys(changes.organization).flatMap((organization) =>
  Object.keys(changes.service).flatMap((service) =>
    Object.keys(changes.connection).flatMap((connection) =>
      Object.keys(changes.domain).map(
        (domain) => ({ organization, service, connection, domain }) as States<typeof changes>,
      ),
    ),
  ),
)

test.each(states)('$organization, sso $service, connection $connection, domain $domain', async (state) => {
  const { subOrgId, domain, connection } = await makeOrganization()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, enforce_sso: true }))
  expect(await discover(domain)).toEqual(found(connection, true))
  const [ofConnection, ofService] = [changes.connection[state.connection], changes.service[state.service]]
  if (ofConnection) succeeded(await tenant.patch(`/v1/sso/connections/${connection.id}`, { subOrgId, ...ofConnection }))
  if (changes.domain[state.domain]) {
    const { overview } = succeeded(await tenant.get(`/v1/admin-portal?subOrgId=${subOrgId}`))
    const [{ id: domainId }] = overview.domains
    succeeded(await tenant.post('/v1/admin-portal', { subOrgId, action: 'remove_domain', domainId }))
  }
  if (ofService) succeeded(await tenant.put('/v1/organization-apps', { subOrgId, ...ofService }))
  if (state.organization !== 'active')
    succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, changes.organization[state.organization] ?? {}))
  const isOwner = state.organization === 'active' && state.service === 'on' && state.domain === 'verified'
  const isUsable = state.connection === 'active'
  expect(await discover(domain)).toEqual(
    isOwner ? (isUsable ? found(connection, true) : { ...NONE, enforced: true }) : NONE,
  )
  expect(await discover(`unknown-${fresh()}.example`)).toEqual(NONE)
})

test('the default connection comes first: one that names the domain, or else the oldest that names none', async () => {
  const { subOrgId, domain, connect, connection: oldest } = await makeOrganization()
  const other = await connect({ name: 'Other domains', domains: [`other-${domain}`] })
  const named = await connect({ name: 'Named', domains: [domain] })
  const youngest = await connect({ name: 'Youngest' })
  const connections = [named, oldest, youngest]
  const expected = { connection: named, connections, connectionId: named.id, enforced: false }
  const scoped = await tenant.withKey({ subOrgId })
  for (const answer of [
    await discover(domain),
    await discover(domain, tenant, { subOrgId }),
    await discover(domain, scoped),
  ])
    expect(answer).toEqual(expected)
  expect(JSON.stringify(await discover(domain))).not.toContain(other.id)
})

test('the answer depends on the domain, and not on the address', async () => {
  const { subOrgId, domain, connection } = await makeOrganization()
  const known = await newUser(tenant, { subOrgId, email: `known@${domain}` })
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, enforce_sso: true, sso_exempt_user_ids: [known.id] }))
  await discover(domain)
  const asked = ['known', 'unknown'].map(
    (local) => () => tenant.post('/v1/auth/login/sso/discover', { email: `${local}@${domain.toUpperCase()}` }),
  )
  const sent: string[][] = []
  for (const ask of asked)
    sent.push(
      await recordStatements(async () => {
        expect(succeeded(await ask())).toEqual(found(connection, true))
      }),
    )
  expect(sent[0]).toEqual(sent[1])
})

test('costs one statement with an unknown domain and with a known one', async () => {
  const { domain } = await makeOrganization()
  await discover(domain)
  for (const asked of [domain, `unknown-${fresh()}.example`]) {
    const texts = await recordStatements(() => discover(asked).then(() => {}))
    expect(texts.filter((text) => !/graphile_worker\.|update api_keys/.test(text))).toHaveLength(1)
  }
})

test('an organization with a setting of its own decides whether it has the service', async () => {
  const own = await app.tenant()
  const organization = async () => {
    const { subOrganization } = succeeded(await own.post('/v1/organizations', { name: fresh(), slug: fresh() }))
    return makeOrganization(own, subOrganization.id)
  }
  const [inherits, differs] = [await organization(), await organization()]
  succeeded(await own.put('/v1/organization-apps', { subOrgId: differs.subOrgId, enabledAppIds: serviceIds }))
  succeeded(await own.put('/v1/organization-apps/defaults', services('sso')))
  expect(await discover(inherits.domain, own)).toEqual(NONE)
  expect(await discover(differs.domain, own)).toEqual(found(differs.connection))
  succeeded(await own.put('/v1/organization-apps/defaults', { enabledAppIds: serviceIds }))
  succeeded(await own.put('/v1/organization-apps', { subOrgId: differs.subOrgId, ...services('sso') }))
  expect(await discover(inherits.domain, own)).toEqual(found(inherits.connection))
  expect(await discover(differs.domain, own)).toEqual(NONE)
})

test('a key finds organizations of its own environment and account only', async () => {
  const staging = await tenant.withKey({ environment: 'staging' })
  const shared = await tenant.organization()
  const [inProduction, inStaging] = [await makeOrganization(tenant, shared), await makeOrganization(staging, shared)]
  expect(await discover(inProduction.domain)).toEqual(found(inProduction.connection))
  expect(await discover(inStaging.domain)).toEqual(NONE)
  expect(await discover(inStaging.domain, staging)).toEqual(found(inStaging.connection))
  expect(await discover(inProduction.domain, staging)).toEqual(NONE)
  expect(await discover(inProduction.domain, await app.tenant())).toEqual(NONE)
})

test('a key limited to one organization finds nothing of others', async () => {
  const [one, other] = [await makeOrganization(), await makeOrganization()]
  const scoped = await tenant.withKey({ subOrgId: one.subOrgId })
  expect(await discover(one.domain, scoped)).toEqual(found(one.connection))
  expect(await discover(other.domain, scoped)).toEqual(NONE)
  const email = `ada@${other.domain}`
  const refused = await scoped.post('/v1/auth/login/sso/discover', { subOrgId: other.subOrgId, email })
  expect([refused.status, refused.body.code]).toEqual([403, 'sub_org_mismatch'])
})

test('what is found starts a sign-in', async () => {
  const { domain, subOrgId } = await makeOrganization()
  succeeded(
    await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: ['http://localhost:3000/auth'] }),
  )
  const { connection } = await discover(domain)
  const body = { subOrgId: connection.subOrgId, connectionId: connection.id, redirectUri: 'http://localhost:3000/auth' }
  const started = await tenant.post('/v1/auth/login/sso/start', body)
  // The provider does not exist, so the sign-in cannot go further.
  expect(started.body.code).toBe('idp_unreachable')
})

test('a domain that is not verified leads nowhere', async () => {
  const { subOrgId } = await makeOrganization()
  const domain = `${fresh()}.example`
  succeeded(await tenant.post('/v1/admin-portal', { subOrgId, action: 'add_domain', domain }))
  expect(await discover(domain)).toEqual(NONE)
})

test('enforced closes one organization: a code still opens another one that the person belongs to', async () => {
  const [home, guest] = [await makeOrganization(), await tenant.organization()]
  const email = `ada@${home.domain}`
  for (const subOrgId of [home.subOrgId, guest]) await newUser(tenant, { subOrgId, email })
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: home.subOrgId, enforce_sso: true }))
  expect(await discover(home.domain)).toEqual(found(home.connection, true))

  const { otp_id } = succeeded(await tenant.post('/v1/auth/discovery/otp/send', { email }))
  const code = await mailedCode(app, email)
  const { discovery_token, organizations } = succeeded(
    await tenant.post('/v1/auth/discovery/otp/verify', { email, otp_id, code }),
  )
  expect(organizations).toHaveLength(2)
  expect(organizations).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ subOrgId: home.subOrgId, requires: 'sso', connection_id: home.connection.id }),
      expect.objectContaining({ subOrgId: guest, requires: null, connection_id: null }),
    ]),
  )
  const enter = (subOrgId: string) => tenant.post('/v1/auth/discovery/exchange', { subOrgId, discovery_token })
  const refused = await enter(home.subOrgId)
  expect([refused.status, refused.body]).toMatchObject([
    403,
    { code: 'sso_required', connection_id: home.connection.id },
  ])
  expect(succeeded(await enter(guest)).session).toMatchObject({ access_token: expect.any(String) })
  expect(await sessionsIn(tenant, home.subOrgId)).toEqual([])
  expect(await sessionsIn(tenant, guest)).toHaveLength(1)
})
