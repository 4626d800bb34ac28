import { once } from 'node:events'
import { signQuery } from '../src/features/federation/xml/query-signatures.ts'
import { until } from './harness.ts'
import {
  deflated,
  IDP,
  logoutRequest,
  metadata,
  pair,
  responses,
  signedRequest,
  startProvider,
} from './process/large-messages.ts'
import { makeDataDir, outsideTests, startService } from './process/service.ts'

/**
 * Measures how long messages of identity providers, of every kind and up to the limits, keep the event loop of the serving
 * process from turning: node test/event-loop.ts [repetitions]. Prints a table, and fails if a turn takes the processor longer
 * than the bound.
 */
const BOUND_MS = 50
const rounds = Number(process.argv[2] ?? 5)
const KEY = 'a-key-that-is-long-enough-for-a-measurement'
const HOME = 'http://localhost:3000/auth'

await outsideTests(async () => {
  const provider = await startProvider()
  const service = await startService(
    {
      WATCHWORD_DATA_DIR: makeDataDir(),
      WATCHWORD_BOOTSTRAP_API_KEY: KEY,
      WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1',
      WATCHWORD_NETWORK_REQUESTS_PER_SECOND: '0',
      NODE_OPTIONS: `--import ${new URL('process/loop-delay.ts', import.meta.url).href}`,
    },
    { fromSource: true },
  )
  await service.ready()
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }
    const reply = await fetch(service.baseUrl + path, { method, headers, body: body ? JSON.stringify(body) : null })
    return JSON.parse(await reply.text())
  }
  const organization = await call('POST', '/v1/organizations', { name: 'Acme', slug: 'acme' })
  const subOrgId = organization.subOrganization.id
  const connect = async (fields: object) => {
    const { connection } = await call('POST', '/v1/sso/connections', { subOrgId, name: 'Acme', ...fields })
    await call('PATCH', `/v1/sso/connections/${connection.id}`, { subOrgId, status: 'active' })
    return connection
  }
  const start = (connectionId: string) =>
    call('POST', '/v1/auth/login/sso/start', { subOrgId, connectionId, redirectUri: HOME })
  const saml = await connect({
    ...{ protocol: 'saml', idp_entity_id: IDP, idp_sso_url: `${IDP}/sso`, idp_slo_url: `${IDP}/slo` },
    ...{ idp_certificate: pair.certificatePem, request_binding: 'post' },
  })
  const { sp } = await connect({ protocol: 'saml', want_assertions_encrypted: true })
  const encryption = sp.certificates.at(-1).pem
  const form = async (url: string, fields: Record<string, string>) => {
    const path = new URL(url).pathname
    const reply = await fetch(service.baseUrl + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
    const location = URL.parse(reply.headers.get('location') ?? '')
    return location?.searchParams.get('error') ?? String(reply.status)
  }
  const oidc = await connect({
    ...{ protocol: 'oidc', oidc_issuer: provider.origin, oidc_client_id: 'client', oidc_client_secret: 's' },
    group_role_mapping: { none: 'member' },
  })
  const measure = async () => {
    const before = service.stderr().length
    service.child.kill('SIGUSR2')
    const find = () => /delay (\S+) (\S+)\n/.exec(service.stderr().slice(before))
    await until(async () => find() !== null)
    const [, delay, turn] = find() ?? []
    return [Number(delay), Number(turn)]
  }
  let isSlow = false
  const row = async (name: string, send: () => Promise<[size: number, outcome: string]>) => {
    let [worst, worstCpu, size, outcome, took] = [0, 0, 0, '', 0]
    for (let round = 0; round <= rounds; round++) {
      await measure()
      const began = performance.now()
      ;[size, outcome] = await send()
      // What was loaded for the first is no work of a message.
      const [delay = 0, cpu = 0] = await measure()
      if (round === 0) continue
      ;[worst, worstCpu, took] = [
        Math.max(worst, delay),
        Math.max(worstCpu, cpu),
        Math.max(took, performance.now() - began),
      ]
    }
    isSlow ||= worstCpu > BOUND_MS
    const figures = [`${Math.ceil(size / 1024)} KB`, worstCpu.toFixed(1), worst.toFixed(1), took.toFixed(0)]
    process.stdout.write(`${name.padEnd(44)}${figures.map((one) => one.padStart(12)).join('')}  ${outcome}\n`)
  }
  process.stdout.write(
    `${'message'.padEnd(44)}${['size', 'turn ms', 'delay ms', 'answer ms'].map((one) => one.padStart(12)).join('')}  outcome\n`,
  )
  await row('nothing but a probe', async () => [0, String((await fetch(`${service.baseUrl}/healthz`)).status)])
  for (const [name, make] of responses(saml.sp, encryption))
    await row(name, async () => {
      const { state } = await start(saml.id)
      const posted = Buffer.from(make(`_${state}`)).toString('base64')
      return [posted.length, await form(saml.sp.acs_url, { SAMLResponse: posted, RelayState: state })]
    })
  for (const kind of ['elements', 'text'] as const) {
    await row(`LogoutRequest by form, ${kind}`, async () => {
      const posted = Buffer.from(signedRequest(saml.sp, kind)).toString('base64')
      return [posted.length, await form(saml.sp.slo_url, { SAMLRequest: posted })]
    })
    await row(`LogoutRequest by redirect, ${kind}`, async () => {
      const xml = logoutRequest(saml.sp, kind)
      const query = signQuery([['SAMLRequest', deflated(xml)]], pair.privateKeyPem)
      const reply = await fetch(`${service.baseUrl}${new URL(saml.sp.slo_url).pathname}?${query}`, {
        redirect: 'manual',
      })
      return [xml.length, String(reply.status)]
    })
  }
  await row('request by form, signed by the service', async () => {
    const reply = await fetch((await start(saml.id)).authorization_url.replace(/^.*\/api/, `${service.baseUrl}/api`))
    return [(await reply.text()).length, String(reply.status)]
  })
  const given = async (fields: object) => {
    const said = await call('PATCH', `/v1/sso/connections/${saml.id}`, { subOrgId, ...fields })
    return said.code ?? 'saved'
  }
  for (const [name, xml] of [
    ['19,000 elements', metadata(19_000)],
    ['140 certificates', metadata(0, 140)],
  ] as const)
    await row(`metadata in the request, ${name}`, async () => [xml.length, await given({ idp_metadata_xml: xml })])
  for (const [name, xml] of [
    ['19,000 elements', metadata(19_000)],
    ['300 certificates', metadata(0, 300)],
  ] as const)
    await row(`metadata by its address, ${name}`, async () => {
      provider.say.metadata = xml
      return [xml.length, await given({ idp_metadata_url: `${provider.origin}/metadata` })]
    })
  const signIn = async (): Promise<string> => {
    const { authorization_url, state } = await start(oidc.id)
    const asked = new URL(authorization_url).searchParams
    provider.say.nonce = asked.get('nonce') ?? ''
    const path = new URL(asked.get('redirect_uri') ?? '').pathname
    const reply = await fetch(`${service.baseUrl}${path}?code=a&state=${state}`, { redirect: 'manual' })
    return URL.parse(reply.headers.get('location') ?? '')?.searchParams.get('error') ?? String(reply.status)
  }
  for (const groups of [0, 1000, 9000])
    await row(`ID token, ${groups} groups`, async () => {
      provider.say.groups = groups
      return [groups * 9, await signIn()]
    })
  for (const size of [1000, 9000])
    await row(`JWK set, ${size} keys, by a test`, async () => {
      provider.say.keys = [provider.jwk, ...Array.from({ length: size }, () => ({ kty: 'RSA' }))]
      const { success } = await call('POST', `/v1/sso/connections/${oidc.id}/test`, { subOrgId })
      return [size * 14, success ? 'passed' : 'failed']
    })
  provider.close()
  service.child.kill()
  await once(service.child, 'exit')
  if (isSlow) throw new Error(`A turn took longer than ${BOUND_MS} ms`)
})
