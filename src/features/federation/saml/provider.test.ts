import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp, until } from '../../../../test/harness.ts'
import { startIdp } from '../../../../test/peers/saml-idp-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import {
  APPLICATION,
  broughtBack,
  postResponse,
  providerPair,
  verifyDomain,
} from '../../../../test/people/saml-connection.ts'
import { makeCertificate } from '../../../platform/crypto/certificates.ts'
import { newId } from '../../../platform/ids.ts'
import { maintainConnection } from '../connections/upkeep.ts'

const app = await startApp({ env: { WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' } })
const tenant = await app.tenant()
const idp = await startIdp({ pairs: [providerPair], serviceOrigin: app.baseUrl })
const nextPair = await makeCertificate({ commonName: 'next', years: 3, from: new Date() })

/** An organization whose connection was created from the provider's metadata. */
async function connect(more: Record<string, unknown> = {}) {
  const subOrgId = await tenant.organization()
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, subOrgId, domain)
  const fields = { name: 'Acme', protocol: 'saml', idp_metadata_url: idp.metadataUrl, ...more }
  const { connection } = succeeded(await tenant.post('/v1/sso/connections', { subOrgId, ...fields }))
  const path = `/v1/sso/connections/${connection.id}?subOrgId=${subOrgId}`
  const change = async (body: Record<string, unknown>) => succeeded(await tenant.patch(path, body)).connection
  await change({ status: 'active' })
  const start = async () => {
    const body = { subOrgId, connectionId: connection.id, redirectUri: APPLICATION }
    return succeeded(await tenant.post('/v1/auth/login/sso/start', body))
  }
  return {
    subOrgId,
    domain,
    connection,
    change,
    start,
    /** Signs in as a browser does, from start to end. */
    async signIn(user = `ada@${domain}`) {
      const { authorization_url } = await start()
      const { xml, relayState, action } = await idp.signIn(authorization_url, user)
      return broughtBack(await postResponse(app, new URL(action).pathname, xml, relayState))
    },
    async check() {
      const path = `/v1/sso/connections/${connection.id}/test?subOrgId=${subOrgId}`
      return succeeded(await tenant.post(path, {}))
    },
  }
}

test('a provider is asked before the transaction of a request with an Idempotency-Key', async () => {
  const acme = await connect()
  const once = () => ({ 'idempotency-key': fresh() })
  const body = { subOrgId: acme.subOrgId, idp_metadata_url: idp.metadataUrl }
  const made = await tenant.post('/v1/sso/connections', { ...body, name: 'B', protocol: 'saml' }, once())
  expect(succeeded(made).connection).toMatchObject({ idp_entity_id: `${idp.origin}/metadata` })
  const path = `/v1/sso/connections/${acme.connection.id}`
  expect(succeeded(await tenant.patch(path, body, once())).connection.idp_certificates).toHaveLength(1)
  expect(succeeded(await tenant.post(`${path}/test`, { subOrgId: acme.subOrgId }, once())).success).toBe(true)
  const { domains } = succeeded(await tenant.get(`/v1/admin-portal?subOrgId=${acme.subOrgId}`)).overview
  const verify = { subOrgId: acme.subOrgId, action: 'verify_domain', domainId: domains[0].id }
  expect(succeeded(await tenant.post('/v1/admin-portal', verify, once())).error).toEqual(expect.any(String))
})

test('a connection of the metadata of a provider signs in at it', async () => {
  const acme = await connect()
  expect(acme.connection).toMatchObject({
    idp_entity_id: `${idp.origin}/metadata`,
    idp_sso_url: `${idp.origin}/sso`,
    request_binding: 'redirect',
    idp_certificates: [{ subject: 'CN=idp' }],
  })
  expect(await acme.signIn()).toHaveProperty('access_token')
  const check = await acme.check()
  expect(check.checks.map(({ id, ok }: { id: string; ok: boolean }) => [id, ok])).toEqual([
    ['configuration', true],
    ['certificates', true],
    ['metadata', true],
    ['sso_url', true],
    ['clock', true],
  ])
  expect(check).toMatchObject({ success: true, status: 'testing' })
  const failed = await app.events({ accountId: tenant.accountId, type: 'sso.connection.test_failed' })
  expect(failed).toEqual([])
})

test.each([
  ['the response is signed', { signs: 'response' as const }, { want_assertions_signed: false }],
  ['both are signed', { signs: 'both' as const }, {}],
  ['the assertion is encrypted', { isEncrypted: true }, { want_assertions_encrypted: true }],
])('a provider is understood where %s', async (_, settings, more) => {
  const acme = await connect(more)
  await idp.change(settings)
  try {
    expect(await acme.signIn()).toHaveProperty('access_token')
  } finally {
    await idp.change({ signs: 'assertion', isEncrypted: false })
  }
})

test('two organizations at one provider are kept apart', async () => {
  const [acme, globex] = [await connect(), await connect()]
  const [ada, bob] = await Promise.all([acme.signIn(), globex.signIn()])
  expect(ada['directory_user_id']).not.toBe(bob['directory_user_id'])
  // The provider has a user of the other organization's domain, but the connection only accepts its own verified
  // domain.
  expect(await acme.signIn(`bob@${globex.domain}`)).toMatchObject({ error: 'domain_not_verified' })
})

test('the clock of a provider may differ by less than a minute', async () => {
  const acme = await connect()
  try {
    await idp.change({ aheadSeconds: 50 })
    expect(await acme.signIn()).toHaveProperty('access_token')
    await idp.change({ aheadSeconds: 120 })
    expect(await acme.signIn()).toMatchObject({ error: 'response_invalid' })
  } finally {
    await idp.change({ aheadSeconds: 0 })
  }
})

test('a provider changes its key without one failed sign-in', async () => {
  const acme = await connect()
  let isOver = false
  const results: Record<string, string>[] = []
  const load = (async () => {
    while (!isOver) results.push(await acme.signIn(`${fresh()}@${acme.domain}`))
  })()
  try {
    await until(async () => results.length > 2)
    // The provider publishes both certificates, and the connection is updated from the metadata.
    await idp.change({ pairs: [providerPair, nextPair] })
    expect((await acme.check()).success).toBe(false)
    const { idp_certificates } = await acme.change({ idp_metadata_url: idp.metadataUrl })
    expect(idp_certificates).toHaveLength(2)
    expect((await acme.check()).success).toBe(true)
    const before = results.length
    await until(async () => results.length > before + 2)
    // The provider now signs with the new certificate.
    await idp.change({ pairs: [nextPair, providerPair] })
    const after = results.length
    await until(async () => results.length > after + 3)
  } finally {
    isOver = true
    await load
    await idp.change({ pairs: [providerPair] })
  }
  expect(results.filter((each) => !('access_token' in each))).toEqual([])
})

test('a certificate is trusted because it was given, also once it has expired, of which a test warns', async () => {
  const from = new Date(Date.now() - 2 * 365 * 86_400_000)
  const expired = await makeCertificate({ commonName: 'expired', years: 1, from })
  const acme = await connect()
  try {
    await idp.change({ pairs: [expired] })
    expect(await acme.signIn()).toMatchObject({ error: 'response_invalid' })
    const { idp_certificates } = await acme.change({ idp_metadata_url: idp.metadataUrl })
    expect(idp_certificates).toMatchObject([{ status: 'expired' }])
    expect(await acme.signIn()).toHaveProperty('access_token')
    const { checks, success } = await acme.check()
    expect(success).toBe(false)
    expect(checks.filter(({ ok }: { ok: boolean }) => !ok)).toMatchObject([
      { id: 'certificates', message: expect.stringContaining('Sign-ins still work'), fix: expect.any(String) },
    ])
  } finally {
    await idp.change({ pairs: [providerPair] })
  }
})

test('a provider that signs with a key that nobody pinned is refused', async () => {
  const acme = await connect()
  try {
    await idp.change({ pairs: [nextPair] })
    expect(await acme.signIn()).toMatchObject({ error: 'response_invalid' })
  } finally {
    await idp.change({ pairs: [providerPair] })
  }
})

test('the service changes its keys without one failed sign-in', async () => {
  const acme = await connect({ want_assertions_encrypted: true })
  await idp.change({ isEncrypted: true })
  const read = async () => (await fetch(`${app.baseUrl}${new URL(acme.connection.sp.metadata_url).pathname}`)).text()
  const has = async (pem: string) => (await read()).includes(pem.replace(/-----[A-Z ]+-----|\s/g, ''))
  const { keyring, tx } = app.app.platform
  const pairs = {
    signing: nextPair,
    encryption: await makeCertificate({ commonName: 'e', years: 3, from: new Date() }),
  }
  try {
    expect(await acme.signIn()).toHaveProperty('access_token')
    for (const [use, pair] of Object.entries(pairs)) {
      const id = newId()
      const place = { table: 'sp_keys', column: 'private_key_sealed', row: id, accountId: tenant.accountId }
      const row = {
        environment_id: tenant.environmentId,
        id,
        use,
        status: 'next',
        certificate_pem: pair.certificatePem,
        private_key_sealed: await keyring.seal(place, pair.privateKeyPem),
        not_after: new Date(Date.now() + 86_400_000),
      }
      await tx((tx) => tx.insertInto('sp_keys').values(row).execute())
    }
    await until(() => has(pairs.signing.certificatePem))
    expect(await acme.signIn(`${fresh()}@${acme.domain}`)).toHaveProperty('access_token')
    // A response in progress, encrypted for the key that is still current.
    const { authorization_url } = await acme.start()
    const underway = await idp.signIn(authorization_url, `${fresh()}@${acme.domain}`)
    for (const [from, to] of [
      ['current', 'former'],
      ['next', 'current'],
    ] as const)
      await tx((tx) =>
        tx
          .updateTable('sp_keys')
          .set({ status: to })
          .where('environment_id', '=', tenant.environmentId)
          .where('status', '=', from)
          .execute(),
      )
    // The metadata has only the current encryption key, since many providers use the last one that they find.
    await until(() => has(pairs.encryption.certificatePem))
    const certificates = [...(await read()).matchAll(/use="(\w+)"/g)].map(([, use]) => use)
    expect(certificates).toEqual(['signing', 'signing', 'encryption'])
    expect(await acme.signIn(`${fresh()}@${acme.domain}`)).toHaveProperty('access_token')
    const { pathname } = new URL(underway.action)
    expect(broughtBack(await postResponse(app, pathname, underway.xml, underway.relayState))).toHaveProperty(
      'access_token',
    )
  } finally {
    await idp.change({ isEncrypted: false })
  }
})

test('a provider that is down, gone or wrong is told of by a test', async () => {
  const acme = await connect()
  const checks = async (change: Record<string, unknown>) => {
    await acme.change(change)
    const { checks, success } = await acme.check()
    expect(success).toBe(false)
    return checks.filter(({ ok }: { ok: boolean }) => !ok)
  }
  expect(await checks({ idp_sso_url: 'http://127.0.0.1:1/sso' })).toMatchObject([
    { id: 'metadata', message: expect.stringContaining('idp_sso_url') },
    { id: 'sso_url', message: expect.stringContaining('unreachable') },
  ])
  expect(await checks({ idp_sso_url: `${idp.origin}/nowhere` })).toMatchObject([
    { id: 'metadata' },
    { id: 'sso_url', message: expect.stringContaining('404') },
  ])
  expect(await checks({ idp_sso_url: `${idp.origin}/sso`, idp_entity_id: 'other' })).toMatchObject([
    { id: 'metadata', message: expect.stringContaining('idp_entity_id'), fix: expect.any(String) },
  ])
  expect(await checks({ idp_entity_id: null, idp_certificate: [] })).toMatchObject([
    { id: 'configuration', message: expect.stringContaining('idp_entity_id') },
    { id: 'certificates' },
    { id: 'metadata' },
  ])
})

test('metadata that is another provider’s by now changes no certificate', async () => {
  const acme = await connect()
  await acme.change({ idp_entity_id: 'https://other.example', idp_certificate: nextPair.certificatePem })
  const { directory_id: directoryId } = await app.app.platform.db
    .selectFrom('sso_connections')
    .select('directory_id')
    .where('id', '=', acme.connection.id)
    .executeTakeFirstOrThrow()
  const lookAfter = () =>
    maintainConnection.handle(app.app.platform, { directoryId, connectionId: acme.connection.id }, 1)
  await lookAfter()
  expect((await acme.change({})).idp_certificates).toMatchObject([{ subject: 'CN=next' }])
  await acme.change({ idp_entity_id: `${idp.origin}/metadata` })
  await lookAfter()
  expect((await acme.change({})).idp_certificates).toMatchObject([{ subject: 'CN=idp' }])
})

test('metadata that has expired is refused, and told of by a test', async () => {
  const acme = await connect()
  try {
    await idp.change({ validUntil: '2020-01-01T00:00:00Z' })
    const other = { subOrgId: acme.subOrgId, name: 'Late', protocol: 'saml' }
    const idp_metadata_xml = await (await fetch(idp.metadataUrl)).text()
    for (const given of [{ idp_metadata_xml }, { idp_metadata_url: idp.metadataUrl }]) {
      const refused = await tenant.post('/v1/sso/connections', { ...other, ...given })
      expect([refused.status, refused.body.code]).toEqual([422, 'metadata_invalid'])
      expect(refused.body.detail).toContain('valid until 2020-01-01')
    }
    const failed = (await acme.check()).checks.filter(({ ok }: { ok: boolean }) => !ok)
    expect(failed).toMatchObject([{ id: 'metadata', message: expect.stringContaining('2020-01-01') }])
  } finally {
    await idp.change({ validUntil: null })
  }
})

test('a request may go by a form, which the page of the service sends by itself', async () => {
  const acme = await connect({ request_binding: 'post' })
  await acme.change({ request_binding: 'post' })
  const { authorization_url, state } = await acme.start()
  const { pathname, search } = new URL(authorization_url)
  const reply = await fetch(app.baseUrl + pathname + search)
  const policy = reply.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("; script-src 'self'; ")
  const html = await reply.text()
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
  const body = new URLSearchParams({ SAMLRequest: field('SAMLRequest'), RelayState: field('RelayState') })
  expect(field('RelayState')).toBe(state)
  expect(html).toContain(`action="${idp.origin}/sso"`)
  const answered = await fetch(`${idp.origin}/sso?as=ada@${acme.domain}`, { method: 'POST', body })
  const response = /name="SAMLResponse" value="([^"]*)"/.exec(await answered.text())?.[1] ?? ''
  const xml = Buffer.from(response, 'base64').toString()
  const path = new URL(acme.connection.sp.acs_url).pathname
  expect(broughtBack(await postResponse(app, path, xml, state))).toHaveProperty('access_token')
  // The page is only rendered for a state that this service made.
  const forged = pathname + search.replace(state, `${state.slice(0, -1)}${state.endsWith('a') ? 'b' : 'a'}`)
  expect((await fetch(app.baseUrl + forged)).status).toBe(400)
})
