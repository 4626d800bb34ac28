import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail, newPasswordUser, plantSessions, sessionRowsOf, sessionsIn } from '../../../../test/people/people.ts'
import { signedInUser, signIn } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const second = await startSecondApp(app)
const { db } = app.app.platform
const tenant = await app.tenant()
const callers = [app.as(tenant.key), second.as(tenant.key)]
const PASSWORD = 'correct horse battery staple'

async function limited(settings: object) {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, ...settings }))
  return newPasswordUser(tenant, { subOrgId, password: PASSWORD })
}

/** Signs a user in `count` times at once, on two processes, each with a separate proof. */
async function signInAtOnce(person: { subOrgId: string; email: string }, count: number) {
  const { subOrgId, email } = person
  const sign = (n: number) => callers[n % 2]?.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
  return Promise.all(Array.from({ length: count }, (_, n) => sign(n)))
}

const countsOf = (replies: ({ status: number } | undefined)[]) =>
  Object.fromEntries(
    [...Map.groupBy(replies, (reply) => reply?.status)].map(([status, { length }]) => [status, length]),
  )

test('a limit holds against sign-ins at once: each succeeds, and the oldest sessions end', async () => {
  const person = await limited({ max_concurrent_sessions: 3 })
  for (let round = 1; round <= 2; round++) {
    expect(countsOf(await signInAtOnce(person, 5))).toEqual({ 200: 5 })
    expect(await sessionsIn(tenant, person.subOrgId)).toHaveLength(3)
    expect(await sessionRowsOf(db, person.id)).toHaveLength(5 * round)
    await app.advance(61)
  }
})

test('a limit that denies holds against sign-ins at once', async () => {
  const person = await limited({ max_concurrent_sessions: 3, concurrent_session_policy: 'deny_new' })
  expect(countsOf(await signInAtOnce(person, 6))).toEqual({ 200: 3, 403: 3 })
  expect(await sessionsIn(tenant, person.subOrgId)).toHaveLength(3)
  expect(await sessionRowsOf(db, person.id)).toHaveLength(3)
})

test('where sessions have ended there is room again', async () => {
  const person = await limited({ max_concurrent_sessions: 2, concurrent_session_policy: 'deny_new' })
  const [first] = await signInAtOnce(person, 2)
  expect(countsOf(await signInAtOnce(person, 1))).toEqual({ 403: 1 })
  await tenant.post('/v1/auth/logout', { refresh_token: first?.body.session.refresh_token })
  await app.advance(61)
  expect(countsOf(await signInAtOnce(person, 2))).toEqual({ 200: 1, 403: 1 })
  await app.advance(61)
  await tenant.delete(`/v1/users/${person.id}/sessions?subOrgId=${person.subOrgId}`)
  expect(countsOf(await signInAtOnce(person, 2))).toEqual({ 200: 2 })
})

test.each([99, 100, 900])('of %i sessions and a new one 100 are left by default, the newest', async (count) => {
  const subOrgId = await tenant.organization()
  const { userId, email } = await signedInUser(app, tenant, subOrgId, newEmail())
  const planted = await plantSessions(db, userId, count - 1)
  await app.advance(61)
  const { access_token } = await signIn(app, tenant, subOrgId, email)
  const live = await db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()
  expect(live).toHaveLength(count + 1)
  const ids: string[] = []
  for (let path: string | null = `/v1/sessions?subOrgId=${subOrgId}&limit=70`; path; ) {
    const page = await tenant.get(path)
    ids.push(...page.body.users.flatMap(({ sessions }: { sessions: { id: string }[] }) => sessions.map(({ id }) => id)))
    path = /<http:\/\/[^/]+([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? null
  }
  expect(ids).toHaveLength(100)
  // Of the planted sessions, later ones in the list are older.
  expect(planted.filter((id) => ids.includes(id))).toEqual(planted.slice(0, 98))
  expect((await tenant.post('/v1/auth/token/introspect', { token: access_token })).body.active).toBe(true)
})

test('without a limit, which is 0, nothing ends', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, max_concurrent_sessions: 0 }))
  const { userId, email } = await signedInUser(app, tenant, subOrgId, newEmail())
  await plantSessions(db, userId, 150)
  await app.advance(61)
  await signIn(app, tenant, subOrgId, email)
  expect((await tenant.get(`/v1/sessions?subOrgId=${subOrgId}&limit=200`)).body.users[0].sessions).toHaveLength(152)
})
