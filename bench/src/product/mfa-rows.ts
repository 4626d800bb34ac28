import { setTimeout as wait } from 'node:timers/promises'
import { stepAt, totpCode } from '../../../src/features/factors/totp.ts'
import { type Bench, type Measurement, oncePerRun, type Row } from '../bench.ts'
import { readText } from '../json-field.ts'
import type { LoadRequest } from '../load.ts'
import { analyze, callAll, createOrganization, createUsers, makeEmails, measureRequests, post } from './deployment.ts'

// A user's code is accepted once in its thirty seconds, so each measurement makes one request per user.
const PEOPLE = 512
// Enrolling hashes ten backup codes, for which only so many may wait.
const AT_ONCE = 8

/** Two counters, a code and a challenge consumed, a session created. */
export const mfaRows: Row[] = [
  {
    id: 'mfa-challenge-verify',
    title: 'MFA challenge verify (TOTP) → session',
    kind: 'watchword',
    unit: '/s',
    targets: [{ of: 'http-post', on: 'value', bound: 'at least', figure: null }],
    measure: measureChallengeVerify,
  },
]

interface Enrolled {
  email: string
  secret: string
}

/** People with an authenticator app each. `lastStep`: whose codes were spent last. */
const getPeople = oncePerRun(async (bench) => {
  const subOrgId = await createOrganization(bench)
  const limits = { magic_link_rate_limit_per_minute: 60, magic_link_rate_limit_per_hour: 600 }
  const body = JSON.stringify({ subOrgId, ...limits })
  await callAll(bench, [{ method: 'PATCH', path: '/v1/auth/settings', body }])
  const emails = makeEmails(PEOPLE)
  await createUsers(
    bench,
    subOrgId,
    emails.map((email) => ({ email, emailVerified: true })),
  )
  const found = await callAll(
    bench,
    emails.map((email) => ({
      method: 'GET',
      path: `/v1/users?subOrgId=${subOrgId}&email=${encodeURIComponent(email)}`,
    })),
  )
  const userIds = found.map((text) => readText(text, 'users.0.id'))
  const begun = await callAll(
    bench,
    userIds.map((userId) => post('/v1/mfa/totp', { subOrgId, userId })),
  )
  const people: Enrolled[] = emails.map((email, n) => ({ email, secret: readText(begun[n] ?? '', 'secret') }))
  for (let from = 0; from < PEOPLE; from += AT_ONCE)
    await callAll(
      bench,
      people.slice(from, from + AT_ONCE).map(({ secret }, n): LoadRequest => {
        const pendingId = readText(begun[from + n] ?? '', 'pendingId')
        const code = totpCode(secret, stepAt(Date.now() / 1000))
        const confirm = { subOrgId, userId: userIds[from + n], pendingId, code }
        return { method: 'PUT', path: '/v1/mfa/totp', body: JSON.stringify(confirm) }
      }),
    )
  return { subOrgId, people, lastStep: stepAt(Date.now() / 1000) }
})

async function measureChallengeVerify(bench: Bench): Promise<Measurement> {
  const group = await getPeople(bench)
  const { subOrgId, people } = group
  const links = await callAll(
    bench,
    people.map(({ email }) => post('/v1/auth/login/magic-link/send', { email, subOrgId, deliver: false })),
  )
  const challenges = await callAll(
    bench,
    people.map(({ email }, n) => {
      const token_hash = new URL(readText(links[n] ?? '', 'url')).searchParams.get('token_hash')
      return post('/v1/auth/login/magic-link/verify', { email, token_hash, subOrgId })
    }),
  )
  await analyze(bench)
  // The code of the next step is accepted too; that of the last consumed step is not.
  while (stepAt(Date.now() / 1000) + 1 <= group.lastStep) await wait(200)
  const step = stepAt(Date.now() / 1000) + 1
  group.lastStep = step
  const requests = people.map(({ secret }, n) => {
    const challenge_token = readText(challenges[n] ?? '', 'challenge_token')
    return post('/v1/mfa/challenge/verify', { challenge_token, code: totpCode(secret, step), subOrgId })
  })
  return await measureRequests(bench, { requests, mode: 'once', expect: '"access_token"' })
}
