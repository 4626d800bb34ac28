import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { BASE, type Bench, type Measurement, measureLoad, oncePerRun, type Row } from '../bench.ts'
import { readText } from '../json-field.ts'
import { describeFailures, type LoadRequest, runLoad } from '../load.ts'
import { getPostgres, query } from '../postgres.ts'
import { startWatchword, type Watchword } from '../watchword.ts'
import { post, sendAll } from './deployment.ts'
import { makeProviderPair, signedResponse } from './identity-provider.ts'

const REDIRECT = 'https://app.example.com/auth'
const DOMAIN = 'acme.example'
const PEOPLE = 200
const SIGN_INS_PER_ROUND = 300

/** A sign-in at a provider, from the provider's answer to the session, by one caller. */
export const ssoRows: Row[] = [
  row('saml-acs', 'SAML response → session, one caller', async (bench) => {
    const { saml } = await getDeployment(bench)
    return await measure(bench, await saml(SIGN_INS_PER_ROUND))
  }),
  row('oidc-callback', 'OIDC callback → session, one caller', async (bench) => {
    const { oidc } = await getDeployment(bench)
    return await measure(bench, await oidc(SIGN_INS_PER_ROUND))
  }),
]

function row(id: string, title: string, measure: Row['measure']): Row {
  const targets: Row['targets'] = [
    { of: null, on: 'p50Ms', bound: 'at most', figure: 20 },
    { of: BASE, on: 'cpuUs', bound: 'at most', figure: null },
  ]
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

async function measure(bench: Bench, requests: LoadRequest[]): Promise<Measurement> {
  const { watchword } = await getDeployment(bench)
  const plan = { baseUrl: watchword.baseUrl, connections: 1, seconds: 60, requests, mode: 'once' as const }
  return await measureLoad(bench, { ...plan, redirects: true, expect: 'access_token=' }, watchword.pid)
}

interface Deployment {
  watchword: Watchword
  issuer: string
  callAll(requests: LoadRequest[]): Promise<string[]>
  call(method: string, path: string, body: object): Promise<string>
  subOrgId: string
}

/** A deployment with one organization, which has proved its domain. */
async function startDeployment(bench: Bench, issuer: string): Promise<Deployment> {
  const databaseUrl = await (await getPostgres(bench)).createDatabase('sso')
  const watchword = await startWatchword(
    {
      DATABASE_URL: databaseUrl,
      WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1',
      WATCHWORD_NETWORK_REQUESTS_PER_SECOND: '0',
    },
    bench.root,
  )
  bench.atEnd(watchword.stop)
  bench.beforeEach(async () => void (await query(databaseUrl, 'vacuum analyze')))
  const { baseUrl, apiKey } = watchword
  const plan = { baseUrl, headers: { 'x-api-key': apiKey }, connections: bench.connections }
  const callAll = (requests: LoadRequest[]) => sendAll({ ...plan, requests })
  const call = async (method: string, path: string, body: object) =>
    (await callAll([{ method, path, body: JSON.stringify(body) }]))[0] ?? ''
  const made = await call('POST', '/v1/organizations', { name: 'Acme', slug: 'acme' })
  const subOrgId = readText(made, 'subOrganization.id')
  const settings = { allowed_redirect_uris: [REDIRECT], sign_in_rate_limit_per_minute: 10_000 }
  await call('PATCH', '/v1/auth/settings', { subOrgId, ...settings })
  await call('POST', '/v1/admin-portal', { subOrgId, action: 'add_domain', domain: DOMAIN })
  await query(databaseUrl, `update domains set status = 'verified', verified_at = clock_now()`)
  return { watchword, issuer, callAll, call, subOrgId }
}

async function connect({ call, subOrgId }: Deployment, fields: object): Promise<string> {
  const answer = await call('POST', '/v1/sso/connections', { subOrgId, name: 'Acme', ...fields })
  const id = readText(answer, 'connection.id')
  await call('PATCH', `/v1/sso/connections/${id}`, { subOrgId, status: 'active' })
  return id
}

async function start({ callAll, subOrgId }: Deployment, connectionId: string, count: number): Promise<string[]> {
  const request = post('/v1/auth/login/sso/start', { subOrgId, connectionId, redirectUri: REDIRECT })
  return await callAll(Array.from({ length: count }, () => request))
}

/** Makes so many answers of a provider to sign-ins that have begun. */
type Provider = (count: number) => Promise<LoadRequest[]>

async function makeSamlProvider(deployment: Deployment): Promise<Provider> {
  const pair = await makeProviderPair()
  const idpEntityId = 'https://idp.acme.example'
  const id = await connect(deployment, {
    protocol: 'saml',
    idp_entity_id: idpEntityId,
    idp_sso_url: `${idpEntityId}/sso`,
    idp_certificate: pair.certificatePem,
    sign_requests: false,
  })
  const sp = `${deployment.watchword.baseUrl}/api/v1/auth/login/sso/saml`
  const addresses = { acsUrl: `${sp}/acs/${id}`, entityId: `${sp}/metadata/${id}`, idpEntityId }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return async (count) =>
    (await start(deployment, id, count)).map((answer, n) => {
      const state = readText(answer, 'state')
      const xml = signedResponse(pair, addresses, { requestId: `_${state}`, user: `user${n % PEOPLE}@${DOMAIN}` })
      const form = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: state })
      return { method: 'POST', path: `/v1/auth/login/sso/saml/acs/${id}`, headers, body: form.toString() }
    })
}

async function makeOpenidProvider(deployment: Deployment, privateKey: KeyObject): Promise<Provider> {
  const { issuer } = deployment
  const client = { oidc_client_id: 'client', oidc_client_secret: 'secret' }
  const id = await connect(deployment, { protocol: 'oidc', oidc_issuer: issuer, ...client })
  const sign = async (answer: string, n: number): Promise<LoadRequest> => {
    const { searchParams: asked } = new URL(readText(answer, 'authorization_url'))
    const nonce = asked.get('nonce')
    const code = await new SignJWT({ nonce, email: `user${n % PEOPLE}@${DOMAIN}`, given_name: 'Ada' })
      .setProtectedHeader({ alg: 'RS256', kid: 'a', typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(`subject-${n % PEOPLE}`)
      .setAudience('client')
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(privateKey)
    const fields = new URLSearchParams({ code, state: readText(answer, 'state') })
    return { method: 'GET', path: `${new URL(asked.get('redirect_uri') ?? '').pathname}?${fields}` }
  }
  return async (count) => await Promise.all((await start(deployment, id, count)).map(sign))
}

/** The deployment with a provider of each protocol, and people who have signed in at both before. */
const getDeployment = oncePerRun(async (bench) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const BENCH_JWKS = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'RS256', use: 'sig' }] })
  const { baseUrl } = await bench.server(new URL('./openid-provider.ts', import.meta.url), { BENCH_JWKS })
  const deployment = await startDeployment(bench, baseUrl)
  const { watchword } = deployment
  const [saml, oidc] = [await makeSamlProvider(deployment), await makeOpenidProvider(deployment, privateKey)]
  // The first sign-in of somebody makes a user, or links one.
  for (const provider of [saml, oidc]) {
    const plan = { baseUrl: watchword.baseUrl, headers: {}, connections: 4, seconds: 300, mode: 'once' as const }
    const failures = describeFailures(await runLoad({ ...plan, requests: await provider(PEOPLE), redirects: true }))
    if (failures.length > 0) throw new Error(`The first sign-ins: ${failures.join()}`)
  }
  return { watchword, saml, oidc }
})
