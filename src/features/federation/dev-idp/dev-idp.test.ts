import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { PRODUCTION, startApp, type TestApp } from '../../../../test/harness.ts'
import { freePort } from '../../../../test/peers/free-port.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const port = await freePort()
const app = await startApp({ port, env: { NODE_ENV: 'development', WATCHWORD_BASE_URL: `http://localhost:${port}` } })
const tenant = await app.tenant()
const APPLICATION = 'http://localhost:3000/auth'
const base = `http://localhost:${port}`

const get = (url: string) => fetch(url, { redirect: 'manual' })
const post = (url: string, form: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })

// The first request creates the key. On a busy machine that may take longer than a connection waits for metadata.
await get(`${base}/dev/idp/first.test/saml/metadata`)

/** An organization that has verified a test domain by API requests only. */
async function makeOrganization() {
  const subOrgId = await tenant.organization()
  const domain = `${fresh()}.test`
  const added = succeeded(await tenant.post('/v1/admin-portal', { subOrgId, action: 'add_domain', domain }))
  const verified = await tenant.post('/v1/admin-portal', {
    subOrgId,
    action: 'verify_domain',
    domainId: added.domain.id,
  })
  expect(succeeded(verified).success).toBe(true)
  return { subOrgId, domain }
}

async function connect(protocol: 'saml' | 'oidc', more: Record<string, unknown> = {}) {
  const { subOrgId, domain } = await makeOrganization()
  const provider = `${base}/dev/idp/${domain}`
  const fields =
    protocol === 'saml'
      ? { idp_metadata_url: `${provider}/saml/metadata` }
      : { oidc_issuer: provider, oidc_client_id: 'watchword', oidc_client_secret: 'any text' }
  const made = await tenant.post('/v1/sso/connections', { subOrgId, name: 'Acme', protocol, ...fields, ...more })
  const { id } = succeeded(made).connection
  const tested = succeeded(await tenant.post(`/v1/sso/connections/${id}/test?subOrgId=${subOrgId}`, {}))
  expect(tested.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
  succeeded(await tenant.patch(`/v1/sso/connections/${id}?subOrgId=${subOrgId}`, { status: 'active' }))
  return { subOrgId, domain, id }
}

type Connected = Awaited<ReturnType<typeof connect>>

async function begin({ subOrgId, id }: Connected): Promise<string> {
  const body = { subOrgId, connectionId: id, redirectUri: APPLICATION, response_mode: 'code' }
  return succeeded(await tenant.post('/v1/auth/login/sso/start', body)).authorization_url
}

const fieldOf = (html: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''

/** Follows the browser from the provider back to the application. Returns the parameters that the application gets. */
async function comeBack(answer: Response): Promise<URLSearchParams> {
  if (answer.status === 200) {
    const html = await answer.text()
    const action = /<form method="post" action="([^"]*)"/.exec(html)?.[1] ?? ''
    const relayState = fieldOf(html, 'RelayState')
    const form = { SAMLResponse: fieldOf(html, 'SAMLResponse'), ...(relayState ? { RelayState: relayState } : {}) }
    return new URL((await post(action, form)).headers.get('location') ?? '').searchParams
  }
  const callback = await get(answer.headers.get('location') ?? '')
  return new URL(callback.headers.get('location') ?? '').searchParams
}

async function tokenClaims({ subOrgId }: Connected, landed: URLSearchParams) {
  const { session } = succeeded(await tenant.post('/v1/auth/token/exchange', { subOrgId, code: landed.get('code') }))
  const { user } = succeeded(await tenant.get(`/v1/users/${session.directory_user_id}?subOrgId=${subOrgId}`))
  return user
}

const formOf = (url: string) => Object.fromEntries(new URL(url).searchParams)

