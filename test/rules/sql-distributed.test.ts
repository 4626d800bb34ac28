import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { jobs } from '../../src/wiring/jobs.ts'
import { freshEmail } from '../fresh.ts'
import { type Reply, startApp } from '../harness.ts'
import { provisioned, type ScimClient } from '../people/scim.ts'
import { mailedLink, signedInUser } from '../people/sign-in.ts'
import { startSecondApp } from '../second-app.ts'
import { recordStatements } from './sql-recorder.ts'
import { brokenRules } from './sql-rules.ts'

// There is no distributed database here. The service believes that there is one, and sends it what it takes.
const app = await startApp()
const { platform } = app.app
const caller = await app.tenant()
const organizations = await Promise.all(['a', 'b', 'c'].map((slug) => caller.organization(slug)))
platform.database.distributed = true

/** For each organization as often, all at once. Returns the answers, and the statements about a table. */
async function atOnce(times: number, table: string, ask: (subOrgId: string, i: number) => Promise<Reply>) {
  const replies: Reply[] = []
  const statements = await recordStatements(async () => {
    const asked = Array.from({ length: times }, (_, i) => organizations.map((id) => ask(id, i))).flat()
    replies.push(...(await Promise.all(asked)))
  })
  expect(statements.flatMap((text) => brokenRules(text, { distributed: true }))).toEqual([])
  return { replies, statements: statements.filter((text) => text.includes(table)) }
}

test('a start finds out whether the database is distributed', async () => {
  const plain = await startApp()
  expect(plain.app.platform.database.distributed).toBe(false)
  // In place of the extension, which is not here, a list of extensions that names it.
  const { db } = plain.app.platform
  await sql`create schema listed create table pg_extension (extname name)`.execute(db)
  await sql`insert into listed.pg_extension values ('plpgsql'), ('citus')`.execute(db)
  const name = new URL(plain.databaseUrl).pathname.slice(1)
  await sql`alter database ${sql.id(name)} set search_path = listed, public, pg_catalog`.execute(db)
  expect((await startSecondApp(plain)).app.platform.database.distributed).toBe(true)
})

test('codes are made and validated by statements of one directory each', async () => {
  const made = await atOnce(5, 'insert into otps', (subOrgId) =>
    caller.post('/v1/otp/generate', { subOrgId, ttl_seconds: 90 }),
  )
  expect(made.statements.length).toBeGreaterThanOrEqual(organizations.length)
  const codes = made.replies.map(({ body }) => body)
  for (const { expires_at } of codes) expect(new Date(expires_at).getTime()).toBeGreaterThan(Date.now() + 60_000)
  expect(new Set(codes.map(({ otp_id }) => otp_id)).size).toBe(15)
  const codeOf = (subOrgId: string, i: number) => codes[i * organizations.length + organizations.indexOf(subOrgId)]
  const wrong = await atOnce(5, 'update otps', (subOrgId, i) =>
    caller.post('/v1/otp/validate', { subOrgId, otp_id: codeOf(subOrgId, i).otp_id, code: 'not this' }),
  )
  expect(wrong.replies.map(({ body }) => body.valid)).toEqual(Array(15).fill(false))
  const right = await atOnce(5, 'update otps', (subOrgId, i) =>
    caller.post('/v1/otp/validate', { subOrgId, otp_id: codeOf(subOrgId, i).otp_id, code: codeOf(subOrgId, i).code }),
  )
  expect(right.replies.map(({ body }) => body.valid)).toEqual(Array(15).fill(true))
  expect(right.statements.length).toBeGreaterThanOrEqual(organizations.length)
  const again = await atOnce(1, 'update otps', (subOrgId, i) =>
    caller.post('/v1/otp/validate', { subOrgId, otp_id: codeOf(subOrgId, i).otp_id, code: codeOf(subOrgId, i).code }),
  )
  expect(again.replies.map(({ body }) => body.message)).toEqual(Array(3).fill('Code has already been used'))
  const [first, second] = organizations
  const foreign = await caller.post('/v1/otp/validate', {
    subOrgId: second,
    otp_id: codeOf(first ?? '', 1).otp_id,
    code: codeOf(first ?? '', 1).code,
  })
  expect(foreign.body.valid).toBe(false)
})

