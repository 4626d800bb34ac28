import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Reply, startApp, until } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail, sessionRowsOf } from '../../../../test/people/people.ts'
import { joinedMember } from '../../../../test/people/team.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { bearing, ownSamples, ownWorld, signedIn, signInAgain } from '../../../../test/walkers/own-world.ts'
import { nameOf, sendSample } from '../../../../test/walkers/samples.ts'
import { writeBetween } from '../../../../test/write-between.ts'
import { routes } from '../../../wiring/routes.ts'
import { announceEndedImpersonations } from './ending.ts'

const app = await startApp()
const { db } = app.app.platform
const tenant = await app.tenant()
const GRACE = { actor: 'grace@support.example', reason: 'Ticket 4711: empty invoice' }
const act = { sub: GRACE.actor, reason: GRACE.reason }

/** An organization that allows impersonation by default. */
async function organization(settings: object = { impersonation_enabled: true }) {
  const world = await ownWorld(app, tenant)
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: world.subOrgId, ...settings }))
  return world
}

const ask = ({ id, subOrgId }: { id: string; subOrgId: string }, body: object = {}) =>
  tenant.post(`/v1/users/${id}/impersonate`, { subOrgId, ...GRACE, ...body })

/**
 * The token expires with the session. Its lifetime counts whole seconds from the time of issue, which may be in the
 * second after the sign-in.
 */
function expectTheSameEnd(session: { access_token: string; expires_at: string; expires_in: number }) {
  const { exp, iat } = decodeJwt(session.access_token)
  expect(exp).toBe(Math.floor(Date.parse(session.expires_at) / 1000))
  expect(session.expires_in).toBe(Number(exp) - Number(iat))
}

const endings = () => announceEndedImpersonations.handle(app.app.platform, {}, 1)

async function eventsOf(subOrgId: string, prefix: string) {
  const events = await app.events({ accountId: tenant.accountId })
  return events.filter(({ organization_id, type }) => organization_id === subOrgId && type.startsWith(prefix))
}

const world = await organization()
const { subOrgId } = world

test('a token of the user says who acts and why, and cannot be renewed', async () => {
  const person = await signedIn(world)
  const before = await db.selectFrom('users').selectAll().where('id', '=', person.id).executeTakeFirstOrThrow()
  const eventsBefore = await app.events({ accountId: tenant.accountId })
  const { session } = succeeded(await ask(person))
  expect(session).toEqual({
    id: expect.any(String),
    access_token: expect.any(String),
    expires_in: expect.any(Number),
    expires_at: expect.any(String),
    user_id: person.session.user_id,
    directory_user_id: person.id,
    impersonator: act,
  })
  const claims = decodeJwt(session.access_token)
  expect(claims).toMatchObject({ sub: person.session.user_id, org_id: subOrgId, sid: session.id, amr: [], act })
  expect(claims.exp).toBe(Number(claims['auth_time']) + 900)
  expectTheSameEnd(session)
  const seen = await tenant.post('/v1/auth/token/introspect', { token: session.access_token })
  expect(succeeded(seen)).toMatchObject({ active: true, sid: session.id, act })
  // An impersonation is not recorded as a sign-in of the user.
  const after = await db.selectFrom('users').selectAll().where('id', '=', person.id).executeTakeFirstOrThrow()
  expect(after).toEqual(before)
  const events = (await app.events({ accountId: tenant.accountId })).slice(eventsBefore.length)
  expect(events.map(({ type }) => type).sort()).toEqual(['impersonation.started', 'session.created'])
  expect(events.find(({ type }) => type === 'impersonation.started')).toMatchObject({
    actor_type: 'api_key',
    target_id: session.id,
    data: { id: session.id, directory_user_id: person.id, impersonator: act, ended: null },
  })
  const mails = (await app.mails(person.email)).filter(({ kind }) => kind === 'impersonation_started')
  expect(mails).toHaveLength(1)
  expect(mails[0]?.text).toContain('15 minutes')
  expect(mails[0]?.text).not.toContain('4711')
})

