import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { loginErrors } from '../../src/features/access/login/errors.ts'
import { type Gate, gates as loginGates } from '../../src/features/access/login/gates.ts'
import { hashIdentity } from '../../src/platform/crypto/identity.ts'
import { defineCondition } from '../../src/platform/joined/proofs.ts'
import { sqlText } from '../../src/platform/joined/sql-text.ts'
import { gates } from '../../src/wiring/gates.ts'
import { methods } from '../../src/wiring/sign-in-methods.ts'
import { freshPassword } from '../fresh.ts'
import { type Reply, startApp, type Tenant } from '../harness.ts'
import { signInByLink, succeeded } from '../people/factors.ts'
import { newEmail } from '../people/people.ts'
import { mailedCode, mailedLink } from '../people/sign-in.ts'
import { PASSWORD } from '../people/team.ts'
import { giveApp, type OwnPerson, signedInMember, signInAgain, teamWorld } from './own-world.ts'
import { type SampleRequest, sendSample } from './samples.ts'
import { entryBy, waysIn } from './ways-in.ts'
import { makeWorld, makeWorldFor, type World } from './world.ts'

const app = await startApp()
const { platform } = app.app
const creating = waysIn.filter(([name]) => name !== 'POST /v1/auth/token/refresh')

/** Runs with another gate behind those of the product. */
async function behind<T>(gate: Gate, run: () => Promise<T>): Promise<T> {
  loginGates.provide(platform, [...gates, gate])
  try {
    return await run()
  } finally {
    loginGates.provide(platform, gates)
  }
}

