import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { codeOf, enrollTotp, succeeded } from '../../../../test/people/factors.ts'
import { newEmail, plantSessions, sessionsIn } from '../../../../test/people/people.ts'
import { signedInUser, signIn } from '../../../../test/people/sign-in.ts'
import { getWorkIn } from '../../../../test/work.ts'
import { MARK_JOB, revokeUserSessions } from './cut-off.ts'
import { markEndedSessions, settleCutOffs } from './cut-off-job.ts'
import { endReasons } from './end-reasons.ts'

const app = await startApp()
const { platform } = app.app
const { db } = platform
const tenant = await app.tenant()
// The planner chooses which rows a request marks itself. Without statistics it takes the oldest, by the index.
await sql`alter table sessions set (autovacuum_enabled = false)`.execute(db)

/** More sessions than a request itself marks. */
const MANY = 1000

/** A user with one new session and many older ones. */
async function newCrowd() {
  const subOrgId = await tenant.organization()
  const person = await signedInUser(app, tenant, subOrgId, newEmail())
  const planted = await plantSessions(db, person.userId, MANY)
  const { refresh_token } = person.session
  const { session: successor } = succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token }))
  const [session = ''] = (await rowsOf(subOrgId)).filter(({ id }) => !planted.includes(id)).map(({ id }) => id)
  // `used` is the token that was already exchanged. Within the reuse interval it still returns a successor.
  return {
    ...person,
    session: { ...person.session, ...successor, used: refresh_token },
    subOrgId,
    sessionIds: [session, ...planted].sort(),
    sessionId: session,
  }
}

type Crowd = Awaited<ReturnType<typeof newCrowd>>

/** The sessions of an organization, live or ended. */
async function rowsOf(subOrgId: string) {
  return db
    .selectFrom('sessions')
    .innerJoin('directories', 'directories.id', 'sessions.directory_id')
    .select(['sessions.id', 'revoked_at', 'revoked_reason', 'sessions.directory_id'])
    .where('directories.organization_id', '=', subOrgId)
    .orderBy('sessions.id')
    .execute()
}

const unmarkedOf = async (subOrgId: string) => (await rowsOf(subOrgId)).filter((row) => row.revoked_at === null)

/** Runs the queued jobs as a worker does. Returns how many there were. */
async function runJobs(): Promise<number> {
  const { rows } = await sql<{ payload: Record<string, unknown> }>`
    with taken as (
      delete from graphile_worker._private_jobs jobs using graphile_worker._private_tasks tasks
      where tasks.id = jobs.task_id and tasks.identifier = ${MARK_JOB} returning jobs.payload)
    select payload from taken`.execute(db)
  for (const { payload } of rows) await markEndedSessions.handle(platform, payload, 1)
  return rows.length
}

async function revocationsOf(ids: string[]) {
  const events = await app.events({ accountId: tenant.accountId, type: 'session.revoked' })
  return events.filter(({ target_id: id }) => id !== null && ids.includes(id))
}

/** Checks that every token of an ended session is refused. */
async function expectRefused({ subOrgId, session }: Pick<Crowd, 'subOrgId' | 'session'>): Promise<void> {
  const { access_token, refresh_token, used } = session
  for (const token of [refresh_token, used]) {
    const refreshed = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: token })
    expect([refreshed.status, refreshed.body.code]).toEqual([401, 'refresh_token_invalid'])
  }
  for (const token of [access_token, refresh_token])
    expect((await tenant.post('/v1/auth/token/introspect', { token })).body).toEqual({ active: false })
  const info = await app.as(null).get('/v1/auth/userinfo', { authorization: `Bearer ${access_token}` })
  expect(info.status).toBe(401)
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
}

/** Checks that every row has the reason, and that there is one event for each. */
async function expectComplete({ subOrgId, sessionIds }: Crowd, reason: string): Promise<void> {
  const rows = await rowsOf(subOrgId)
  expect(rows.filter((row) => row.revoked_reason === reason).map(({ id }) => id)).toEqual(sessionIds)
  const events = await revocationsOf(sessionIds)
  expect(events.map((event) => event.target_id).sort()).toEqual(sessionIds)
}

const body = (crowd: Crowd, more: object) => ({ subOrgId: crowd.subOrgId, ...more })
const userPath = (crowd: Crowd) => `/v1/users/${crowd.userId}`
const setActive = (crowd: Crowd, active: boolean) => tenant.patch(userPath(crowd), body(crowd, { active }))

