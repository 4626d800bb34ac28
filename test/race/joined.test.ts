import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Reply, startApp, until } from '../harness.ts'
import { makeProvenUser, succeeded } from '../people/factors.ts'
import { newUser, type Person, sessionRowsOf } from '../people/people.ts'
import { mailedCode } from '../people/sign-in.ts'
import { recordStatements } from '../rules/sql-recorder.ts'
import { startSecondApp } from '../second-app.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform
/** A second service, whose connections have settings of their own. */
async function startWith(settings: Record<string, string>) {
  const url = new URL(app.databaseUrl)
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value)
  return (await startSecondApp({ ...app, databaseUrl: url.href })).as(tenant.key)
}

// Who waits for a lock there waits until it is released: what must not be held up would never end otherwise.
const patient = await startWith({ lock_timeout: '0', statement_timeout: '0' })
const callers = [app.as(tenant.key), patient]

interface Sent extends Person {
  otp_id: string
  code: string
}

const times = (count: number) => Array.from({ length: count }, (_, i) => i)

/** A user to whom a code was mailed: one whose mailbox was proved before, or who proves it with the code. */
async function newSent(subOrgId: string, isProven = true): Promise<Sent> {
  const user = isProven
    ? { subOrgId, ...(await makeProvenUser(tenant, subOrgId)) }
    : await newUser(tenant, { subOrgId })
  const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: user.email }))
  return { ...user, otp_id, code: await mailedCode(app, user.email) }
}

const verify = ({ subOrgId, email, otp_id, code }: Sent, caller = patient) =>
  caller.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })

const statusesOf = (replies: Reply[]) => replies.map(({ status }) => status)

const codeOf = ({ otp_id }: Sent) =>
  db.selectFrom('otps').select(['attempts', 'used_at']).where('id', '=', otp_id).executeTakeFirstOrThrow()

const directoryIdOf = async ({ id }: Sent) =>
  (await db.selectFrom('users').select('directory_id').where('id', '=', id).executeTakeFirstOrThrow()).directory_id

const eventsOf = ({ id }: Sent, type: string) =>
  db.selectFrom('events').select('id').where('type', '=', type).where('target_id', '=', id).execute()

/** Locks a row by a transaction of its own. Returns what ends that. */
async function lockRow(
  table: 'users' | 'otps' | 'directories' | 'sessions',
  id: string,
): Promise<() => Promise<unknown>> {
  const client = new pg.Client({ connectionString: app.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query(`select from ${table} where id = $1 for update`, [id])
  return () => client.query('rollback')
}

/** Whether another transaction has locked a row. */
async function isHeld(table: 'users', id: string): Promise<boolean> {
  const free = await db.selectFrom(table).select('id').where('id', '=', id).forUpdate().skipLocked().execute()
  return free.length === 0
}

/** How many statements wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows[0]?.count ?? 0
}

/** Makes the database refuse every session of a user. Returns what ends that, and tells how often it was tried. */
async function refuseSessionsOf(userId: string): Promise<() => Promise<number>> {
  // A sequence goes on counting in what is rolled back.
  await sql`create sequence refusals`.execute(db)
  const body = `begin
    if new.user_id = '${userId}' then raise exception 'refusal %', nextval('refusals'); end if;
    return new;
  end`
  await sql`create function refuse() returns trigger language plpgsql as ${sql.lit(body)}`.execute(db)
  await sql`create trigger refused before insert on sessions for each row execute function refuse()`.execute(db)
  return async () => {
    const { rows } = await sql<{ count: number }>`select last_value as count from refusals`.execute(db)
    await sql`drop function refuse() cascade`.execute(db)
    await sql`drop sequence refusals`.execute(db)
    return rows[0]?.count ?? 0
  }
}

test('of 60 wrong guesses at once, by two services, as many are counted and judged as the code allows', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, max_attempts: 3 }))
  const sent = await newSent(subOrgId)
  const guesses = times(60).map((i) => verify({ ...sent, code: `wrong words${i}` }, callers[i % 2]))
  const codes = (await Promise.all(guesses)).map((reply) => reply.body.code)
  expect(codes.filter((code) => code === 'otp_invalid')).toHaveLength(3)
  expect(codes.filter((code) => code === 'otp_too_many_attempts')).toHaveLength(57)
  expect(await codeOf(sent)).toEqual({ attempts: 3, used_at: null })
})

test('a hundred first sign-ins by one code at once, on two services, prove the mailbox once', async () => {
  const sent = await newSent(await tenant.organization(), false)
  const replies = await Promise.all(times(100).map((i) => verify(sent, callers[i % 2])))
  expect(statusesOf(replies).filter((status) => status === 200)).toHaveLength(1)
  expect(await sessionRowsOf(db, sent.id)).toHaveLength(1)
  expect(await eventsOf(sent, 'user.email_verified')).toHaveLength(1)
})