for (const protocol of ['saml', 'oidc'] as const) {
  test(`a person signs in by ${protocol}, chosen on the page`, async () => {
    const connected = await connect(protocol)
    const url = await begin(connected)
    const page = await get(url)
    expect(page.status).toBe(200)
    const html = await page.text()
    expect(html).toContain(`ada@${connected.domain}`)
    const form = { ...formOf(url), as: `ada@${connected.domain}`, fault: 'none' }
    const landed = await comeBack(await post(url.split('?')[0] ?? '', form))
    expect(landed.get('error')).toBeNull()
    const user = await tokenClaims(connected, landed)
    expect(user).toMatchObject({ email: `ada@${connected.domain}`, firstName: 'Ada', lastName: 'Lovelace' })
  })

  test(`a script signs in by ${protocol} with the person in the query, of another address too`, async () => {
    const connected = await connect(protocol)
    const landed = await comeBack(await get(`${await begin(connected)}&as=zoe`))
    expect((await tokenClaims(connected, landed)).email).toBe(`zoe@${connected.domain}`)
  })

  test.each([
    ['cancelled', 'access_denied'],
    ['unknown_certificate', 'response_invalid'],
    ['missing_email', 'email_missing'],
    ['wrong_audience', 'response_invalid'],
    ['clock_ahead', 'response_invalid'],
  ])(`the fault %s ends a sign-in by ${protocol} with %s`, async (fault, error) => {
    const connected = await connect(protocol)
    const landed = await comeBack(await get(`${await begin(connected)}&as=ada&fault=${fault}`))
    expect([landed.get('error'), landed.get('code')]).toEqual([error, null])
    const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${connected.subOrgId}`))
    expect(users).toEqual([])
  })

  test.each(['as=ada&fault=nonsense', 'fault=nonsense', 'as=not%20a%20name', 'as=ada&fault=toString'])(
    `%s begins no sign-in by ${protocol}, and names the faults`,
    async (query) => {
      const answer = await get(`${await begin(await connect(protocol))}&${query}`)
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
      const html = await answer.text()
      for (const fault of [
        'none',
        'cancelled',
        'unknown_certificate',
        'missing_email',
        'wrong_audience',
        'clock_ahead',
      ])
        expect(html).toContain(`<code>${fault}</code>`)
      expect(html).not.toContain('<form')
    },
  )

  test(`who signs out of a ${protocol} session is led back to the application`, async () => {
    const connected = await connect(protocol)
    const { subOrgId } = connected
    const landed = await comeBack(await get(`${await begin(connected)}&as=ada`))
    const { session } = succeeded(await tenant.post('/v1/auth/token/exchange', { subOrgId, code: landed.get('code') }))
    const body = { subOrgId, refresh_token: session.refresh_token, redirectUri: APPLICATION, state: 'bye' }
    const { logoutUrl } = succeeded(await tenant.post('/v1/auth/login/sso/logout', body))
    const atProvider = await get(logoutUrl)
    const back = await get(atProvider.headers.get('location') ?? '')
    const end = new URL(back.headers.get('location') ?? '')
    expect(`${end.origin}${end.pathname}`).toBe(APPLICATION)
    expect(Object.fromEntries(end.searchParams)).toEqual({ state: 'bye' })
  })
}

test('the fault of a missing address leaves a person their subject', async () => {
  for (const protocol of ['saml', 'oidc'] as const) {
    const connected = await connect(protocol)
    const { subOrgId } = connected
    const first = await comeBack(await get(`${await begin(connected)}&as=grace`))
    const { id } = await tokenClaims(connected, first)
    for (const fault of ['missing_email', 'none']) {
      const landed = await comeBack(await get(`${await begin(connected)}&as=grace&fault=${fault}`))
      expect([fault, landed.get('error')]).toEqual([fault, null])
    }
    const { identities } = succeeded(await tenant.get(`/v1/users/${id}/identities?subOrgId=${subOrgId}`))
    expect(identities).toHaveLength(1)
  }
})

test('a refused sign-in is recorded with its user, connection and trace', async () => {
  for (const protocol of ['saml', 'oidc'] as const) {
    const connected = await connect(protocol)
    const { subOrgId, id: connection_id } = connected
    const { id } = await tokenClaims(connected, await comeBack(await get(`${await begin(connected)}&as=grace`)))
    succeeded(await tenant.patch(`/v1/users/${id}`, { subOrgId, active: false }))
    for (const query of ['as=grace', 'as=ada&fault=cancelled', 'as=ada&fault=missing_email'])
      await comeBack(await get(`${await begin(connected)}&${query}`))
    const { traces } = succeeded(await tenant.get(`/v1/sso/connections/${connection_id}/traces?subOrgId=${subOrgId}`))
    const traced = traces
      .map((trace: { id: string; code: string }) => [trace.code, trace.id])
      .slice(0, 3)
      .reverse()
    const failed = await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' })
    const told = failed.filter(({ organization_id }) => organization_id === subOrgId)
    const codes = ['user_inactive', 'access_denied', 'email_missing']
    expect(told.map(({ data, target_id }) => [data, target_id])).toEqual(
      codes.map((reason, n) => [
        { method: 'sso', reason, connection_id, trace_id: traced[n]?.[1] },
        reason === 'user_inactive' ? id : null,
      ]),
    )
    expect(traced.map(([code]: [string]) => code)).toEqual(codes)
  }
})

test('a sign-in that begins at the provider ends on one login page, which knows no organization', async () => {
  const connected = await connect('saml', { allow_idp_initiated: true })
  const { subOrgId, domain, id } = connected
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [APPLICATION] }))
  const url = `${base}/dev/idp/${domain}/saml/begin`
  expect(await (await get(`${base}/dev/idp/${domain}`)).text()).toContain(`action="/dev/idp/${domain}/saml/begin"`)
  expect(await (await get(`${url}?connectionId=${id}`)).text()).toContain(`ada@${domain}`)
  const landed = await comeBack(await post(url, { connectionId: id, as: 'ada' }))
  const code = landed.get('code')
  const exchange = (caller: Pick<typeof tenant, 'post'>, body: object) => caller.post('/v1/auth/token/exchange', body)
  const verdict = ({ status, body }: Awaited<ReturnType<typeof exchange>>) => [status, body.code]
  const refused = [400, 'code_invalid']
  // With keys that do not reach the organization, without an organization, and with a made-up code.
  const other = await tenant.organization()
  expect(verdict(await exchange(await app.tenant(), { code }))).toEqual(refused)
  expect(verdict(await exchange(await tenant.withKey({ environment: 'staging' }), { code }))).toEqual(refused)
  expect(verdict(await exchange(await tenant.withKey({ subOrgId: other }), { code }))).toEqual(refused)
  expect(verdict(await exchange(tenant, { code, subOrgId: other }))).toEqual(refused)
  for (const made of ['madeup', `${code?.slice(0, -1)}_`, code?.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))])
    expect(verdict(await exchange(tenant, { code: made }))).toEqual(refused)
  expect(verdict(await exchange(tenant, {}))).toEqual([400, 'sub_org_required'])
  const { session } = succeeded(await exchange(tenant, { code }))
  expect(verdict(await exchange(tenant, { code }))).toEqual(refused)
  const { refresh_token } = session
  const refresh = (caller: Pick<typeof tenant, 'post'>, body: object) => caller.post('/v1/auth/token/refresh', body)
  const invalid = [401, 'refresh_token_invalid']
  expect(verdict(await refresh(await app.tenant(), { refresh_token }))).toEqual(invalid)
  expect(verdict(await refresh(await tenant.withKey({ environment: 'staging' }), { refresh_token }))).toEqual(invalid)
  expect(verdict(await refresh(tenant, { refresh_token: 'rt_madeup' }))).toEqual(invalid)
  expect(succeeded(await refresh(tenant, { refresh_token })).session.directory_user_id).toBe(session.directory_user_id)
})

test('a connection that does not allow it takes no sign-in that begins at the provider', async () => {
  const { domain, id, subOrgId } = await connect('saml')
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [APPLICATION] }))
  const answer = await post(`${base}/dev/idp/${domain}/saml/begin`, { connectionId: id, as: 'ada' })
  const html = await answer.text()
  const action = /<form method="post" action="([^"]*)"/.exec(html)?.[1] ?? ''
  const refused = await post(action, { SAMLResponse: fieldOf(html, 'SAMLResponse') })
  expect([refused.status, refused.headers.get('location')]).toEqual([400, null])
  const unknown = await get(`${base}/dev/idp/${domain}/saml/begin?connectionId=${subOrgId}`)
  expect(unknown.status).toBe(400)
})

test('a public client signs in by PKCE alone', async () => {
  const connected = await connect('oidc', { oidc_client_auth: 'none', oidc_client_secret: null })
  const url = await begin(connected)
  expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256')
  const landed = await comeBack(await get(`${url}&as=ada`))
  expect((await tokenClaims(connected, landed)).email).toBe(`ada@${connected.domain}`)
})

test('a code is good once, for its verifier and redirect address alone', async () => {
  const connected = await connect('oidc')
  const url = await begin(connected)
  const token = `${base}/dev/idp/${connected.domain}/oidc/token`
  const redirect_uri = new URL(url).searchParams.get('redirect_uri') ?? ''
  const codeOf = async () => {
    const answer = await get(`${url}&as=ada`)
    return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }
  const refused = await post(token, { code: await codeOf(), redirect_uri, code_verifier: 'another' })
  expect([refused.status, Object(await refused.json()).error]).toEqual([400, 'invalid_grant'])
  const elsewhere = await post(token, { code: await codeOf(), redirect_uri: `${redirect_uri}/x`, code_verifier: '' })
  expect(elsewhere.status).toBe(400)
  expect((await post(token, { code: 'made-up', redirect_uri, code_verifier: '' })).status).toBe(400)
})

test('people and groups are pushed by SCIM, again without a change, and one is deactivated', async () => {
  const { subOrgId, domain } = await makeOrganization()
  const { config } = succeeded(await tenant.patch('/v1/scim/config', { subOrgId, enabled: true }))
  const { token } = succeeded(await tenant.post('/v1/scim/config', { subOrgId, action: 'rotate-token' }))
  const form = { endpointUrl: config.endpointUrl, token }
  const pushed = await post(`${base}/dev/idp/${domain}/scim`, { ...form, do: 'push' })
  expect([pushed.status, (await pushed.text()).match(/<td>201<\/td>/g)?.length]).toEqual([200, 7])
  const people = async () =>
    succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}`)).users.map(
      ({ email, active, scimManaged }: { email: string; active: boolean; scimManaged: boolean }) =>
        `${email.split('@')[0]} ${active} ${scimManaged}`,
    )
  expect((await people()).sort()).toEqual(['ada true true', 'alan true true', 'grace true true', 'mary true true'])
  const again = await (await post(`${base}/dev/idp/${domain}/scim`, { ...form, do: 'push' })).text()
  expect(again.match(/<td>201<\/td>/g)).toBeNull()
  const left = await post(`${base}/dev/idp/${domain}/scim`, { ...form, do: 'deactivate', person: `alan@${domain}` })
  expect(left.status).toBe(200)
  expect((await people()).sort()).toEqual(['ada true true', 'alan false true', 'grace true true', 'mary true true'])
})