const ACTS: [string, string, (crowd: Crowd) => Promise<unknown>][] = [
  [
    'a deactivation, and activation',
    'user_deactivated',
    async (crowd) => {
      succeeded(await setActive(crowd, false))
      succeeded(await setActive(crowd, true))
    },
  ],
  [
    'a new password',
    'password_changed',
    async (crowd) => {
      const password = 'correct horse battery staple'
      const reply = succeeded(await tenant.put(`${userPath(crowd)}/password`, body(crowd, { password })))
      expect(reply.sessions_revoked).toBe(MANY + 1)
    },
  ],
  [
    'a new address',
    'email_changed',
    async (crowd) => succeeded(await tenant.patch(userPath(crowd), body(crowd, { email: newEmail() }))),
  ],
  [
    'a deletion',
    'user_deleted',
    async (crowd) => succeeded(await tenant.delete(`${userPath(crowd)}?subOrgId=${crowd.subOrgId}`)),
  ],
  [
    'the end of all sessions',
    'revoked',
    async (crowd) => {
      const reply = await tenant.delete(`${userPath(crowd)}/sessions?subOrgId=${crowd.subOrgId}`)
      expect(reply.body).toEqual({ success: true, revoked: MANY + 1 })
    },
  ],
  [
    'a sign-out everywhere',
    'logout',
    async (crowd) => {
      const { access_token } = crowd.session
      succeeded(await tenant.post('/v1/auth/logout', body(crowd, { access_token, everywhere: true })))
    },
  ],
  [
    'a suspension, and reactivation',
    'organization_suspended',
    async ({ subOrgId }) => {
      succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' }))
      succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'active' }))
    },
  ],
]

test.each(ACTS)('%s ends all sessions at once, and a job says so of each', async (_name, reason, act) => {
  const crowd = await newCrowd()
  await act(crowd)
  const left = await unmarkedOf(crowd.subOrgId)
  expect(left.length).toBeGreaterThan(MANY / 2)
  // The session under test has ended only by its epoch: its row is not marked yet.
  expect(left.map(({ id }) => id)).toContain(crowd.sessionId)
  await expectRefused(crowd)
  expect(await runJobs()).toBeGreaterThan(0)
  await expectComplete(crowd, reason)
  // Running the job again changes nothing.
  await app.advance(60)
  await settleCutOffs.handle(platform, {}, 1)
  await expectComplete(crowd, reason)
  expect(await db.selectFrom('session_cut_offs').select('id').execute()).toEqual([])
})

test('a move ends all sessions where they were', async () => {
  const [crowd, target] = [await newCrowd(), await tenant.organization()]
  succeeded(await tenant.post(userPath(crowd), body(crowd, { targetSubOrgId: target })))
  expect((await unmarkedOf(crowd.subOrgId)).map(({ id }) => id)).toContain(crowd.sessionId)
  await expectRefused(crowd)
  await runJobs()
  await expectComplete(crowd, 'user_moved')
})

test('sessions that begin after a cut-off live, of the user and of others of the organization', async () => {
  const crowd = await newCrowd()
  const other = await signedInUser(app, tenant, crowd.subOrgId, newEmail())
  await tenant.delete(`${userPath(crowd)}/sessions?subOrgId=${crowd.subOrgId}`)
  await app.advance(61)
  const after = await signIn(app, tenant, crowd.subOrgId, crowd.email)
  await runJobs()
  for (const { refresh_token } of [after, other.session])
    succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId: crowd.subOrgId, refresh_token }))
  for (const status of ['suspended', 'active'])
    succeeded(await tenant.patch(`/v1/organizations/${crowd.subOrgId}`, { status }))
  await app.advance(61)
  const { refresh_token } = await signIn(app, tenant, crowd.subOrgId, crowd.email)
  await settleCutOffs.handle(platform, {}, 1)
  succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId: crowd.subOrgId, refresh_token }))
  expect(await sessionsIn(tenant, crowd.subOrgId)).toHaveLength(1)
})