test('one link in 50 requests at once gives one session, also where the statement is planned otherwise', async () => {
  // Nested loops would lock and write each row before they look at the next.
  const caller = await startWith({ options: '-c enable_nestloop=off' })
  const user = await newSent(await tenant.organization())
  const { subOrgId, email } = user
  const link = await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email, deliver: false })
  const token_hash = new URL(succeeded(link).url).searchParams.get('token_hash')
  const body = { subOrgId, email, token_hash }
  const replies = await Promise.all(times(50).map(() => caller.post('/v1/auth/login/magic-link/verify', body)))
  expect(statusesOf(replies).filter((status) => status === 200)).toHaveLength(1)
  expect(await sessionRowsOf(db, user.id)).toHaveLength(1)
})

/** Lets sign-ins gather behind one that waits, so that they share the next statement. Returns what lets it go on. */
async function holdStatement(isProven = true): Promise<() => Promise<unknown>> {
  const first = await newSent(await tenant.organization(), isProven)
  const body = 'begin perform from directories where id = new.directory_id for key share; return new; end'
  await sql`create function hold() returns trigger language plpgsql as ${sql.lit(body)}`.execute(db)
  await sql`create trigger held before insert on sessions for each row execute function hold()`.execute(db)
  const release = await lockRow('directories', await directoryIdOf(first))
  const reply = verify(first, isProven ? patient : app.as(tenant.key))
  await until(async () => (await countWaiting()) === 1)
  return async () => {
    await release()
    succeeded(await reply)
    await sql`drop function hold() cascade`.execute(db)
  }
}

test('a session that cannot be written fails alone, and leaves its code', async () => {
  const subOrgId = await tenant.organization()
  const people = await Promise.all(times(20).map(() => newSent(subOrgId)))
  const [failing] = people.slice(10)
  if (!failing) throw new Error('Nobody fails')
  const allow = await refuseSessionsOf(failing.id)
  const release = await holdStatement()
  const asked = Promise.all(people.map((sent) => verify(sent)))
  const attempts = async () => (await Promise.all(people.map(codeOf))).map((code) => code.attempts)
  await until(async () => (await attempts()).every((count) => count === 1))
  await release()
  expect(statusesOf(await asked)).toEqual(people.map((sent) => (sent === failing ? 500 : 200)))
  expect(await codeOf(failing)).toEqual({ attempts: 1, used_at: null })
  expect(await sessionRowsOf(db, failing.id)).toEqual([])
  expect(await allow(), 'tries: together with others, and alone').toBe(2)
  succeeded(await verify(failing))
})

test('a first sign-in whose session cannot be written proves nothing, and tells of no proof', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 7 }))
  const sent = await newSent(subOrgId, false)
  const allow = await refuseSessionsOf(sent.id)
  expect((await verify(sent)).status).toBe(500)
  const isVerified = async () =>
    (await db.selectFrom('users').select('email_verified').where('id', '=', sent.id).executeTakeFirstOrThrow())
      .email_verified
  expect([await isVerified(), (await eventsOf(sent, 'user.email_verified')).length]).toEqual([false, 0])
  const grace = () => db.selectFrom('mfa_grace').select('user_id').where('user_id', '=', sent.id).execute()
  expect(await grace(), 'no time runs yet').toEqual([])
  await allow()
  succeeded(await verify(sent))
  expect([await isVerified(), (await eventsOf(sent, 'user.email_verified')).length]).toEqual([true, 1])
  expect(await grace()).toHaveLength(1)
})

test('of a code and a link at once one is the first proof of the mailbox, which comes once', async () => {
  const sent = await newSent(await tenant.organization(), false)
  const { subOrgId, email, id } = sent
  const link = succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email, deliver: false }))
  const token_hash = new URL(link.url).searchParams.get('token_hash')
  const byLink = patient.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash })
  const statuses = statusesOf(await Promise.all([verify(sent, app.as(tenant.key)), byLink]))
  // Whoever read the user before the proof of the other is refused, and so is a link that the other took away.
  expect(statuses).toContain(200)
  const user = await db.selectFrom('users').select(['epoch', 'version']).where('id', '=', id).executeTakeFirstOrThrow()
  expect(user).toEqual({ epoch: 1, version: 2 })
  expect(await eventsOf(sent, 'user.email_verified')).toHaveLength(1)
  expect((await sessionRowsOf(db, id)).length).toBe(statuses.filter((status) => status === 200).length)
})