async function countOf(table: 'sessions' | 'mfa_challenges', world: World): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} join directories on directories.id = directory_id
    where organization_id = ${world.ids.organization}`.execute(platform.db)
  return rows[0]?.count ?? 0
}

test('the ways in are found by what they answer', () => {
  expect(waysIn.map(([name]) => name).sort()).toEqual([
    'POST /v1/auth/discovery/exchange',
    'POST /v1/auth/invite/accept',
    'POST /v1/auth/login/magic-link/verify',
    'POST /v1/auth/login/otp/verify',
    'POST /v1/auth/login/passkey/verify',
    'POST /v1/auth/login/password',
    'POST /v1/auth/password/reset/confirm',
    'POST /v1/auth/signup',
    'POST /v1/auth/signup/authenticate-email/verify',
    'POST /v1/auth/signup/otp/verify',
    'POST /v1/auth/signup/password',
    'POST /v1/auth/token/exchange',
    'POST /v1/auth/token/refresh',
    'POST /v1/mfa/challenge/verify',
    'PUT /v1/mfa/totp',
  ])
})

test.each(waysIn)('%s: a gate that refuses stops it, and the proof stays good', async (name, route) => {
  const world = await makeWorldFor(app, await app.tenant(), route)
  const sample = await entryBy(route, world)
  const before = await countOf('sessions', world)
  const closed: Gate = {
    evaluate: async () => {
      throw loginErrors.userInactive({ detail: 'Closed by a test.' })
    },
  }
  const refused = await behind(closed, () => sendSample(world.scoped, route, sample))
  expect([refused.status, refused.body.detail], refused.text).toEqual([403, 'Closed by a test.'])
  expect(await countOf('sessions', world)).toBe(before)
  // The options of a passkey are good for one attempt, whatever its outcome (WebAuthn Level 3 §13.4.3).
  if (name === 'POST /v1/auth/login/passkey/verify') return
  const reply = await sendSample(world.scoped, route, sample)
  expect(reply.status, reply.text).toBe(200)
  expect(JSON.stringify(reply.body)).toMatch(/"refresh_token"|"challenge_token"/)
})

/** Locks every address of the organization, and the user who has it, as guesses from everywhere do. */
async function lockEverybody(world: World, sample: SampleRequest): Promise<void> {
  const { db } = platform
  const { id } = await db
    .selectFrom('directories')
    .select('id')
    .where('organization_id', '=', world.ids.organization)
    .executeTakeFirstOrThrow()
  const users = await db.selectFrom('users').select('email_norm').where('directory_id', '=', id).execute()
  const { email } = Object.assign({ email: 'ada@example.com' }, sample.body)
  for (const norm of new Set([...users.map((user) => user.email_norm), String(email).toLowerCase()]))
    await sql`insert into lockouts (directory_id, identity, network, failures, locked_until)
      values (${id}, ${hashIdentity(platform, norm)}, '', 10, clock_now() + interval '1 hour')`.execute(db)
  await sql`update users set locked_until = clock_now() + interval '1 hour' where directory_id = ${id}`.execute(db)
}

test.each(waysIn)(
  '%s: a lock of the password stops it alone, and with lockout_scope all every way in',
  async (name, route) => {
    const world = await makeWorldFor(app, await app.tenant(), route)
    const sample = await entryBy(route, world)
    await lockEverybody(world, sample)
    const isGuessed = name === 'POST /v1/auth/login/password'
    succeeded(await world.scoped.patch('/v1/auth/settings', { lockout_scope: 'all' }))
    // The options of a passkey are good for one attempt, whatever its outcome (WebAuthn Level 3 §13.4.3).
    if (name !== 'POST /v1/auth/login/passkey/verify') {
      const refused = await sendSample(world.scoped, route, sample)
      expect([refused.status, refused.body.code], refused.text).toEqual([429, 'account_locked'])
    }
    succeeded(await world.scoped.patch('/v1/auth/settings', { lockout_scope: null }))
    const reply = await sendSample(world.scoped, route, sample)
    expect([reply.status, reply.body.code], reply.text).toEqual(isGuessed ? [429, 'account_locked'] : [200, undefined])
  },
)

test('every session and challenge is of a method on the list', async () => {
  const { rows } = await sql<{ auth_method: string }>`
    select auth_method from sessions union select auth_method from mfa_challenges`.execute(platform.db)
  const ids = methods.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(rows.length).toBeGreaterThan(4)
  expect(ids).toEqual(expect.arrayContaining(rows.map((row) => row.auth_method)))
})

const changedSince = defineCondition({
  name: 'changed-since',
  columns: {},
  holds: () => sqlText`users.role = 'changed since'`,
})

// As if the user's role had been changed by another request since the gate has read it.
const outdated: Gate = {
  evaluate: async () => {
    const conditions = [changedSince({})]
    return { kind: 'pass', conditions, deviceId: null, events: [], reply: {} }
  },
}

test.each(creating)('%s: what a gate decided by is compared again as the session is written', async (_, route) => {
  const world = await makeWorldFor(app, await app.tenant(), route)
  const sample = await entryBy(route, world)
  const before = [await countOf('sessions', world), await countOf('mfa_challenges', world)]
  const reply = await behind(outdated, () => sendSample(world.scoped, route, sample))
  expect([reply.status >= 400 && reply.status < 500, reply.body.session], reply.text).toEqual([true, undefined])
  expect([await countOf('sessions', world), await countOf('mfa_challenges', world)]).toEqual(before)
})

test('a challenge depends on what the gates before have decided by', async () => {
  const world = await makeWorld(app, await app.tenant())
  const before = await countOf('mfa_challenges', world)
  loginGates.provide(platform, [outdated, ...gates])
  const refused = await signInByLink(world.scoped, world.factorEmail)
  loginGates.provide(platform, gates)
  expect([refused.status, refused.body.code]).toEqual([400, 'token_invalid'])
  expect(await countOf('mfa_challenges', world)).toBe(before)
  expect(succeeded(await signInByLink(world.scoped, world.factorEmail)).mfa_required).toBe(true)
  expect(await countOf('mfa_challenges', world)).toBe(before + 1)
})

// Nobody is there before they sign up.
const NEWCOMERS = [
  'POST /v1/auth/signup',
  'POST /v1/auth/signup/authenticate-email/verify',
  'POST /v1/auth/signup/password',
]
const known = waysIn.filter(([name]) => !NEWCOMERS.includes(name))

type State = (world: World, userIds: string[], tenant: Tenant) => Promise<void>

/** What may have become of a user whose proof was made before. By SQL where the proof is to stay as it was. */
const states: Record<string, State> = {
  async inactive(_, ids) {
    await platform.db.updateTable('users').set({ active: false }).where('id', 'in', ids).execute()
  },
  async locked(_, ids) {
    const lock = { access_locked_at: new Date(), access_lock_reason: 'A test' }
    await platform.db.updateTable('users').set(lock).where('id', 'in', ids).execute()
  },
  async 'locked by an administrator'({ scoped }, ids) {
    for (const id of ids) succeeded(await scoped.post(`/v1/users/${id}/lock`, { reason: 'A test' }))
  },
  async deleted(_, ids) {
    await platform.db.updateTable('users').set({ deleted_at: new Date() }).where('id', 'in', ids).execute()
  },
  async 'deactivated, and activated again'({ scoped }, ids) {
    for (const id of ids)
      for (const active of [false, true]) succeeded(await scoped.patch(`/v1/users/${id}`, { active }))
  },
  async 'moved to another organization'({ ids: { organization } }, ids, tenant) {
    const targetSubOrgId = await tenant.organization()
    for (const id of ids) succeeded(await tenant.post(`/v1/users/${id}`, { subOrgId: organization, targetSubOrgId }))
  },
}

/** What a right proof is answered. */
const codes: Record<string, string> = { inactive: 'user_inactive', locked: 'user_locked' }

// A password and a passkey stay theirs.
const LASTING = ['POST /v1/auth/login/password', 'POST /v1/auth/login/passkey/verify']

// Whose address is anybody's again: a code that was sent to it makes another user.
const SIGN_UP_BY_CODE = 'POST /v1/auth/signup/otp/verify'
const LEAVING = ['deleted', 'moved to another organization']

describe.each(Object.entries(states))('a user who is %s', (state, bring) => {
  const isWayIn = (name: string) =>
    !(state.includes('again') && LASTING.includes(name)) && !(LEAVING.includes(state) && name === SIGN_UP_BY_CODE)
  test.each(known.filter(([name]) => isWayIn(name)))('%s: does not come in', async (name, route) => {
    const tenant = await app.tenant()
    const world = await makeWorldFor(app, tenant, route)
    const sample = await entryBy(route, world)
    // Of a sign-up by code there is nobody until it is redeemed, unless somebody has come to the address meanwhile.
    if (name === SIGN_UP_BY_CODE) succeeded(await world.scoped.post('/v1/users', { email: sample.body?.['email'] }))
    const { users } = succeeded(await world.scoped.get('/v1/users?limit=1000'))
    await bring(
      world,
      users.map(({ id }: { id: string }) => id),
      tenant,
    )
    const before = await liveSessions(tenant)
    const reply = await sendSample(world.scoped, route, sample)
    expect([reply.status >= 400 && reply.status < 500, reply.body.session], reply.text).toEqual([true, undefined])
    const code = codes[state]
    if (code) expect(reply.body.code).toBe(code)
    expect(await liveSessions(tenant)).toEqual(before)
  })
})

/** The live sessions of every organization, with how often each was refreshed. */
async function liveSessions({ accountId }: Tenant) {
  const { rows } = await sql`
    select sessions.id, generation from sessions join directories on directories.id = directory_id
    where account_id = ${accountId} and revoked_at is null order by sessions.id`.execute(platform.db)
  return rows
}

describe('the second factor of the team', () => {
  type Begin = (tenant: Tenant, member: OwnPerson) => Promise<() => Promise<Reply>>
  const subOrgId = 'team'
  /** Every way in of the team that proves one factor. */
  const oneFactor: Record<string, Begin> = {
    'POST /v1/auth/login/otp/verify': async (tenant, { email }) => {
      const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
      const body = { subOrgId, email, otp_id, code: await mailedCode(app, email) }
      return () => tenant.post('/v1/auth/login/otp/verify', body)
    },
    'POST /v1/auth/login/password': async (tenant, { email }) => {
      const body = { subOrgId, email, password: PASSWORD }
      return () => tenant.post('/v1/auth/login/password', body)
    },
    'POST /v1/auth/password/reset/confirm': async (tenant, { email }) => {
      succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId, email }))
      const { token_hash } = await mailedLink(app, email, 'password_reset')
      const body = { subOrgId, email, token_hash, password: freshPassword() }
      return () => tenant.post('/v1/auth/password/reset/confirm', body)
    },
    'POST /v1/auth/token/refresh': async (tenant, { session: { refresh_token } }) => {
      return () => tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })
    },
    'POST /v1/auth/invite/accept': async (tenant) => {
      const email = newEmail()
      succeeded(await tenant.post('/v1/members/invites', { email, role: 'admin' }))
      const { token_hash: token } = await mailedLink(app, email, 'invite')
      return () => tenant.post('/v1/auth/invite/accept', { subOrgId, token, password: PASSWORD })
    },
  }
  /** Those that prove both. */
  const bothFactors = ['POST /v1/auth/login/passkey/verify', 'POST /v1/mfa/challenge/verify', 'PUT /v1/mfa/totp']

  test('every sign-in method of the team is listed', () => {
    const ofTeam = waysIn.filter(([, { team }]) => team).map(([name]) => name)
    expect(ofTeam.sort()).toEqual([...Object.keys(oneFactor), ...bothFactors].sort())
  })

  async function newTeam() {
    const tenant = await app.tenant()
    const world = teamWorld(app, tenant)
    return { tenant, owner: await signedInMember(world, 'owner'), member: await signedInMember(world, 'admin') }
  }

  const sessionsOf = async ({ accountId }: Tenant) => {
    const { rows } =
      await sql`select sessions.id, generation from sessions join directories on directories.id = directory_id
      where account_id = ${accountId} order by sessions.id`.execute(platform.db)
    return rows
  }

  // Of an invited member nothing is enrolled, and a session that has begun is not asked.
  const asked = Object.entries(oneFactor).filter(([name]) => !/invite|refresh/.test(name))
  test.each(asked)('%s: is required of a member with a factor', async (_, begin) => {
    const { tenant, member } = await newTeam()
    await giveApp(member)
    const come = await begin(tenant, member)
    const before = await sessionsOf(tenant)
    expect(succeeded(await come())).toMatchObject({ session: null, mfa_required: true, methods: ['totp'] })
    expect(await sessionsOf(tenant)).toEqual(before)
  })

  test.each(Object.entries(oneFactor))('%s: must be enrolled where it is required', async (_, begin) => {
    const { tenant, owner, member } = await newTeam()
    succeeded(await owner.me.patch('/v1/mfa/policy', { subOrgId, grace_period_days: 0 }))
    // The grace period of a member who has signed in was fixed then.
    await app.advance(6 * 86_400)
    const session = await signInAgain(member)
    await app.advance(86_400 + 3600)
    const come = await begin(tenant, { ...member, session })
    const before = await sessionsOf(tenant)
    expect(succeeded(await come())).toMatchObject({ session: null, enrollment_required: true, methods: ['totp'] })
    expect(await sessionsOf(tenant)).toEqual(before)
  })
})