test('the user and the backend see the session, with who acts in it', async () => {
  const person = await signedIn(world)
  const { session } = succeeded(await ask(person))
  const own = succeeded(await person.me.get('/v1/me/sessions')).sessions
  const listed = succeeded(await tenant.get(`/v1/sessions?subOrgId=${subOrgId}&userId=${person.id}`)).users[0].sessions
  for (const sessions of [own, listed]) {
    const shown = sessions.map((each: Record<string, unknown>) => [each['auth_method'], each['impersonator']])
    expect(new Set(shown)).toEqual(
      new Set([
        ['impersonation', act],
        ['otp', null],
      ]),
    )
    expect(sessions.map(({ id }: { id: string }) => id)).toContain(session.id)
  }
})

test.each(routes.filter(({ auth }) => auth === 'user').map((route) => [nameOf(route), route] as const))(
  '%s: who acts for somebody only reads',
  async (name, route) => {
    const person = await signedIn(world)
    const sample = await ownSamples[name]?.(person)
    if (!sample) throw new Error(`${name} has no sample`)
    const { session } = succeeded(await ask(person))
    const before = await snapshot(app)
    const reply = await sendSample(bearing(app, session.access_token), route, sample)
    if (route.method === 'GET') return expect(reply.status).toBe(200)
    expect([reply.status, reply.body.code]).toEqual([403, 'impersonation_read_only'])
    expect(await snapshot(app)).toEqual(before)
  },
)

test('without the consent of the organization itself nobody acts for its users', async () => {
  const closed = await organization({})
  const person = await signedIn(closed)
  const refuse = async () => {
    const before = await snapshot(app)
    const reply = await ask(person)
    expect([reply.status, reply.body.code]).toEqual([403, 'impersonation_disabled'])
    expect(await snapshot(app)).toEqual(before)
  }
  await refuse()
  const forAll = await tenant.patch('/v1/auth/settings/defaults', { impersonation_enabled: true })
  expect([forAll.status, forAll.body.errors[0].field]).toEqual([400, 'impersonation_enabled'])
  await refuse()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: person.subOrgId, impersonation_enabled: true }))
  succeeded(await ask(person))
})

describe('refuses', () => {
  test.each([
    ['no reason', { reason: undefined }, 'reason'],
    ['a reason of blanks', { reason: '  ' }, 'reason'],
    ['nobody', { actor: undefined }, 'actor'],
    ['more than an hour', { duration_seconds: 3601 }, 'duration_seconds'],
    ['less than a minute', { duration_seconds: 59 }, 'duration_seconds'],
  ])('%s', async (_, body, field) => {
    const person = await signedIn(world)
    const reply = await ask(person, body)
    expect([reply.status, reply.body.code, reply.body.errors[0].field]).toEqual([400, 'invalid_request', field])
  })

  test('a user who has never signed in, one of another organization, and nobody', async () => {
    const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email: newEmail() }))
    const never = await ask({ id: user.id, subOrgId })
    expect([never.status, never.body.code]).toEqual([409, 'user_never_signed_in'])
    const stranger = await signedIn(await organization())
    for (const id of [stranger.id, stranger.session.user_id, 'nobody'])
      expect([id, (await ask({ id, subOrgId })).body.code]).toEqual([id, 'user_not_found'])
  })

  test('a sign-up with an unproved mailbox and an auth account', async () => {
    // Uses SQL, because no route gives an auth account to a sign-up like this today.
    const person = await signedIn(world)
    await sql`update users set pending_until = clock_now() + interval '1 day' where id = ${person.id}`.execute(db)
    const [sessions, mails] = [await sessionRowsOf(db, person.id), await app.mails(person.email)]
    const reply = await ask(person)
    expect([reply.status, reply.body.code]).toEqual([409, 'user_never_signed_in'])
    expect([await sessionRowsOf(db, person.id), await app.mails(person.email)]).toEqual([sessions, mails])
  })

  test('who could not sign in either', async () => {
    const inactive = await signedIn(world)
    succeeded(await tenant.patch(`/v1/users/${inactive.id}`, { subOrgId, active: false }))
    expect((await ask(inactive)).body.code).toBe('user_inactive')
    const elsewhere = await organization()
    const suspended = await signedIn(elsewhere)
    succeeded(await tenant.patch(`/v1/organizations/${elsewhere.subOrgId}`, { status: 'suspended' }))
    expect((await ask(suspended)).body.code).toBe('organization_suspended')
  })
})