test('a push that is refused, or gets no answer, says so', async () => {
  const { domain } = await makeOrganization()
  const push = (endpointUrl: string) =>
    post(`${base}/dev/idp/${domain}/scim`, { endpointUrl, token: 'scim_wrong', do: 'push' })
  expect(await (await push(`${base}/api/os/scim/v2`)).text()).toContain('<td>401</td>')
  expect(await (await push('http://localhost:1')).text()).toContain('no answer')
  expect(await (await push('http://10.0.0.1')).text()).toContain('no answer')
})

test('nothing but requests of this service is answered', async () => {
  const { domain } = await makeOrganization()
  const provider = `${base}/dev/idp/${domain}`
  const elsewhere = new URLSearchParams({
    client_id: 'x',
    response_type: 'code',
    redirect_uri: 'https://attacker.example/',
  })
  for (const path of [
    `oidc/authorize?${elsewhere}&as=ada`,
    'oidc/authorize?as=ada',
    'saml/sso?as=ada',
    'saml/sso?SAMLRequest=AAAA&as=ada',
    'saml/logout',
    `oidc/logout?post_logout_redirect_uri=${encodeURIComponent('https://attacker.example/')}`,
  ]) {
    const answer = await get(`${provider}/${path}`)
    expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 400, null])
  }
})

