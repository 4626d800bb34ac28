import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { newEmail } from '../people.ts'
import { mailedCode, signedInUser } from '../sign-in.ts'
import { startProcesses } from './processes.ts'

const app = await startApp()
const tenant = await app.tenant()
const processes = await startProcesses(app, 2)
const callers = processes.map((running) => running.as(tenant.key))
const subOrgId = await tenant.organization()

/** The same request `count` times at once, half of them on each process. */
function atOnce(count: number, path: string, body: (i: number) => object): Promise<Reply[]> {
  const call = (i: number) => {
    const caller = callers[i % callers.length]
    if (!caller) throw new Error('No process')
    return caller.post(path, body(i))
  }
  return Promise.all(Array.from({ length: count }, (_, i) => call(i)))
}

const countBy = (replies: Reply[]) =>
  Object.fromEntries(
    Map.groupBy(replies, (reply) => reply.status)
      .entries()
      .map(([status, group]) => [status, group.length]),
  )

async function sendCode(): Promise<{ email: string; otp_id: string; code: string }> {
  const email = newEmail()
  await tenant.post('/v1/users', { subOrgId, email })
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

test('one code in 100 requests at once gives exactly one session', async () => {
  for (let round = 0; round < 5; round++) {
    const { email, otp_id, code } = await sendCode()
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
  const { email, otp_id } = await sendCode()
  const replies = await atOnce(100, '/v1/auth/login/otp/verify', (i) => ({
    subOrgId,
    email,
    otp_id,
    code: `wrong words${i}`,
  }))
  expect(replies.filter((reply) => reply.body.code === 'otp_invalid')).toHaveLength(5)
  expect(replies.filter((reply) => reply.body.code === 'otp_too_many_attempts')).toHaveLength(95)
  expect(await sessionsOf(email)).toHaveLength(0)
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
  for (let round = 0; round < 5; round++) {
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

test('a limit of two sessions holds against ten sign-ins at once', async () => {
  const limited = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId: limited, max_concurrent_sessions: 2 })
  const email = newEmail()
  await tenant.post('/v1/users', { subOrgId: limited, email })
  for (let i = 0; i < 3; i++) {
    const sent = await tenant.post('/v1/auth/login/otp/send', { subOrgId: limited, email })
    const code = await mailedCode(app, email)
    await atOnce(4, '/v1/auth/login/otp/verify', () => ({ subOrgId: limited, email, otp_id: sent.body.otp_id, code }))
    await app.advance(61)
  }
  const live = await tenant.get(`/v1/sessions?subOrgId=${limited}`)
  expect(live.body.users[0].sessions).toHaveLength(2)
})