test('a member of the team acts as who they are', async () => {
  const person = await signedIn(world)
  const owner = await joinedMember(app, tenant, 'owner')
  const post = (body: object) =>
    app.as(null).post(`/v1/users/${person.id}/impersonate`, { subOrgId, reason: 'Ticket 1', ...body }, owner.headers)
  expect((await post({ actor: 'somebody else' })).body.errors[0].field).toBe('actor')
  const { session } = succeeded(await post({}))
  expect(session.impersonator).toEqual({ sub: owner.session.directory_user_id, reason: 'Ticket 1' })
  const admin = await joinedMember(app, tenant, 'developer')
  const refused = await app
    .as(null)
    .post(`/v1/users/${person.id}/impersonate`, { subOrgId, reason: 'Ticket 1' }, admin.headers)
  expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope'])
})

test('nobody acts for a member of the team', async () => {
  const colleague = await joinedMember(app, tenant, 'owner')
  const { directory_user_id: id, user_id: account } = colleague.session
  for (const userId of [id, account])
    for (const subOrg of [subOrgId, 'team', undefined]) {
      const reply = await tenant.post(`/v1/users/${userId}/impersonate`, {
        ...GRACE,
        ...(subOrg === undefined ? {} : { subOrgId: subOrg }),
      })
      expect([400, 403, 404]).toContain(reply.status)
    }
})

test('second factors and single sign-on, which are the user’s to prove, do not stop who acts', async () => {
  const strict = await organization()
  const person = await signedIn(strict)
  succeeded(
    await tenant.patch('/v1/mfa/policy', { subOrgId: strict.subOrgId, require_mfa: true, grace_period_days: 0 }),
  )
  const { session } = succeeded(await ask(person))
  expect((await bearing(app, session.access_token).get('/v1/me')).status).toBe(200)
})

test('a backend that passes the token on changes nothing either', async () => {
  const person = await signedIn(world)
  const { access_token } = succeeded(await ask(person)).session
  const at = { subOrgId, userId: person.id }
  const before = await snapshot(app)
  const replies = [
    await tenant.post('/v1/auth/passkey/register', { ...at, action: 'options', access_token }),
    await tenant.post('/v1/mfa/totp/backup-codes', { ...at, access_token }),
    await tenant.delete(`/v1/mfa/totp?userId=${person.id}&subOrgId=${subOrgId}`, undefined, { access_token }),
  ]
  for (const { status, body } of replies) expect([status, body.code]).toEqual([403, 'impersonation_read_only'])
  expect(await snapshot(app)).toEqual(before)
})

test('who acts signs themselves out, and not the user', async () => {
  const person = await signedIn(world)
  const { access_token } = succeeded(await ask(person)).session
  succeeded(await tenant.post('/v1/auth/token/revoke', { access_token, everywhere: true }))
  expect((await bearing(app, access_token).get('/v1/me')).status).toBe(401)
  expect((await person.me.get('/v1/me')).status).toBe(200)
  // The event does not name the user as the actor.
  const revoked = await app.events({ accountId: tenant.accountId, type: 'session.revoked' })
  const acting = decodeJwt(access_token)['sid']
  expect(revoked.filter(({ target_id }) => target_id === acting)).toMatchObject([{ actor_type: 'api_key' }])
})

test('an organization that allows it no longer ends it', async () => {
  const place = await organization()
  const person = await signedIn(place)
  const other = await signedIn(world)
  const [acting, elsewhere] = [succeeded(await ask(person)).session, succeeded(await ask(other)).session]
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: place.subOrgId, impersonation_enabled: false }))
  expect((await bearing(app, acting.access_token).get('/v1/me')).status).toBe(401)
  expect((await person.me.get('/v1/me')).status).toBe(200)
  expect((await bearing(app, elsewhere.access_token).get('/v1/me')).status).toBe(200)
  expect(await eventsOf(place.subOrgId, 'session.revoked')).toMatchObject([
    { target_id: acting.id, data: { reason: 'impersonation_disabled' } },
  ])
  await endings()
  expect(await eventsOf(place.subOrgId, 'impersonation.ended')).toMatchObject([{ data: { ended: 'revoked' } }])
})

