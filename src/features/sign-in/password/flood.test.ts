import { availableParallelism } from 'node:os'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { type Mailbox, newEmail, newPasswordUser } from '../../../../test/people/people.ts'
import { parseConfig } from '../../../platform/config/config.ts'
import { withPasswordTurn } from '../../../platform/crypto/password-pool.ts'

// One organization's password hashing must not slow down the others.

const LIMIT_MIB = 128
const app = await startApp({ env: { WATCHWORD_PASSWORD_COST_LIMIT: String(LIMIT_MIB) }, costlyHashes: true })
const tenant = await app.tenant()
const PASSWORD = 'correct horse battery staple'
const COSTLIEST = { password_hash_memory_kib: 65_536, password_hash_iterations: 2 }

const login = ({ subOrgId, email }: Mailbox, password = PASSWORD) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password })

async function costliestOrganization(): Promise<string> {
  const subOrgId = await tenant.organization()
  expect((await tenant.patch('/v1/auth/settings', { subOrgId, ...COSTLIEST })).status).toBe(200)
  return subOrgId
}

const countWaiting = async () => (await app.app.metrics.passwordsWaiting.get()).values[0]?.value

const storedHash = async (userId: string) => {
  const query = app.app.platform.db.selectFrom('password_credentials').select('hash').where('user_id', '=', userId)
  return (await query.executeTakeFirstOrThrow()).hash
}

const THREADS = Math.max(2, availableParallelism())

/** Occupies threads of the pool for directories that do not exist. Returns a function that releases the threads. */
async function takeThreads(count = THREADS, cost = 1) {
  const { platform } = app.app
  const go = Promise.withResolvers<void>()
  const held = Array.from({ length: count }, (_, n) =>
    withPasswordTurn({ platform, directory: { id: `nobody ${n}` } }, cost, () => go.promise),
  )
  onTestFinished(async () => {
    go.resolve()
    await Promise.all(held)
  })
  return () => go.resolve()
}

test('twenty-four sign-ins of the costliest organization at once: another signs in before most of them are answered', async () => {
  const subOrgId = await costliestOrganization()
  const neighbour = await newPasswordUser(tenant, { password: PASSWORD })
  // By now every thread has started.
  const before = await Promise.all(Array.from({ length: 9 }, () => login(neighbour)))
  expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]))
  let answered = 0
  const flood = Array.from({ length: 24 }, async () => {
    const { status } = await login({ subOrgId, email: newEmail() })
    answered++
    return status
  })
  expect((await login(neighbour)).status).toBe(200)
  expect(answered).toBeLessThan(12)
  expect(new Set(await Promise.all(flood)).difference(new Set([401, 503]))).toEqual(new Set())
})

test('who has waited in vain is told to come back, and has spent no attempt', async () => {
  const user = await newPasswordUser(tenant, { password: PASSWORD })
  await tenant.patch('/v1/auth/settings', { subOrgId: user.subOrgId, lockout_max_attempts: 3 })
  const giveBack = await takeThreads()
  const waiting = Array.from({ length: 4 }, () => login(user))
  await until(async () => (await countWaiting()) === waiting.length)
  await app.advance(1.9)
  expect(await countWaiting()).toBe(waiting.length)
  await app.advance(0.1)
  for (const reply of await Promise.all(waiting))
    expect([reply.status, reply.body.code, reply.headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
  giveBack()
  expect((await login(user)).status).toBe(200)
})

test('a request with an Idempotency-Key holds no connection while its hash waits', async () => {
  const { db } = app.app.platform
  const subOrgId = await costliestOrganization()
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email: newEmail() }))
  const set = () =>
    tenant.put(`/v1/users/${user.id}/password`, { subOrgId, password: PASSWORD }, { 'idempotency-key': 'waits' })
  // Occupies all threads that costly hashes may use. The hash that recognizes the retry is a cheap one.
  const giveBack = await takeThreads(THREADS - 1, 1e9)
  const setting = set()
  await until(async () => (await countWaiting()) === 1)
  const claims = await db.selectFrom('idempotency_keys').select('status').where('key', '=', 'waits').execute()
  const { rows } = await sql`
    select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`.execute(
    db,
  )
  expect([claims, rows]).toEqual([[{ status: null }], []])
  giveBack()
  const [first, again] = [await setting, await set()]
  expect([first.status, again.headers.get('idempotent-replayed'), again.text]).toEqual([200, 'true', first.text])
  expect((await login({ subOrgId, email: user.email })).status).toBe(200)
})