test('first sign-ins share their statements, and each tells of its own proof', async () => {
  const subOrgId = await tenant.organization()
  const people = await Promise.all(times(20).map(() => newSent(subOrgId, false)))
  const release = await holdStatement(false)
  let replies: Reply[] = []
  const texts = await recordStatements(async () => {
    const asked = Promise.all(people.map((sent) => verify(sent, app.as(tenant.key))))
    const attempts = async () => (await Promise.all(people.map(codeOf))).map((code) => code.attempts)
    await until(async () => (await attempts()).every((count) => count === 1))
    await release()
    replies = await asked
  })
  expect(statusesOf(replies)).toEqual(times(20).map(() => 200))
  expect(texts.filter((text) => text.includes('insert into sessions')).length).toBeLessThan(5)
  const ids = people.map(({ id }) => id)
  const users = await db
    .selectFrom('users')
    .select(['epoch', 'version', 'email_verified'])
    .where('id', 'in', ids)
    .execute()
  expect(users).toEqual(times(20).map(() => ({ epoch: 1, version: 2, email_verified: true })))
  const told = await Promise.all(people.map((sent) => eventsOf(sent, 'user.email_verified')))
  expect(told.map((events) => events.length)).toEqual(times(20).map(() => 1))
})

test('the user of a first sign-in is held before the statement that looks for what was set up', async () => {
  const sent = await newSent(await tenant.organization(), false)
  const held: boolean[] = []
  const { query } = pg.Client.prototype
  Object.assign(pg.Client.prototype, {
    async query(this: pg.Client, ...args: unknown[]) {
      const isSpend = (JSON.stringify(args[0]) ?? '').includes('insert into sessions')
      if (isSpend) held.push(await isHeld('users', sent.id))
      return Reflect.apply(query, this, args)
    },
  })
  onTestFinished(() => void Object.assign(pg.Client.prototype, { query }))
  succeeded(await verify(sent, app.as(tenant.key)))
  expect(held).toEqual([true])
})

test('what is set while a first sign-in waits for its user is taken away by it', async () => {
  const sent = await newSent(await tenant.organization(), false)
  const client = new pg.Client({ connectionString: app.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query('select from users where id = $1 for update', [sent.id])
  const stranger =
    "insert into password_credentials (directory_id, user_id, hash, format) values ($1, $2, 'x', 'argon2id')"
  await client.query(stranger, [await directoryIdOf(sent), sent.id])
  const reply = verify(sent)
  await until(async () => (await countWaiting()) === 1)
  await client.query('commit')
  expect((await reply).status).toBe(200)
  const left = await db.selectFrom('password_credentials').select('user_id').where('user_id', '=', sent.id).execute()
  expect(left).toEqual([])
})

test.each([
  ['user', 'users', (sent: Sent) => sent.id],
  ['code', 'otps', (sent: Sent) => sent.otp_id],
] as const)('a sign-in whose %s another transaction holds waits alone', async (_name, table, idOf) => {
  const waiting = await newSent(await tenant.organization())
  const other = await tenant.organization()
  const people = await Promise.all(times(20).map(() => newSent(other)))
  const release = await lockRow(table, idOf(waiting))
  let answered = false
  const reply = verify(waiting).finally(() => {
    answered = true
  })
  const beside = await Promise.all(people.slice(10).map((sent) => verify(sent)))
  await until(async () => (await countWaiting()) === 1)
  const after = await Promise.all(people.slice(0, 10).map((sent) => verify(sent)))
  expect(statusesOf([...beside, ...after])).toEqual(Array(20).fill(200))
  expect([answered, await countWaiting()]).toEqual([false, 1])
  expect(await sessionRowsOf(db, waiting.id)).toEqual([])
  await release()
  expect((await reply).status).toBe(200)
  expect(await sessionRowsOf(db, waiting.id)).toHaveLength(1)
})

test('a refresh whose session another transaction holds waits alone', async () => {
  const [subOrgId, other] = [await tenant.organization(), await tenant.organization()]
  const signIn = async (subOrgId: string) => succeeded(await verify(await newSent(subOrgId))).session
  const refresh = (subOrgId: string, refresh_token: string) =>
    patient.post('/v1/auth/token/refresh', { subOrgId, refresh_token })
  const held = await signIn(subOrgId)
  const tokens = (await Promise.all(times(10).map(() => signIn(other)))).map((session) => session.refresh_token)
  const release = await lockRow('sessions', decodeJwt<{ sid: string }>(held.access_token).sid)
  const reply = refresh(subOrgId, held.refresh_token)
  const beside = await Promise.all(tokens.slice(5).map((token) => refresh(other, token)))
  await until(async () => (await countWaiting()) === 1)
  const after = await Promise.all(tokens.slice(0, 5).map((token) => refresh(other, token)))
  expect(statusesOf([...beside, ...after])).toEqual(Array(10).fill(200))
  await release()
  expect((await reply).status).toBe(200)
})

test('a cut-off waits for a code that is being tried, and ends it', async () => {
  const sent = await newSent(await tenant.organization())
  const release = await lockRow('otps', sent.otp_id)
  const { subOrgId, id } = sent
  const cutOff = patient.put(`/v1/users/${id}/password`, { subOrgId, password: 'correct horse battery staple' })
  await until(async () => (await countWaiting()) === 1)
  await release()
  expect((await cutOff).status).toBe(200)
  const refused = await verify(sent)
  expect([refused.status, refused.body.code]).toEqual([401, 'otp_expired'])
})
