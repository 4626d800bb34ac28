import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startWorker } from '../../src/platform/jobs/worker.ts'
import { jobs } from '../../src/wiring/jobs.ts'
import { routes } from '../../src/wiring/routes.ts'
import { type Reply, startApp, until } from '../harness.ts'
import { newEmail } from '../people/people.ts'
import { mailedCode, signedInUser, signIn } from '../people/sign-in.ts'
import { useFactors } from './factor-secrets.ts'
import { sampleOf, sendSample } from './samples.ts'
import { useMailboxMethods } from './secrets.ts'
import { makeWorld } from './world.ts'

const app = await startApp()
const { platform } = app.app
const tenant = await app.tenant()

// Columns with password hashes; nothing else in these tables is left out.
const HASHES = ['public.password_credentials', 'public.password_history']

/** Every row of every table of ours and of the job queue, as text. */
async function dumpDatabase(): Promise<string> {
  const tables = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'graphile_worker')`.execute(platform.db)
  const texts = []
  for (const { name } of tables.rows) {
    const row = HASHES.includes(name) ? sql`to_jsonb(t) - 'hash'` : sql`t`
    const rows = await sql<{ text: string }>`select (${row})::text as text from ${sql.raw(name)} t`.execute(platform.db)
    texts.push(...rows.rows.map((row) => row.text))
  }
  return texts.join('\n')
}

const canary = () => `canary-${randomBytes(12).toString('hex')}`

/** Sends made-up secrets to every route, in each place where callers put secrets. Returns them and the answers. */
async function sendCanaries(): Promise<{ secrets: string[]; replies: Reply[] }> {
  const secrets: string[] = []
  const replies: Reply[] = []
  const fresh = () => {
    const secret = canary()
    secrets.push(secret)
    return secret
  }
  const subOrgId = await tenant.organization()
  for (const route of routes) {
    const path = route.path.replaceAll(/\{\w+\}/g, () => fresh())
    const fields = Object.keys(route.body?.properties ?? {}).filter((name) => name !== 'subOrgId')
    const body = JSON.stringify({ subOrgId, ...Object.fromEntries(fields.map((name) => [name, fresh()])) })
    for (const key of [tenant.key, fresh()]) {
      const headers = {
        'x-api-key': key,
        ...(key === tenant.key ? {} : { authorization: `Bearer ${key}` }),
        cookie: `session=${fresh()}`,
        ...(route.method === 'GET' ? {} : { 'content-type': 'application/json' }),
      }
      const url = `${app.baseUrl}${path}?token=${fresh()}`
      const payload = route.method === 'GET' || route.method === 'DELETE' ? null : body
      const response = await fetch(url, { method: route.method, headers, body: payload })
      replies.push({ status: response.status, headers: response.headers, text: await response.text(), body: null })
    }
    await app.as(tenant.key).post(path, `{"password": "${fresh()}`)
  }
  return { secrets, replies }
}

// Names of fields in which callers send secrets.
const SECRET_FIELD = /password|code$|token|secret|signature|clientDataJSON|attestationObject|authenticatorData/i

/** The same with a canary for each secret in it, however deep. */
function withCanaries(value: unknown, fresh: () => string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' && SECRET_FIELD.test(name) ? fresh() : withCanaries(inner, fresh),
    ]),
  )
}

/** Sends requests that would succeed, but for the secrets: so those reach whatever judges them. */
async function sendWrongSecrets(): Promise<{ secrets: string[]; replies: Reply[] }> {
  const secrets: string[] = []
  const replies: Reply[] = []
  const fresh = () => {
    const secret = canary()
    secrets.push(secret)
    return secret
  }
  const world = await makeWorld(app, await app.tenant())
  for (const route of routes.filter(({ auth, body }) => auth === 'key' && body)) {
    const sample = sampleOf(route, world)
    const before = secrets.length
    const body = JSON.stringify(withCanaries(sample.body ?? {}, fresh))
    if (secrets.length === before) continue
    replies.push(
      await sendSample(world.scoped, route, sample, { text: body, headers: { 'x-trusted-device': fresh() } }),
    )
  }
  return { secrets, replies }
}

/** Every password hash, which may only be in its own column. */
async function storedHashes(): Promise<string[]> {
  const present = platform.db.selectFrom('password_credentials').select('hash')
  const rows = await present.unionAll(platform.db.selectFrom('password_history').select('hash')).execute()
  return rows.map(({ hash }) => hash)
}

