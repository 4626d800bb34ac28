import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { makeProvenUser, succeeded } from '../people/factors.ts'
import { newEmail, newPasswordUser, newUser } from '../people/people.ts'
import { mailedCode, signedInUser } from '../people/sign-in.ts'
import { startProcesses, untilHashed } from './processes.ts'

const app = await startApp()
const tenant = await app.tenant()
const processes = await startProcesses(app, 2)
const callers = processes.map((running) => running.as(tenant.key))
const subOrgId = await tenant.organization()
const PASSWORD = 'correct horse battery staple'

/** The same request `count` times at once, half of them on each process. */
function atOnce(count: number, path: string, body: (i: number) => object): Promise<Reply[]> {
  const call = (i: number) => {
    const caller = callers[i % callers.length]
    if (!caller) throw new Error('No process')
    return caller.post(path, body(i))
  }
  return Promise.all(Array.from({ length: count }, (_, i) => call(i)))
}

const signInByPassword = (i: number, body: object): Promise<Reply> =>
  untilHashed(() => callers[i % callers.length]?.post('/v1/auth/login/password', body))

const countBy = (replies: Reply[]) =>
  Object.fromEntries(
    Map.groupBy(replies, (reply) => reply.status)
      .entries()
      .map(([status, group]) => [status, group.length]),
  )

/** Has a code mailed to somebody new: one whose mailbox was proved before, or who proves it with the code. */
async function sendCode(isProven = false): Promise<{ email: string; otp_id: string; code: string }> {
  const { email } = isProven ? await makeProvenUser(tenant, subOrgId) : await newUser(tenant, { subOrgId })
  const sent = await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })
  return { email, otp_id: sent.body.otp_id, code: await mailedCode(app, email) }
}

const sessionsOf = async (email: string) =>
  app.app.platform.db
    .selectFrom('sessions')
    .innerJoin('users', (join) =>
      join.onRef('users.directory_id', '=', 'sessions.directory_id').onRef('users.id', '=', 'sessions.user_id'),
    )
    .select('sessions.id')
    .where('users.email', '=', email)
    .execute()

// The first proof of a mailbox raises the epoch of its user, by which it refuses the others as well.
test.each([
  ['somebody new', false],
  ['somebody whose mailbox was proved before', true],
])('one code of %s in 100 requests at once gives exactly one session', async (_, isProven) => {
  for (let round = 0; round < 2; round++) {
    const { email, otp_id, code } = await sendCode(isProven)
    const replies = await atOnce(100, '/v1/auth/login/otp/verify', () => ({ subOrgId, email, otp_id, code }))
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
    expect(
      replies.every((reply) => [200, 401, 429].includes(reply.status)),
      JSON.stringify(countBy(replies)),
    ).toBe(true)
    expect(await sessionsOf(email)).toHaveLength(1)
  }
})

test('the right code among 100 wrong ones at once is judged within the code’s budget', async () => {
  for (const rightAt of [0, 1, 50, 99]) {
    const { email, otp_id, code } = await sendCode(true)
    const guess = (i: number) => (i === rightAt ? code : `wrong words${i}`)
    const replies = await atOnce(100, '/v1/auth/login/otp/verify', (i) => ({ subOrgId, email, otp_id, code: guess(i) }))
    const countOf = (code: string) => replies.filter((reply) => reply.body.code === code).length
    const right = replies.filter((reply) => reply.status === 200).length
    expect(right + countOf('otp_invalid'), 'five are judged, whichever they are').toBe(5)
    expect(countOf('otp_too_many_attempts')).toBe(95)
    expect([right, await sessionsOf(email)]).toEqual([
      replies[rightAt]?.status === 200 ? 1 : 0,
      Array(right).fill(expect.anything()),
    ])
    // Nor is it later, whether it came too late or was used.
    const late = await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })
    expect(late.body.code).toBe('otp_too_many_attempts')
  }
})

test('guesses spread over many codes stay within the budget of the address', async () => {
  const email = newEmail()
  await tenant.post('/v1/users', { subOrgId, email })
  let judged = 0
  for (let minute = 0; minute < 60; minute++) {
    const sent = await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })
    if (sent.status === 200) {
      const { otp_id } = sent.body
      const replies = await atOnce(10, '/v1/auth/login/otp/verify', (i) => ({
        subOrgId,
        email,
        otp_id,
        code: `no words${i}`,
      }))
      judged += replies.filter((reply) => reply.body.code === 'otp_invalid').length
    }
    await app.advance(59)
  }
  expect(judged).toBe(20)
})

test('100 refreshes at once of one token give one successor, and the session lives on', async () => {
  for (let round = 0; round < 2; round++) {
    const { session } = await signedInUser(app, tenant, subOrgId, newEmail())
    const replies = await atOnce(100, '/v1/auth/token/refresh', () => ({
      subOrgId,
      refresh_token: session.refresh_token,
    }))
    expect(countBy(replies)).toEqual({ 200: 100 })
    const successors = new Set(replies.map((reply) => reply.body.session.refresh_token))
    expect(successors.size).toBe(1)
    const sid = String(decodeJwt(session.access_token)['sid'])
    const row = await app.app.platform.db
      .selectFrom('sessions')
      .select('generation')
      .where('id', '=', sid)
      .executeTakeFirst()
    expect(row?.generation).toBe(1)
    const [successor = ''] = successors
    expect((await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: String(successor) })).status).toBe(
      200,
    )
  }
})

test('a refresh beside a revocation leaves no live token', async () => {
  for (let round = 0; round < 10; round++) {
    const { session, userId } = await signedInUser(app, tenant, subOrgId, newEmail())
    const [refreshed, revoked] = await Promise.all([
      callers[0]?.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token }),
      callers[1]?.delete(`/v1/sessions?subOrgId=${subOrgId}&userId=${userId}`),
    ])
    expect(revoked?.body).toEqual({ success: true, revoked: 1 })
    const tokens = [session.access_token, session.refresh_token]
    if (refreshed?.status === 200)
      tokens.push(refreshed.body.session.refresh_token, refreshed.body.session.access_token)
    for (const token of tokens)
      expect((await tenant.post('/v1/auth/token/introspect', { token })).body).toEqual({ active: false })
  }
})

test.each(['revoke_oldest', 'deny_new'])(
  'a limit of two sessions holds against eight sign-ins at once: %s',
  async (policy) => {
    const limited = await tenant.organization()
    const settings = { subOrgId: limited, max_concurrent_sessions: 2, concurrent_session_policy: policy }
    succeeded(await tenant.patch('/v1/auth/settings', settings))
    for (let round = 0; round < 3; round++) {
      const { email, id } = await newPasswordUser(tenant, { subOrgId: limited, password: PASSWORD })
      const body = { subOrgId: limited, email, password: PASSWORD }
      const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => signInByPassword(i, body)))
      const refused = policy === 'deny_new' ? { 200: 2, 403: 6 } : { 200: 8 }
      expect(countBy(replies)).toEqual(refused)
      const { users } = succeeded(await tenant.get(`/v1/sessions?subOrgId=${limited}&userId=${id}`))
      expect(users[0].sessions).toHaveLength(2)
    }
  },
)