test('what is recorded of each session says who ended it and when, in the order of the sessions', async () => {
  const crowd = await newCrowd()
  const path = `/v1/sessions/revocations?subOrgId=${crowd.subOrgId}&limit=400`
  const { next_cursor: start } = succeeded(await tenant.get(path))
  const acting = { 'x-actor-id': '4711' }
  const reply = await tenant.delete(`${userPath(crowd)}/sessions?subOrgId=${crowd.subOrgId}`, acting)
  await app.advance(20)
  await runJobs()
  const events = await revocationsOf(crowd.sessionIds)
  expect(new Set(events.map((event) => event.request_id))).toEqual(new Set([reply.headers.get('x-request-id')]))
  expect(new Set(events.map((event) => event.actor_type))).toEqual(new Set(['api_key']))
  const person = platform.db
    .selectFrom('events')
    .select('on_behalf_of')
    .distinct()
    .where('type', '=', 'session.revoked')
  const requestId = reply.headers.get('x-request-id')
  expect(await person.where('request_id', '=', requestId).execute()).toEqual([
    { on_behalf_of: { id: '4711', name: null } },
  ])
  const data = events.find((event) => event.target_id === crowd.sessionId)?.data
  const { user_id } = crowd.session
  expect(data).toEqual({ id: crowd.sessionId, user_id, directory_user_id: crowd.userId, reason: 'revoked' })
  await app.settled()
  const pages: { session_id: string; revoked_at: string }[] = []
  for (let after = start, more = true; more; ) {
    const page = succeeded(await tenant.get(`${path}&after=${after}`))
    pages.push(...page.revocations)
    after = page.next_cursor
    more = page.has_more
  }
  expect(pages).toHaveLength(MANY + 1)
  expect(pages.map((entry) => entry.session_id).sort()).toEqual(crowd.sessionIds)
  expect(new Set(pages.map((entry) => entry.revoked_at)).size).toBe(1)
  const ofJob = pages.slice(200).map((entry) => entry.session_id)
  expect(ofJob).toEqual(ofJob.toSorted())
})

test('a session that a sign-in under way still brings after the suspension has ended, and is announced later', async () => {
  const { subOrgId, userId } = await newCrowd()
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' }))
  // The job has passed these sessions before the next one, which is older, is created.
  await runJobs()
  // The sign-in acts as if it had read the organization's epoch before the suspension.
  const [late = ''] = await plantSessions(db, userId, 1)
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
  await settleCutOffs.handle(platform, {}, 1)
  expect(await revocationsOf([late])).toEqual([])
  await app.advance(31)
  await settleCutOffs.handle(platform, {}, 1)
  expect(await revocationsOf([late])).toHaveLength(1)
  expect(await unmarkedOf(subOrgId)).toEqual([])
})

test('all but one session end', async () => {
  const crowd = await newCrowd()
  const [{ directory_id: directoryId } = { directory_id: '' }] = await rowsOf(crowd.subOrgId)
  const work = await getWorkIn(platform, directoryId)
  expect(await revokeUserSessions(work, crowd.userId, endReasons.revoked, [crowd.sessionId])).toBe(MANY)
  expect(await sessionsIn(tenant, crowd.subOrgId)).toMatchObject([{ id: crowd.sessionId }])
  await runJobs()
  expect((await unmarkedOf(crowd.subOrgId)).map(({ id }) => id)).toEqual([crowd.sessionId])
  const { refresh_token } = crowd.session
  succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId: crowd.subOrgId, refresh_token }))
})

test('a session that ended with all others cannot be stepped up', async () => {
  const crowd = await newCrowd()
  const { subOrgId, userId } = crowd
  const ahead = (platform.clock.now().getTime() - Date.now()) / 1000
  const { secret } = await enrollTotp(tenant, userId, { subOrgId, ahead, revokeSessions: false })
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 }))
  const { refresh_token } = crowd.session
  const { challenge_token } = succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token }))
  await tenant.delete(`${userPath(crowd)}/sessions?subOrgId=${subOrgId}`)
  const passed = await tenant.post('/v1/mfa/challenge/verify', {
    subOrgId,
    challenge_token,
    code: codeOf(secret, 1, ahead),
  })
  expect([passed.status, passed.body.code]).toEqual([400, 'challenge_expired'])
})

test.each([
  ['user', (crowd: Crowd) => tenant.delete(`${userPath(crowd)}/sessions?subOrgId=${crowd.subOrgId}`)],
  ['organization', (crowd: Crowd) => tenant.patch(`/v1/organizations/${crowd.subOrgId}`, { status: 'suspended' })],
])('a refresh that has read the session does not pass when all of its %s end meanwhile', async (_whose, end) => {
  const crowd = await newCrowd()
  const { query } = pg.Client.prototype
  let ended = false
  Object.assign(pg.Client.prototype, {
    async query(this: pg.Client, ...args: unknown[]) {
      if (!ended && (JSON.stringify(args[0]) ?? '').includes('update sessions set generation')) {
        ended = true
        succeeded(await end(crowd))
      }
      return Reflect.apply(query, this, args)
    },
  })
  onTestFinished(() => void Object.assign(pg.Client.prototype, { query }))
  const { subOrgId, session } = crowd
  const reply = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token })
  expect(ended).toBe(true)
  expect([401, 403]).toContain(reply.status)
})