test('no secret of a real sign-in, and nothing a caller sends as one, reaches logs, metrics or plain columns', async () => {
  const worker = await startWorker(platform, jobs)
  const factors = await useFactors(tenant)
  const subOrgId = await tenant.organization()
  const { session, email } = await signedInUser(app, tenant, subOrgId, newEmail())
  const loginCode = await mailedCode(app, email)
  const refreshed = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token })
  const generated = await tenant.post('/v1/otp/generate', { subOrgId, email: newEmail() })
  await tenant.post('/v1/otp/validate', { subOrgId, otp_id: generated.body.otp_id, code: generated.body.code })
  const minted = await tenant.post('/v1/api-keys', { name: 'canary', scopes: ['users.read'] })
  const rotated = await tenant.post(`/v1/api-keys/${minted.body.apiKey.id}/rotate`, {})
  await app.advance(61)
  const last = await signIn(app, tenant, subOrgId, email)
  await tenant.post('/v1/auth/token/introspect', { token: last.access_token })
  const used = await useMailboxMethods(app, tenant)
  const hashes = await storedHashes()
  const made = await sendCanaries()
  const wrong = await sendWrongSecrets()
  const secrets = [
    tenant.key,
    minted.body.key,
    rotated.body.key,
    session.access_token,
    session.refresh_token,
    refreshed.body.session.access_token,
    refreshed.body.session.refresh_token,
    last.access_token,
    last.refresh_token,
    loginCode,
    await mailedCode(app, email),
    generated.body.code,
    app.masterKeyText,
    ...made.secrets,
    ...wrong.secrets,
    ...factors.secrets,
    ...used.passwords,
    ...used.hashes,
    ...used.tokens,
    ...hashes,
  ]
  expect(secrets.every((secret) => typeof secret === 'string' && secret.length > 6)).toBe(true)
  expect(secrets.length).toBeGreaterThan(40)
  await until(
    async () =>
      (await sql`select 1 from graphile_worker.jobs where attempts = 0`.execute(platform.db)).rows.length === 0,
  )
  await worker.stop(1000)

  const logs = app.logLines.join('')
  const database = await dumpDatabase()
  const metrics = await app.app.metrics.registry.metrics()
  expect(app.logLines.length).toBeGreaterThan(100)
  expect(database).toContain(email)
  expect([used.passwords.length > 15, used.tokens.length > 8, hashes.length > 6]).toEqual([true, true, true])
  for (const secret of secrets) {
    expect(logs.includes(secret), 'a secret in the log').toBe(false)
    expect(metrics.includes(secret), 'a secret in the metrics').toBe(false)
    expect(database.includes(secret), 'a secret in the database').toBe(false)
    // As a column of bytes shows it.
    expect(database.includes(Buffer.from(secret).toString('hex')), 'a secret in the database').toBe(false)
  }
  expect(wrong.replies.length).toBeGreaterThan(15)
  const judged = wrong.replies.filter(({ body }) => body.code !== 'invalid_request')
  expect(judged.length, 'most are judged, not refused by their form').toBeGreaterThan(wrong.replies.length / 2)
  expect(factors.secrets.length).toBeGreaterThan(50)
  expect(logs).not.toMatch(/@example\.com/)
  expect(metrics).not.toMatch(/@example\.com/)
  const sent = [...made.secrets, ...wrong.secrets]
  const echoed = [...made.replies, ...wrong.replies].filter(
    (reply) => reply.status >= 400 && sent.some((secret) => reply.text.includes(secret)),
  )
  expect(echoed.map((reply) => reply.text)).toEqual([])
  expect(made.replies.every((reply) => reply.status < 500)).toBe(true)
  // Tokens appear in answers where they belong; a password or a hash never does.
  const told = [...used.replies, ...factors.replies].join('\n')
  expect(
    [...used.passwords, ...used.hashes, ...hashes, ...factors.secrets].filter((secret) => told.includes(secret)),
  ).toEqual([])
})

test('the private halves of signing keys and data keys are sealed', async () => {
  const database = await dumpDatabase()
  expect(database).toContain('BEGIN PUBLIC KEY')
  expect(database).not.toContain('PRIVATE KEY')
  const rows = await platform.db.selectFrom('signing_keys').select('private_key_sealed').execute()
  expect(rows.every((row) => row.private_key_sealed.startsWith('v1.'))).toBe(true)
})
