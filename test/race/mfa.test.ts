import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Caller, type Reply, startApp } from '../harness.ts'
import { codeOf, enrollTotp, makeProvenUser, succeeded } from '../people/factors.ts'
import { joinedMember, PASSWORD as TEAM_PASSWORD } from '../people/team.ts'
import { bearing } from '../walkers/own-world.ts'
import { startProcesses, untilHashed } from './processes.ts'

const app = await startApp()
const tenant = await app.tenant()
const processes = await startProcesses(app, 2)
const { db } = app.app.platform
const PASSWORD = 'correct horse battery staple'

/** An enrolled user of an organization, and sign-ins of theirs that wait for the second factor. */
async function manyChallenges(count: number, settings: object = {}) {
  const subOrgId = await tenant.organization()
  const caller = await tenant.withKey({ subOrgId })
  succeeded(await caller.patch('/v1/auth/settings', { sign_in_rate_limit_per_minute: 100, ...settings }))
  const user = await makeProvenUser(caller)
  succeeded(await caller.put(`/v1/users/${user.id}/password`, { password: PASSWORD }))
  const factors = await enrollTotp(caller, user.id)
  const tokens: string[] = []
  while (tokens.length < count) {
    const login = await caller.post('/v1/auth/login/password', { email: user.email, password: PASSWORD })
    tokens.push(succeeded(login).challenge_token)
  }
  const callers = processes.map((running) => running.as(caller.key))
  return { ...user, ...factors, caller, callers, tokens }
}

function verify(callers: Caller[], i: number, challenge_token: string | undefined, code: string): Promise<Reply> {
  const caller = callers[i % callers.length]
  if (!caller) throw new Error('No process')
  return caller.post('/v1/mfa/challenge/verify', { challenge_token, code })
}

const countOf = (replies: Reply[], status: number, code?: string) =>
  replies.filter((reply) => reply.status === status && (code === undefined || reply.body.code === code)).length

const sessionsOf = (userId: string) => db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()

test('one code in 50 challenges at once on two processes opens one session', async () => {
  const { id, secret, callers, tokens } = await manyChallenges(50, { lockout_max_attempts: 100 })
  const code = codeOf(secret, 1)
  const replies = await Promise.all(tokens.map((token, i) => verify(callers, i, token, code)))
  expect([countOf(replies, 200), countOf(replies, 401, 'mfa_code_invalid')]).toEqual([1, 49])
  expect(await sessionsOf(id)).toHaveLength(1)
})

test('one backup code in 50 challenges at once opens one session', async () => {
  const { id, backupCodes, caller, callers, tokens } = await manyChallenges(50, { lockout_max_attempts: 100 })
  const [code = ''] = backupCodes
  const replies = await Promise.all(tokens.map((token, i) => verify(callers, i, token, code)))
  expect(countOf(replies, 200)).toBe(1)
  // Attempts beyond what the processors can hash concurrently are refused.
  expect(countOf(replies, 200) + countOf(replies, 401) + countOf(replies, 503)).toBe(50)
  expect(await sessionsOf(id)).toHaveLength(1)
  const { enrollment } = succeeded(await caller.get(`/v1/mfa/totp?userId=${id}`))
  expect(enrollment.backupCodesRemaining).toBe(9)
})

test('500 wrong codes at once over 50 challenges: ten are looked at', async () => {
  const { id, secret, caller, callers, tokens } = await manyChallenges(50)
  const calls = Array.from({ length: 500 }, (_, i) => verify(callers, i, tokens[i % 50], codeOf(secret, 20 + i)))
  const replies = await Promise.all(calls)
  expect(countOf(replies, 401, 'mfa_code_invalid')).toBe(10)
  const others = countOf(replies, 429, 'account_locked') + countOf(replies, 400, 'challenge_expired')
  expect(others).toBe(490)
  expect(await sessionsOf(id)).toEqual([])
  // Not even the right one, from anyone.
  succeeded(await caller.post(`/v1/users/${id}/unlock`, {}))
  const rows = await db.selectFrom('mfa_challenges').select('attempts').where('user_id', '=', id).execute()
  expect(rows.map((row) => row.attempts).sort()).toEqual(Array(50).fill(5))
})

test('one challenge in four requests at once with codes that are all right opens one session', async () => {
  for (let round = 0; round < 3; round++) {
    const { id, backupCodes, secret, callers, tokens } = await manyChallenges(1, { lockout_max_attempts: 100 })
    const codes = [...backupCodes.slice(0, 3), codeOf(secret, 1)]
    const replies = await Promise.all(codes.map((code, i) => untilHashed(() => verify(callers, i, tokens[0], code))))
    expect([countOf(replies, 200), countOf(replies, 400, 'challenge_expired')]).toEqual([1, 3])
    expect(await sessionsOf(id)).toHaveLength(1)
    // Late attempts have consumed no code.
    const left = await db.selectFrom('backup_codes').select('slot').where('user_id', '=', id).execute()
    const isTotp = replies[3]?.status === 200
    expect(left).toHaveLength(isTotp ? 10 : 9)
  }
})

test('a cut-off beside 20 codes leaves no session', async () => {
  const { id, backupCodes, secret, caller, callers, tokens } = await manyChallenges(11, { lockout_max_attempts: 100 })
  const codes = [...backupCodes, codeOf(secret, 1)]
  const [cut] = await Promise.all([
    caller.patch(`/v1/users/${id}`, { active: false }),
    ...codes.map((code, i) => verify(callers, i, tokens[i], code)),
  ])
  expect(cut?.status).toBe(200)
  expect(succeeded(await caller.get(`/v1/sessions?userId=${id}`)).users).toEqual([])
})

test('an app that a member of the team must enroll is confirmed by one of nine sign-ins at once', async () => {
  const own = await app.tenant()
  const [owner, member] = [await joinedMember(app, own, 'owner'), await joinedMember(app, own, 'member')]
  const patch = { subOrgId: 'team', grace_period_days: 0, enforce_for_roles: [] }
  succeeded(await bearing(app, owner.session.access_token).patch('/v1/mfa/policy', patch))
  const body = { subOrgId: 'team', email: member.email, password: TEAM_PASSWORD }
  const tokens: string[] = []
  for (let n = 0; n < 9; n++) {
    const held = succeeded(await own.post('/v1/auth/login/password', body))
    expect(held.enrollment_required).toBe(true)
    tokens.push(held.challenge_token)
  }
  const named = { subOrgId: 'team', userId: member.session.directory_user_id }
  const [first = ''] = tokens
  const begun = succeeded(await own.post('/v1/mfa/totp', { ...named, challenge_token: first }))
  const sent = { ...named, pendingId: begun.pendingId, code: codeOf(begun.secret) }
  const callers = processes.map((running) => running.as(own.key))
  const replies = await Promise.all(
    tokens.map((challenge_token, i) =>
      untilHashed(() => callers[i % callers.length]?.put('/v1/mfa/totp', { ...sent, challenge_token })),
    ),
  )
  const statuses = replies.map((reply) => reply.status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  // The others come too late: for the challenge, the attempts or the enrollment.
  expect(statuses.filter((status) => ![200, 400, 404, 409].includes(status))).toEqual([])
  const { rows } = await sql<{ enrolled: number; live: number }>`
    select (select count(*)::int from events where type = 'mfa.enrolled' and target_id = ${named.userId}) as enrolled,
      (select count(*)::int from sessions where user_id = ${named.userId} and aal = 'aal2') as live`.execute(db)
  expect(rows).toEqual([{ enrolled: 1, live: 1 }])
})
