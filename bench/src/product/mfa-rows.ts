import { stepAt, totpCode } from '../../../src/features/sign-in/factors/totp.ts'
import { type Bench, cpuTarget, type Measurement, oncePerRun, type Row } from '../bench.ts'
import { readText } from '../json-field.ts'
import { query } from '../postgres.ts'
import {
  callAll,
  callOnce,
  createOrganization,
  createUsers,
  getDeployment,
  makeEmails,
  measureRequests,
  post,
  sendMagicLinks,
} from './deployment.ts'

// A user's code is accepted once in its thirty seconds: each measurement has people of its own.
const PEOPLE_PER_ROUND = 4000

/** Two counters, a code and a challenge consumed, a session created. */
export const mfaRows: Row[] = [
  {
    id: 'mfa-challenge-verify',
    title: 'MFA challenge verify (TOTP) → session',
    kind: 'watchword',
    unit: '/s',
    targets: [cpuTarget],
    measure: measureChallengeVerify,
  },
]

/** Somebody with an authenticator app. */
const getTemplate = oncePerRun(async (bench) => {
  const subOrgId = await createOrganization(bench)
  const [email = ''] = makeEmails(1)
  await createUsers(bench, subOrgId, [{ email, emailVerified: true }])
  const path = `/v1/users?subOrgId=${subOrgId}&email=${encodeURIComponent(email)}`
  const userId = readText(await callOnce(bench, { method: 'GET', path }), 'users.0.id')
  const begun = await callOnce(bench, post('/v1/mfa/totp', { subOrgId, userId }))
  const secret = readText(begun, 'secret')
  const code = totpCode(secret, stepAt(Date.now() / 1000))
  const confirm = { subOrgId, userId, pendingId: readText(begun, 'pendingId'), code }
  await callOnce(bench, { method: 'PUT', path: '/v1/mfa/totp', body: JSON.stringify(confirm) })
  return { subOrgId, userId, secret }
})

/**
 * Gives the template's app to every user of its organization who has none. Written by SQL: ten backup codes are hashed
 * for each enrollment, which for thousands of people takes longer than all the measuring.
 */
async function enrollEverybody(bench: Bench): Promise<void> {
  const [{ databaseUrl }, { userId }] = [await getDeployment(bench), await getTemplate(bench)]
  await query(
    databaseUrl,
    `with enrolled as (
       insert into totp_enrollments
       select made.*
       from totp_enrollments template
         join users on users.directory_id = template.directory_id and not users.mfa_enrolled,
         lateral jsonb_populate_record(
           template, to_jsonb(template) || jsonb_build_object('user_id', users.id, 'last_step', 0)) made
       where template.user_id = $1
       returning directory_id, user_id)
     update users set mfa_enrolled = true from enrolled
     where users.directory_id = enrolled.directory_id and users.id = enrolled.user_id`,
    [userId],
  )
}

async function measureChallengeVerify(bench: Bench): Promise<Measurement> {
  const { subOrgId, secret } = await getTemplate(bench)
  const emails = makeEmails(PEOPLE_PER_ROUND)
  await createUsers(
    bench,
    subOrgId,
    emails.map((email) => ({ email, emailVerified: true })),
  )
  await enrollEverybody(bench)
  await bench.settle()
  const challenges = await callAll(bench, await sendMagicLinks(bench, subOrgId, emails))
  await bench.settle()
  const code = totpCode(secret, stepAt(Date.now() / 1000))
  const requests = challenges.map((answer) =>
    post('/v1/mfa/challenge/verify', { challenge_token: readText(answer, 'challenge_token'), code, subOrgId }),
  )
  return await measureRequests(bench, { requests, mode: 'once', expect: '"access_token"' })
}
