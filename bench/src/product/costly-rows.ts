import { type Bench, type Measurement, oncePerRun, type Row, type Target } from '../bench.ts'
import { runLoad } from '../load.ts'
import { callOnce, createOrganization, getDeployment, makeEmails, measureRequests, post } from './deployment.ts'
import { getPasswordLogins } from './password-rows.ts'

const FLOOD_CONNECTIONS = 24
// The most that the default limit of a deployment allows: 1024 MiB of memory × passes.
const COSTLIEST = { password_hash_memory_kib: 262_144, password_hash_iterations: 4 }

/** What one organization with the costliest hashes does to the sign-ins of another. */
export const costlyRows: Row[] = [
  row('costly-calm', 'password login of one caller, calm', [], signIn),
  row(
    'costly-flood',
    `the same while ${FLOOD_CONNECTIONS} callers sign in to an organization with the costliest hashes`,
    [{ of: 'costly-calm', on: 'p50Ms', bound: 'at most', figure: 3 }],
    signInAmidFlood,
  ),
]

function row(id: string, title: string, targets: Target[], measure: Row['measure']): Row {
  return { id, title, kind: 'watchword', unit: '/s', targets, measure }
}

async function signIn(bench: Bench): Promise<Measurement> {
  const requests = await getPasswordLogins(bench)
  return await measureRequests(bench, { requests, connections: 1, expect: '"access_token"' })
}

const getCostliest = oncePerRun(async (bench) => {
  const subOrgId = await createOrganization(bench)
  const body = JSON.stringify({ subOrgId, ...COSTLIEST })
  await callOnce(bench, { method: 'PATCH', path: '/v1/auth/settings', body })
  return subOrgId
})

async function signInAmidFlood(bench: Bench): Promise<Measurement> {
  // Prepared before the flood, which would hold up the preparation.
  await Promise.all([getPasswordLogins(bench), getCostliest(bench)])
  const [measured, { completed, failures }] = await Promise.all([signIn(bench), raiseFlood(bench)])
  // The login of an unknown user costs a hash and is 401; who would wait too long gets 503.
  const others = Object.entries(failures).filter(([status]) => status !== '401' && status !== '503')
  const problems = others.map(([what, count]) => `flood: ${count} × ${what} of ${completed}`)
  if (!failures['401']) problems.push(`flood: none of ${completed} logins was hashed`)
  return { ...measured, problems: [...measured.problems, ...problems] }
}

/** Logins of people who do not exist, each another, always as many at once. */
async function raiseFlood(bench: Bench) {
  const { watchword, headers } = await getDeployment(bench)
  const subOrgId = await getCostliest(bench)
  return await runLoad({
    baseUrl: watchword.baseUrl,
    headers,
    requests: makeEmails(10_000).map((email) =>
      post('/v1/auth/login/password', { email, password: 'correct horse battery staple', subOrgId }),
    ),
    mode: 'once',
    connections: FLOOD_CONNECTIONS,
    seconds: bench.seconds + 1,
  })
}