test('sessions are found and refreshed, and users found, by statements of one directory each', async () => {
  const emails = organizations.map(() => freshEmail())
  const users = await Promise.all(organizations.map((id, i) => signedInUser(app, caller, id, emails[i] ?? '')))
  const userOf = (subOrgId: string) => users[organizations.indexOf(subOrgId)]
  const introspected = await atOnce(3, 'from sessions where directory_id', (subOrgId) =>
    caller.post('/v1/auth/token/introspect', { subOrgId, token: userOf(subOrgId)?.session.access_token }),
  )
  expect(introspected.replies.map(({ body }) => body.active)).toEqual(Array(9).fill(true))
  expect(introspected.statements.length).toBeGreaterThanOrEqual(organizations.length)
  const refreshed = await atOnce(1, 'update sessions', (subOrgId) =>
    caller.post('/v1/auth/token/refresh', { subOrgId, refresh_token: userOf(subOrgId)?.session.refresh_token }),
  )
  expect(refreshed.replies.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(refreshed.statements.length).toBe(organizations.length)
  const found = await atOnce(2, 'users.email_norm = asked.email_norm', (subOrgId) =>
    caller.get(`/v1/users?subOrgId=${subOrgId}&email=${encodeURIComponent(userOf(subOrgId)?.email ?? '')}`),
  )
  expect(found.replies.map(({ body }) => body.users.length)).toEqual(Array(6).fill(1))
  expect(found.statements.length).toBeGreaterThanOrEqual(organizations.length)
})

test('no job locks rows over all directories, and each removes what is over', async () => {
  const left = async () => (await platform.db.selectFrom('otps').select('id').execute()).length
  expect(await left()).toBeGreaterThan(0)
  await app.advance(40 * 86_400)
  const statements = await recordStatements(async () => {
    for (const job of jobs.filter(({ cron }) => cron)) await job.handle(platform, {}, 1)
  })
  const ours = statements.filter((text) => !text.includes('graphile_worker.'))
  expect(ours.flatMap((text) => brokenRules(text, { distributed: true }))).toEqual([])
  expect(ours.filter((text) => /^\s*(delete from|with gone as|update links)/.test(text)).length).toBeGreaterThan(14)
  expect(await left()).toBe(0)
})

test('requests of provisioning are kept by statements of one directory each', async () => {
  const clients = new Map<string, ScimClient>()
  for (const id of organizations) clients.set(id, await provisioned(app, caller, id))
  const read = async (subOrgId: string) =>
    (await clients.get(subOrgId)?.call('GET', '/Users')) ?? caller.get('/v1/users')
  const { statements } = await atOnce(4, 'insert into scim_logs', read)
  expect(statements.length).toBeGreaterThanOrEqual(organizations.length)
  for (const subOrgId of organizations) {
    const { logs } = (await caller.get(`/v1/scim/logs?subOrgId=${subOrgId}`)).body
    expect(logs.map(({ status }: { status: number }) => status)).toEqual([200, 200, 200, 200])
  }
})

/** The place of the first statement that matches. */
function indexOf(statements: string[], pattern: RegExp): number {
  const place = statements.findIndex((text) => pattern.test(text))
  expect(place, String(pattern)).toBeGreaterThanOrEqual(0)
  return place
}

// Of a table that is on every server, Citus locks all rows at once, and inserts into tables that name it wait too.
test('what other connections insert is there before an account or environment is locked', async () => {
  const fresh = await app.tenant()
  const invited = await recordStatements(async () => {
    const reply = await fresh.post('/v1/members/invites', { email: freshEmail(), role: 'member' })
    expect(reply.status).toBe(200)
  })
  const team = indexOf(invited, /from "accounts".* for no key update/s)
  // That of the account, and that of the team.
  const directories = invited.flatMap((text, i) => (/insert into "directories"/.test(text) ? [i] : []))
  expect(directories).toHaveLength(2)
  for (const place of directories) expect(place).toBeLessThan(team)
  expect(indexOf(invited, /insert into "data_keys"/)).toBeLessThan(team)
  const other = await app.tenant()
  const keyed = await recordStatements(async () => {
    expect((await other.get(`/accounts/${other.accountId}/production/.well-known/jwks.json`)).status).toBe(200)
  })
  const environment = indexOf(keyed, /from "environments".* for update/s)
  expect(indexOf(keyed, /insert into "data_keys"/)).toBeLessThan(environment)
})

test('who accepts an invitation to a new team finds its signing keys before the membership changes', async () => {
  const fresh = await app.tenant()
  const email = freshEmail()
  expect((await fresh.post('/v1/members/invites', { email, role: 'member' })).status).toBe(200)
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  const accepted = await recordStatements(async () => {
    const reply = await fresh.post('/v1/auth/invite/accept', {
      subOrgId: 'team',
      token,
      password: `maple ${email} 4711`,
    })
    expect(reply.status).toBe(200)
  })
  const membership = indexOf(accepted, /update "members"/)
  expect(indexOf(accepted, /insert into "signing_keys"/)).toBeLessThan(membership)
})