test('one that begins while the organization stops to allow it ends at once', async () => {
  const place = await organization()
  const person = await signedIn(place)
  const second = await startSecondApp(app)
  const settings = { subOrgId: place.subOrgId, impersonation_enabled: false }
  const isWaiting = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%auth_settings%'`.execute(db)
    return rows.length > 0
  }
  const stopped: Promise<Reply>[] = []
  const stop = async () => {
    if (stopped.length === 0) stopped.push(second.as(tenant.key).patch('/v1/auth/settings', settings))
    await Promise.race([...stopped, until(isWaiting)])
  }
  await writeBetween(/insert into sessions/, stop, async () => {
    const acting = succeeded(await ask(person)).session
    for (const reply of await Promise.all(stopped)) succeeded(reply)
    expect((await bearing(app, acting.access_token).get('/v1/me')).status).toBe(401)
  })
  expect(stopped).toHaveLength(1)
  await endings()
  expect(await eventsOf(place.subOrgId, 'impersonation.ended')).toMatchObject([{ data: { ended: 'revoked' } }])
})

test('an organization that no longer says whether it allows it ends it as well', async () => {
  const place = await organization()
  const acting = succeeded(await ask(await signedIn(place))).session
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: place.subOrgId, impersonation_enabled: null }))
  expect((await bearing(app, acting.access_token).get('/v1/me')).status).toBe(401)
})

test('one user is acted for twenty times in an hour', async () => {
  const [person, other] = [await signedIn(world), await signedIn(world)]
  for (let i = 0; i < 20; i++) succeeded(await ask(person))
  const refused = await ask(person)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  succeeded(await ask(other))
})

test('it lasts no longer than an access token', async () => {
  const short = await organization({ impersonation_enabled: true, access_token_ttl_seconds: 60 })
  const { session } = succeeded(await ask(await signedIn(short), { duration_seconds: 3600 }))
  const { exp, auth_time } = decodeJwt(session.access_token)
  expect(exp).toBe(Number(auth_time) + 60)
  expectTheSameEnd(session)
})

test('a limit of sessions counts those of the user alone', async () => {
  const limited = await organization({
    impersonation_enabled: true,
    max_concurrent_sessions: 1,
    concurrent_session_policy: 'deny_new',
  })
  const person = await signedIn(limited)
  succeeded(await ask(person))
  const { sessions } = succeeded(await person.me.get('/v1/me/sessions'))
  const own = sessions.find(({ current }: { current: boolean }) => current)
  // Sessions are checked one by one, because the user's row still says that there may be an impersonation session.
  succeeded(await tenant.delete(`/v1/sessions/${own.id}?subOrgId=${limited.subOrgId}`))
  expect((await signInAgain(person)).access_token).toBeTypeOf('string')
})

describe('the end is recorded once, however it comes', () => {
  const ways: Record<
    string,
    (world: Awaited<ReturnType<typeof organization>>, id: string, session: string) => unknown
  > = {
    revoked: ({ subOrgId }, _, session) => tenant.delete(`/v1/sessions/${session}?subOrgId=${subOrgId}`),
    'revoked with the others': ({ subOrgId }, id) => tenant.delete(`/v1/users/${id}/sessions?subOrgId=${subOrgId}`),
    'revoked by a cut-off': ({ subOrgId }, id) => tenant.patch(`/v1/users/${id}`, { subOrgId, active: false }),
    'revoked with the organization': ({ subOrgId }) =>
      tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' }),
    'revoked by a deletion': ({ subOrgId }, id) => tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}`),
    expired: () => app.advance(901),
  }
  test.each(Object.entries(ways))('%s', async (name, end) => {
    const place = await organization()
    const person = await signedIn(place)
    const { session } = succeeded(await ask(person))
    await endings()
    expect(await eventsOf(place.subOrgId, 'impersonation.ended')).toEqual([])
    await end(place, person.id, session.id)
    // If very many sessions end at once, most are marked as ended later.
    if (name.includes('cut-off') || name.includes('organization'))
      await db.updateTable('sessions').set({ revoked_at: null }).where('id', '=', session.id).execute()
    expect((await bearing(app, session.access_token).get('/v1/me')).status).toBe(401)
    await Promise.all([endings(), endings()])
    await endings()
    expect(await eventsOf(place.subOrgId, 'impersonation.ended')).toMatchObject([
      {
        actor_type: 'system',
        target_id: session.id,
        data: {
          id: session.id,
          user_id: person.session.user_id,
          directory_user_id: person.id,
          impersonator: act,
          ended: name === 'expired' ? 'expired' : 'revoked',
        },
      },
    ])
  })
})
