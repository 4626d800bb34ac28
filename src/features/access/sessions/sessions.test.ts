import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { signedInUser, signIn } from '../../../../test/people/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()

async function organizationWithUser() {
  const subOrgId = await tenant.organization()
  return { subOrgId, ...(await signedInUser(app, tenant, subOrgId, newEmail())) }
}

const sidOf = (tokens: { access_token: string }) => String(decodeJwt(tokens.access_token)['sid'])

test('sessions are listed by user, for one organization or the whole environment', async () => {
  const one = await organizationWithUser()
  const two = await organizationWithUser()
  const own = await tenant.get(`/v1/sessions?subOrgId=${one.subOrgId}`)
  expect(own.body).toMatchObject({
    users: [
      {
        user_id: one.session.user_id,
        sessions: [{ id: sidOf(one.session), sub_org_id: one.subOrgId, status: 'active' }],
      },
    ],
    has_more: false,
    next_cursor: null,
  })
  const all = await tenant.get('/v1/sessions')
  const ids = all.body.users.flatMap((user: { sessions: { id: string }[] }) =>
    user.sessions.map((session) => session.id),
  )
  expect(ids).toEqual(expect.arrayContaining([sidOf(one.session), sidOf(two.session)]))
  const first = await tenant.get('/v1/sessions?limit=1&include_total=true')
  expect([first.body.has_more, first.body.total]).toEqual([true, ids.length])
  const ofOne = await tenant.get(`/v1/sessions?userId=${one.session.user_id}&include_total=true`)
  expect(ofOne.body.total).toBe(1)
  // Ids may be in upper case (RFC 9562 §4).
  const written = one.session.user_id.toUpperCase()
  expect((await tenant.get(`/v1/sessions?userId=${written}&include_total=true`)).body).toEqual(ofOne.body)
  const staging = await tenant.withKey({ environment: 'staging' })
  expect((await staging.get('/v1/sessions')).body.users).toEqual([])
  expect(JSON.stringify(all.body)).not.toMatch(/token|hash/)
})

test('one session ends, then all of a user, and the feed names them', async () => {
  const { subOrgId, userId, email, session } = await organizationWithUser()
  await app.advance(61)
  const second = await signIn(app, tenant, subOrgId, email)
  const before = await tenant.get(`/v1/sessions/revocations?subOrgId=${subOrgId}`)
  expect(before.body).toEqual({ revocations: [], has_more: false, next_cursor: expect.any(String) })
  const one = await tenant.delete(`/v1/sessions/${sidOf(session)}?subOrgId=${subOrgId}`)
  expect(one.body).toEqual({ success: true })
  expect((await tenant.delete(`/v1/sessions/${sidOf(session)}?subOrgId=${subOrgId}`)).body).toEqual({ success: true })
  const rest = await tenant.delete(`/v1/sessions?subOrgId=${subOrgId}&userId=${userId}`)
  expect(rest.body).toEqual({ success: true, revoked: 1 })
  await app.settled()
  const feed = await tenant.get(`/v1/sessions/revocations?subOrgId=${subOrgId}&after=${before.body.next_cursor}`)
  const ended = feed.body.revocations.map((entry: { session_id: string }) => entry.session_id)
  expect(ended).toEqual([sidOf(session), sidOf(second)])
  expect(feed.body.revocations[0]).toEqual({
    session_id: sidOf(session),
    user_id: session.user_id,
    directory_user_id: userId,
    reason: 'revoked',
    revoked_at: expect.stringMatching(/Z$/),
  })
  const next = await tenant.get(`/v1/sessions/revocations?subOrgId=${subOrgId}&after=${feed.body.next_cursor}`)
  expect(next.body).toEqual({ revocations: [], has_more: false, next_cursor: expect.any(String) })
})

test('a session that ends is told of with both ids of its user', async () => {
  const { subOrgId, userId, session } = await organizationWithUser()
  const id = sidOf(session)
  await tenant.delete(`/v1/sessions/${id}?subOrgId=${subOrgId}`)
  const events = await app.events({ accountId: tenant.accountId, type: 'session.revoked' })
  expect(events.filter((event) => event.target_id === id).map((event) => event.data)).toEqual([
    { id, user_id: session.user_id, directory_user_id: userId, reason: 'revoked' },
  ])
})

test('the ids of another organization, account or environment are as unknown as made-up ones', async () => {
  const { subOrgId, userId, session } = await organizationWithUser()
  const stranger = await app.tenant()
  const strangerOrg = await stranger.organization()
  const staging = await tenant.withKey({ environment: 'staging' })
  const calls = [
    [stranger, strangerOrg],
    [tenant, await tenant.organization()],
    [staging, subOrgId],
  ] as const
  for (const [caller, organization] of calls) {
    const reply = await caller.delete(`/v1/sessions/${sidOf(session)}?subOrgId=${organization}`)
    expect([reply.status, reply.body.code]).toEqual([404, 'session_not_found'])
    const all = await caller.delete(`/v1/sessions?subOrgId=${organization}&userId=${userId}`)
    expect([all.status, all.body.code]).toEqual([404, 'user_not_found'])
  }
  expect((await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)).body.users).toHaveLength(1)
})

