import { type Bench, cpuTarget, type Measurement, oncePerRun, type Row } from '../bench.ts'
import { readText } from '../json-field.ts'
import type { LoadRequest } from '../load.ts'
import { PASSWORD } from '../references/hash-cost.ts'
import { callAll, createOrganization, makeEmails, measureRequests, post } from './deployment.ts'

const PEOPLE = 256
const LOGINS_PER_ROUND = 400
// Four a core keep the hashers busy without filling their queue.
const LOGINS_AT_ONCE = 8

/** The cost of a password, compared with that of its hash. */
export const passwordRows: Row[] = [
  {
    id: 'password-login',
    title: 'password login → session',
    kind: 'watchword',
    unit: '/s',
    targets: [
      { of: 'hash', on: 'value', bound: 'at least', figure: 0.6 },
      { of: 'better-auth-password', on: 'value', bound: 'at least', figure: 4 },
      cpuTarget,
    ],
    measure: measurePasswordLogin,
  },
]

/** People with one password, set as an administrator does. */
export const getPasswordLogins = oncePerRun(async (bench): Promise<LoadRequest[]> => {
  const subOrgId = await createOrganization(bench)
  const emails = makeEmails(PEOPLE)
  const made = await callAll(
    bench,
    emails.map((email) => post('/v1/users', { email, subOrgId })),
  )
  await callAll(
    bench,
    made.map((body) => ({
      method: 'PUT',
      path: `/v1/users/${readText(body, 'user.id')}/password`,
      body: JSON.stringify({ password: PASSWORD, subOrgId }),
    })),
    // As many as the hashers take.
    4,
  )
  return emails.map((email) => post('/v1/auth/login/password', { email, password: PASSWORD, subOrgId }))
})

async function measurePasswordLogin(bench: Bench): Promise<Measurement> {
  return await measureRequests(bench, {
    requests: await getPasswordLogins(bench),
    connections: LOGINS_AT_ONCE,
    count: LOGINS_PER_ROUND,
    seconds: 60,
    expect: '"access_token"',
  })
}
