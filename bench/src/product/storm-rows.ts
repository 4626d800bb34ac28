import { type Bench, type Measurement, oncePerRun, type Row, type Target } from '../bench.ts'
import { type LoadRequest, type LoadResult, runLoad } from '../load.ts'
import { measureHashing } from '../references/rows.ts'
import { createOrganization, getDeployment, makeEmails, measureRequests, post } from './deployment.ts'

const STORM_FACTOR = 20
const PROBE_CONNECTIONS = 4
const generate = post('/v1/otp/generate', {})
const healthz: LoadRequest = { method: 'GET', path: '/healthz' }

/** What a flood of password logins does to everything else: hashing must not starve it. */
export const stormRows: Row[] = [
  row('storm-calm', `OTP generate by ${PROBE_CONNECTIONS} callers, calm`, [], (bench) => probe(bench, generate)),
  row(
    'storm-otp',
    `the same under a storm of ${STORM_FACTOR} × as many logins as can be hashed`,
    [{ of: 'storm-calm', on: 'p99Ms', bound: 'at most', figure: null }],
    (bench) => measureInStorm(bench, generate),
  ),
  row('storm-healthz', '/healthz in that storm', [{ of: null, on: 'p99Ms', bound: 'at most', figure: 10 }], (bench) =>
    measureInStorm(bench, healthz),
  ),
]

function row(id: string, title: string, targets: Target[], measure: Row['measure']): Row {
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

async function probe(bench: Bench, request: LoadRequest): Promise<Measurement> {
  return await measureRequests(bench, { requests: [request], connections: PROBE_CONNECTIONS })
}

async function measureInStorm(bench: Bench, request: LoadRequest): Promise<Measurement> {
  const [measured, { completed, failures }] = await Promise.all([probe(bench, request), raiseStorm(bench)])
  // The login of an unknown user costs a hash and is 401; what cannot be hashed soon is 503.
  const others = Object.entries(failures).filter(([status]) => status !== '401' && status !== '503')
  const problems = others.map(([what, count]) => `storm: ${count} × ${what} of ${completed}`)
  if (!failures['503']) problems.push(`storm: none of ${completed} logins was refused`)
  return { ...measured, problems: [...measured.problems, ...problems] }
}

const getStorm = oncePerRun(async (bench) => {
  const { value } = await measureHashing(bench)
  return { subOrgId: await createOrganization(bench), ratePerSecond: STORM_FACTOR * value }
})

/** Logins of people who do not exist, each another, so that hashing and not a limit per address is what refuses. */
async function raiseStorm(bench: Bench): Promise<LoadResult> {
  const { watchword, headers } = await getDeployment(bench)
  const { subOrgId, ratePerSecond } = await getStorm(bench)
  const password = 'correct horse battery staple'
  const seconds = bench.seconds + 1
  const emails = makeEmails(Math.ceil(ratePerSecond * seconds))
  return await runLoad({
    baseUrl: watchword.baseUrl,
    headers,
    requests: emails.map((email) => post('/v1/auth/login/password', { email, password, subOrgId })),
    mode: 'once',
    connections: 512,
    seconds,
    ratePerSecond,
  })
}
