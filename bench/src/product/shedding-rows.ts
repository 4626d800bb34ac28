import { type Bench, type Measurement, measureLoad, oncePerRun, type Row, type Target } from '../bench.ts'
import { readText } from '../json-field.ts'
import { type LoadRequest, type LoadResult, runLoad } from '../load.ts'
import { getPostgres } from '../postgres.ts'
import { startWatchword } from '../watchword.ts'
import { makeEmails, post, sendAll } from './deployment.ts'

const CONNECTIONS = 1000
const NETWORKS = 1000
const PROBE_CONNECTIONS = 4

/** What a flood of requests that need no key does to those that have one: it must be shed where it comes from. */
export const sheddingRows: Row[] = [
  row('shed-calm', `OTP generate by ${PROBE_CONNECTIONS} callers, calm`, [], (bench) => probe(bench)),
  row(
    'shed-network',
    `the same while ${CONNECTIONS} connections of one network hammer /auth/link, /docs, /v1/openapi.json, public keys`,
    [{ of: 'shed-calm', on: 'p99Ms', bound: 'at most', figure: 10 }],
    (bench) => measureInFlood(bench, () => 'one'),
  ),
  row(
    'shed-networks',
    `the same, each request from one of ${NETWORKS} networks`,
    [{ of: 'shed-calm', on: 'p99Ms', bound: 'at most', figure: 10 }],
    (bench) => measureInFlood(bench, (n) => `10.1.${n >> 8}.${n & 255}`),
  ),
  row(
    'shed-keys',
    `the same while ${CONNECTIONS} connections of one network present made-up keys`,
    [{ of: 'shed-calm', on: 'p99Ms', bound: 'at most', figure: 10 }],
    (bench) => measureInFlood(bench, () => 'one', madeUpKeys()),
  ),
  row(
    'shed-callbacks',
    'the same while 500 connections from as many networks post hostile XML, garbage and unknown states to callbacks',
    [{ of: 'shed-calm', on: 'p99Ms', bound: 'at most', figure: 10 }],
    (bench) => measureInFlood(bench, (n) => `10.2.${n >> 8}.${n & 255}`, hostileCallbacks(), 500),
  ),
]

function row(id: string, title: string, targets: Target[], measure: Row['measure']): Row {
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

/** A deployment that takes the bench for a proxy, so that requests can come from many networks. */
const getDeployment = oncePerRun(async (bench) => {
  const postgres = await getPostgres(bench)
  const watchword = await startWatchword({
    DATABASE_URL: await postgres.createDatabase('shedding'),
    WATCHWORD_TRUST_PROXY: '127.0.0.1',
  })
  bench.atEnd(watchword.stop)
  const { baseUrl, apiKey } = watchword
  const plan = { baseUrl, headers: { 'x-api-key': apiKey }, connections: 1 }
  const call = async (request: LoadRequest) => (await sendAll({ ...plan, requests: [request] }))[0] ?? ''
  const made = await call(post('/v1/organizations', { name: 'Shedding', slug: 'shedding' }))
  const subOrgId = readText(made, 'subOrganization.id')
  const [email = ''] = makeEmails(1)
  await call(post('/v1/users', { subOrgId, email }))
  const sent = await call(post('/v1/auth/login/magic-link/send', { subOrgId, email, deliver: false }))
  const { search } = new URL(readText(sent, 'url'))
  // What is rendered and compressed on first use.
  for (const path of ['/docs', '/docs/events', '/v1/openapi.json']) await call({ method: 'GET', path })
  return { ...plan, subOrgId, linkPath: `/auth/link${search}` }
})

async function probe(bench: Bench): Promise<Measurement> {
  const { baseUrl, headers, subOrgId } = await getDeployment(bench)
  const requests = [post('/v1/otp/generate', { subOrgId })]
  return await measureLoad(bench, { baseUrl, headers, requests, connections: PROBE_CONNECTIONS })
}

async function measureInFlood(
  bench: Bench,
  networkOf: (n: number) => string,
  given?: LoadRequest[],
  connections = CONNECTIONS,
): Promise<Measurement> {
  const { linkPath } = await getDeployment(bench)
  const requests = given ?? publicRequests(linkPath)
  const fromNetworks = requests.map((request, n) => {
    const network = networkOf(n % NETWORKS)
    const forwarded = { 'x-forwarded-for': network === 'one' ? '192.0.2.1' : network }
    return { ...request, headers: { ...request.headers, ...forwarded } }
  })
  const [measured, flood] = await Promise.all([probe(bench), raiseFlood(bench, fromNetworks, connections)])
  return { ...measured, problems: [...measured.problems, ...problemsOf(flood)] }
}

/** What a login page's visitors may ask for, and what an attacker makes of it: tokens well formed and made up. */
function publicRequests(linkPath: string): LoadRequest[] {
  const get = (path: string): LoadRequest => ({ method: 'GET', path })
  const madeUp = (n: number) => linkPath.replace(/token_hash=(\w{22})\w+/, (_, place: string) => forge(place, n))
  return Array.from({ length: NETWORKS }, (_, n) => [
    get(linkPath),
    get(madeUp(n)),
    get('/docs'),
    get('/v1/openapi.json'),
    get('/.well-known/jwks.json'),
    get('/.well-known/webauthn'),
  ]).flat()
}

function forge(place: string, n: number): string {
  return `token_hash=${place}${String(n).padStart(65, 'x')}`
}

function madeUpKeys(): LoadRequest[] {
  return Array.from({ length: 20_000 }, (_, n) => ({
    method: 'GET',
    path: '/v1/users',
    headers: { 'x-api-key': `made-up-key-of-the-bench-${n}` },
  }))
}

/** What an attacker sends where providers send browsers: XML that is deep, wide or of entities, garbage, made-up states. */
function hostileCallbacks(): LoadRequest[] {
  const entities = `<!DOCTYPE a [<!ENTITY b "${'c'.repeat(1000)}">]><a>${'&b;'.repeat(40_000)}</a>`
  const bodies = [
    '<a>'.repeat(45_000),
    `<a>${'<b c="d"/>'.repeat(17_000)}</a>`,
    entities,
    'x'.repeat(180_000),
    `<samlp:Response ${Array.from({ length: 12_000 }, (_, n) => `a${n}="b"`).join(' ')}/>`,
  ].map((xml) => Buffer.from(xml).toString('base64'))
  const posts = bodies.map((text, n) => {
    const state = `${n}`.padStart(76, 'x')
    return {
      method: 'POST',
      path: '/v1/auth/login/sso/saml/acs',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ SAMLResponse: text, RelayState: state }).toString(),
    }
  })
  const unknown = Array.from({ length: 20 }, (_, n) => ({
    method: 'GET',
    path: `/v1/auth/login/sso/oidc/callback?code=x&state=${`${n}`.padStart(76, 'y')}`,
  }))
  return Array.from({ length: 100 }, () => [...posts, ...unknown]).flat()
}

async function raiseFlood(bench: Bench, requests: LoadRequest[], connections: number): Promise<LoadResult> {
  const { baseUrl } = await getDeployment(bench)
  const seconds = bench.seconds + 1
  return await runLoad({ baseUrl, headers: {}, requests, mode: 'cycle', connections, seconds })
}

const EXPECTED = ['400', '401', '404', '413', '429', '503']

function problemsOf({ failures, completed }: LoadResult): string[] {
  const others = Object.entries(failures).filter(([status]) => !EXPECTED.includes(status))
  return others.map(([what, count]) => `flood: ${count} × ${what} of ${completed}`)
}