test('settings whose hash costs more than the operator allows are refused, and say what is allowed', async () => {
  const subOrgId = await costliestOrganization()
  const more = [
    { password_hash_iterations: 3 },
    { password_hash_memory_kib: 19_456, password_hash_iterations: 7 },
    { password_hash_memory_kib: null, password_hash_iterations: null, password_hash_parallelism: 9 },
  ]
  const replies = await Promise.all(more.map((patch) => tenant.patch('/v1/auth/settings', { subOrgId, ...patch })))
  expect(replies.map(({ status }) => status)).toEqual([400, 400, 400])
  for (const { body } of replies.slice(0, 2)) {
    expect(body.detail).toContain(`must not exceed ${LIMIT_MIB * 1024}`)
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual([
      'password_hash_memory_kib',
      'password_hash_iterations',
    ])
  }
  const fewer = { password_hash_memory_kib: 32_768, password_hash_iterations: 4 }
  expect((await tenant.patch('/v1/auth/settings', { subOrgId, ...fewer })).status).toBe(200)
  expect((await tenant.patch('/v1/auth/settings', { subOrgId, password_min_length: 9 })).status).toBe(200)
})

test('what was set before the operator lowered the limit is brought down to it, and nobody is shut out', async () => {
  const user = await newPasswordUser(tenant, { password: PASSWORD })
  const { config } = app.app.platform
  const { subOrgId } = user
  const own = { password_hash_memory_kib: 262_144, password_hash_iterations: 10 }
  await tenant.patch('/v1/auth/settings', { subOrgId, password_hash_iterations: 3 })
  const { db } = app.app.platform
  await db
    .updateTable('auth_settings')
    .set({ settings: JSON.stringify(own) })
    .where('directory_id', 'in', db.selectFrom('directories').select('id').where('organization_id', '=', subOrgId))
    .execute()
  await app.advance(10)
  expect(config.passwordCostLimit).toBe(LIMIT_MIB)
  expect((await login(user)).status).toBe(200)
  expect(await storedHash(user.id)).toContain('$m=65536,t=2,p=1$')
  expect((await login(user)).status).toBe(200)
  expect((await login(user, 'wrong')).status).toBe(401)
})

test('an imported hash is taken up to the limit, by any algorithm', async () => {
  const subOrgId = await tenant.organization()
  const salt = 'c2FsdHNhbHRzYWx0'
  const bytes = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  const bcrypt = (cost: string) => `$2b$${cost}$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`
  const hashes = [
    ['bcrypt', bcrypt('09'), bcrypt('10')],
    ['argon2id', `$argon2id$v=19$m=65536,t=2,p=1$${salt}$${bytes}`, `$argon2id$v=19$m=65536,t=3,p=1$${salt}$${bytes}`],
    ['argon2', `$argon2i$v=19$m=128,t=1024,p=1$${salt}$${bytes}`, `$argon2i$v=19$m=128,t=1025,p=1$${salt}$${bytes}`],
    ['scrypt', `$scrypt$ln=14,r=8,p=1$${salt}$${bytes}`, `$scrypt$ln=15,r=8,p=1$${salt}$${bytes}`],
    ['pbkdf2', `$pbkdf2-sha256$i=256000$${salt}$${bytes}`, `$pbkdf2-sha256$i=256001$${salt}$${bytes}`],
  ]
  const users = hashes.flatMap(([passwordHashType, ...texts]) =>
    texts.map((passwordHash) => ({ email: newEmail(), passwordHash, passwordHashType })),
  )
  const { body } = await tenant.put('/v1/users', { subOrgId, users })
  expect(body.created).toHaveLength(hashes.length)
  expect(body.failed).toEqual(
    users.filter((_, n) => n % 2 === 1).map(({ email }) => ({ email, error: 'invalid_field:passwordHash' })),
  )
})

test('an imported hash from before the limit was lowered is not computed: a reset is the way in', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const passwordHash = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
  const user = { email, passwordHash, passwordHashType: 'bcrypt', emailVerified: true }
  const { body } = await tenant.put('/v1/users', { subOrgId, users: [user] })
  const [{ id }] = body.created
  const { db } = app.app.platform
  const costly = passwordHash.replace('$05$', '$30$')
  await db.updateTable('password_credentials').set({ hash: costly }).where('user_id', '=', id).execute()
  expect((await login({ subOrgId, email }, 'U*U')).body.code).toBe('invalid_credentials')
  const events = await app.events({ accountId: tenant.accountId, type: 'auth.login.failed' })
  expect(events.at(-1)).toMatchObject({ target_id: id, data: { method: 'password', reason: 'no_password' } })
  await db.updateTable('password_credentials').set({ hash: passwordHash }).where('user_id', '=', id).execute()
  expect((await login({ subOrgId, email }, 'U*U')).status).toBe(200)
})

test('the limit is a whole number of MiB that the least hash fits in', () => {
  const limitOf = (value?: string) => parseConfig({ ...(value ? { WATCHWORD_PASSWORD_COST_LIMIT: value } : {}) })
  expect([limitOf().passwordCostLimit, limitOf('38').passwordCostLimit]).toEqual([1024, 38])
  for (const value of ['37', '2561', '1.5', 'much'])
    expect(() => limitOf(value)).toThrow('WATCHWORD_PASSWORD_COST_LIMIT')
})