test('a limit on sessions ends the oldest, or refuses the newest', async () => {
  const { subOrgId, email, session } = await organizationWithUser()
  await tenant.patch('/v1/auth/settings', { subOrgId, max_concurrent_sessions: 1 })
  await app.advance(61)
  const second = await signIn(app, tenant, subOrgId, email)
  const introspect = async (token: string) => (await tenant.post('/v1/auth/token/introspect', { token })).body.active
  expect([await introspect(session.access_token), await introspect(second.access_token)]).toEqual([false, true])
  await tenant.patch('/v1/auth/settings', { subOrgId, concurrent_session_policy: 'deny_new' })
  await app.advance(61)
  await expect(signIn(app, tenant, subOrgId, email)).rejects.toThrow('session_limit_reached')
  expect(await introspect(second.access_token)).toBe(true)
})

test('settings are inherited from the account, overridden by the organization, and reset by null', async () => {
  const subOrgId = await tenant.organization()
  const read = async () => (await tenant.get(`/v1/auth/settings?subOrgId=${subOrgId}&effective=true`)).body
  await tenant.patch('/v1/auth/settings/defaults', { access_token_ttl_seconds: 900 })
  expect(await read()).toMatchObject({
    settings: { access_token_ttl_seconds: 900 },
    sources: { access_token_ttl_seconds: 'account' },
  })
  await tenant.patch('/v1/auth/settings', { subOrgId, access_token_ttl_seconds: 600 })
  expect(await read()).toMatchObject({
    settings: { access_token_ttl_seconds: 600 },
    sources: { access_token_ttl_seconds: 'directory' },
  })
  const reset = await tenant.patch('/v1/auth/settings', { subOrgId, access_token_ttl_seconds: null })
  expect(reset.body.settings.access_token_ttl_seconds).toBe(900)
  await tenant.patch('/v1/auth/settings/defaults', { access_token_ttl_seconds: null })
  expect((await read()).sources.access_token_ttl_seconds).toBe('default')
  const bad = await tenant.patch('/v1/auth/settings', { subOrgId, access_token_ttl_seconds: 5 })
  expect(bad.body.code).toBe('invalid_request')
  const scoped = await tenant.withKey({ subOrgId })
  expect((await scoped.patch('/v1/auth/settings/defaults', { allow_sign_up: false })).body.code).toBe(
    'sub_org_mismatch',
  )
})

test('the next page is of the same user', async () => {
  const { subOrgId, userId, email, session } = await organizationWithUser()
  await app.advance(61)
  await signIn(app, tenant, subOrgId, email)
  await organizationWithUser()
  const page = await tenant.get(`/v1/sessions?userId=${userId}&limit=1`)
  const next = new URL(/<(.+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '')
  const rest = await tenant.get(next.pathname + next.search)
  expect(rest.body.users.map((user: { user_id: string }) => user.user_id)).toEqual([session.user_id])
  expect(rest.body.has_more).toBe(false)
})

test('an organization follows its own ended sessions and events, and those of no other', async () => {
  const [own, other] = [await organizationWithUser(), await organizationWithUser()]
  const stranger = await app.tenant()
  const key = await tenant.withKey({ subOrgId: own.subOrgId })
  for (const { subOrgId, userId } of [own, other])
    await tenant.delete(`/v1/sessions?subOrgId=${subOrgId}&userId=${userId}`)
  const [mine, theirs] = [sidOf(own.session), sidOf(other.session)]
  const endedFor = async (caller: Pick<typeof tenant, 'get'>, query = '') =>
    (await caller.get(`/v1/sessions/revocations${query}`)).body.revocations.map(
      (entry: { session_id: string }) => entry.session_id,
    )
  await app.settled()
  expect(await endedFor(tenant)).toEqual(expect.arrayContaining([mine, theirs]))
  for (const caller of [key, tenant])
    expect(await endedFor(caller, caller === key ? '' : `?subOrgId=${own.subOrgId}`)).toEqual([mine])
  expect(await endedFor(stranger)).toEqual([])
  expect(await endedFor(await tenant.withKey({ environment: 'staging' }))).toEqual([])
  const { events } = (await key.get('/v1/events?limit=1000')).body
  expect(events.length).toBeGreaterThan(2)
  expect(JSON.stringify(events)).not.toContain(other.subOrgId)
  expect(JSON.stringify(events)).not.toContain(other.userId)
  // A cursor contains its reach: a key of one organization cannot use a cursor for the whole environment.
  const { next_cursor } = (await tenant.get('/v1/sessions/revocations?limit=1')).body
  expect((await key.get(`/v1/sessions/revocations?after=${next_cursor}`)).status).toBe(400)
})

test('a live session is read by its id, within reach', async () => {
  const { subOrgId, session } = await organizationWithUser()
  const other = await tenant.withKey({ subOrgId: await tenant.organization() })
  const at = `/v1/sessions/${sidOf(session)}`
  const [listed] = (await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)).body.users[0].sessions
  expect((await tenant.get(at)).body).toEqual(listed)
  for (const caller of [other, await app.tenant(), await tenant.withKey({ environment: 'staging' })])
    expect((await caller.get(at)).body.code).toBe('session_not_found')
  await tenant.delete(`${at}?subOrgId=${subOrgId}`)
  expect((await tenant.get(at)).status).toBe(404)
})