test('the provider names itself as a page shows it, and is for this machine alone', async () => {
  const { domain } = await makeOrganization()
  const index = await get(`${base}/dev/idp?domain=${domain}`)
  expect(await index.text()).toContain(`${base}/dev/idp/${domain}/saml/metadata`)
  const discovery = await (await get(`${base}/dev/idp/${domain}/.well-known/openid-configuration`)).json()
  expect(discovery).toMatchObject({ issuer: `${base}/dev/idp/${domain}` })
  for (const host of ['watchword.example', '192.168.0.7'])
    expect(
      (await app.app.server.inject({ url: '/dev/idp', headers: { host }, remoteAddress: '127.0.0.1' })).statusCode,
    ).toBe(404)
  const sent = await app.app.server.inject({
    method: 'POST',
    url: `/dev/idp/${domain}/scim`,
    headers: { host: 'localhost', 'x-forwarded-for': '192.0.2.1', 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'do=push',
  })
  expect(sent.statusCode).toBe(404)
  expect((await get(`${base}/dev/idp/no%20domain`)).status).toBe(404)
})

test('two processes that first need the key at once keep one, and a later one uses it', async () => {
  const first = await startApp()
  const metadataOf = async ({ app: { server } }: Pick<TestApp, 'app'>) =>
    (await server.inject({ url: '/dev/idp/acme.test/saml/metadata', headers: { host: 'localhost' } })).body
  const both = await Promise.all([metadataOf(first), metadataOf(await startSecondApp(first))])
  expect(both[0]).toContain('<ds:X509Certificate>MII')
  expect([both[1], await metadataOf(await startSecondApp(first))]).toEqual([both[0], both[0]])
  expect(await first.app.platform.db.selectFrom('dev_idp_keys').select('id').execute()).toHaveLength(1)
})

test('production has no provider, no self-verified domain and no way to this machine', async () => {
  const production = await startApp({ env: { ...PRODUCTION, WATCHWORD_DNS_SERVER: '127.0.0.1:1' } })
  const { server } = production.app
  for (const path of ['', '/acme.test', '/acme.test/saml/metadata', '/acme.test/oidc/jwks']) {
    const { statusCode } = await server.inject({ url: `/dev/idp${path}`, headers: { host: 'localhost' } })
    expect([path, statusCode]).toEqual([path, 404])
  }
  const own = await production.tenant()
  expect(await verifies(production, own, `${fresh()}.test`)).toBe(false)
  const hook = { url: 'http://127.0.0.1:9/in', events: ['user.created'], scope: 'environment' }
  expect((await own.post('/v1/webhooks', hook)).status).toBe(400)
})

test.each([
  ['acme.test', true],
  ['acme.example', true],
  ['shop.localhost', true],
  ['acme-test.com', false],
  ['test.com', false],
])('in development %s verifies itself: %s', async (name, verified) => {
  const offline = await startApp({ env: { NODE_ENV: 'development', WATCHWORD_DNS_SERVER: '127.0.0.1:1' } })
  expect(await verifies(offline, await offline.tenant(), name)).toBe(verified)
})

async function verifies(on: TestApp, own: Awaited<ReturnType<TestApp['tenant']>>, domain: string): Promise<boolean> {
  expect(on.app.platform.config.production || on.app.platform.config.development).toBe(true)
  const subOrgId = await own.organization()
  const added = succeeded(await own.post('/v1/admin-portal', { subOrgId, action: 'add_domain', domain }))
  const checked = await own.post('/v1/admin-portal', { subOrgId, action: 'verify_domain', domainId: added.domain.id })
  return succeeded(checked).success
}
