import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { refuseTable } from '../../src/cli/recover-secrets.ts'
import { refusalsOf } from '../../src/cli/recovery-tables.ts'
import { newId } from '../../src/platform/ids.ts'
import { caller, startApp } from '../harness.ts'
import { overtakeOneRow } from '../overtaken-batch.ts'
import { codeOf, enrollTotp, makeProvenUser, signInByLink, succeeded } from '../people/factors.ts'
import { newEmail, newPasswordUser, type Person } from '../people/people.ts'
import { mailedCode, mailedLink, signedInUser } from '../people/sign-in.ts'
import { runCommand, settingsOf } from '../process/cli.ts'
import { startSecondApp } from '../second-app.ts'
import { oneTimeSecrets, type Secret } from './one-time-secrets.ts'
import { signedInMember, teamWorld } from './own-world.ts'

// What a database accepts again that lacks its last transactions, and `watchword recover`.

const app = await startApp()
const { db } = app.app.platform
const tenant = await app.tenant()
const other = await startSecondApp(app)
const recover = () => runCommand(settingsOf(app), 'recover', '--yes', '--json')

/** Tables that hold a secret, or something that ends, and why their rows stay as they are. */
const STAYS: Record<string, string> = {
  api_keys: 'keys that were revoked are valid again: the operator revokes them (`keys list`)',
  audit_blocks: 'digests of events',
  audit_heads: 'digests of events',
  backup_codes: 'codes that were used are valid again: they cannot be told from the others',
  data_keys: 'wrapped by the master key',
  dev_idp_keys: 'a private key of development, which is never presented',
  event_counts: 'counters of failures',
  federated_sessions: 'hold no secret that is presented, and end with their sessions',
  idempotency_keys: 'repeat a response; the secrets in it are refused, and what it reports is in the database',
  impersonations: 'end with their sessions',
  known_devices: 'hold no secret; a device that is forgotten is announced again',
  lockouts: 'counters of failures; a lock that was lost begins again with the next failures',
  logout_tokens: 'a logout token that is presented again only ends sessions',
  mail_outbox: 'discarded by `recover` itself',
  mfa_grace: 'the end of a grace period, which is never presented',
  passkeys: 'only the user has the private key; a lower counter accepts the next assertion',
  password_credentials: 'passwords that were changed are valid again: the operator resets those that leaked',
  password_history: 'compared with new passwords only',
  rate_counters: 'counters of limits',
  saml_assertions: 'assertions that were issued before the recovery are refused by their time',
  scim_logs: 'requests of the past',
  scim_tokens: 'tokens that were rotated are valid again: the operator rotates them',
  sessions: 'ended by epochs, before and after everything else',
  signing_keys: 'a key that was withdrawn is published again: the operator repeats an emergency rotation',
  sms_outbox: 'discarded by `recover` itself',
  social_providers: 'a secret of the provider',
  sp_keys: 'a private key, which is never presented',
  sso_connections: 'a secret of the provider',
  sso_traces: 'messages of the past',
  users: 'hold no secret',
  webhook_deliveries: 'wait while messages are held; receivers know repeated ones by their id',
  organizations: 'the seal of a scheduled erasure, which is never presented to the service',
  webhooks: 'secrets of receivers, which are never presented to the service',
}

test('every table that holds a secret, or something that ends, is refused or stays for a reason', async () => {
  const { rows } = await sql<{ table: string }>`
    select distinct c.table_name as table from information_schema.columns c
      join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and (
      c.data_type = 'bytea' or c.column_name ~ '(_hash|^hash|_sealed|challenge|^expires_at|^ends_at|^used_at|^attempts)$'
      or c.column_name in ('refresh_hash', 'locked_until'))
    order by 1`.execute(db)
  const decided = [...refusalsOf(new Date()).map(({ table }) => table), ...Object.keys(STAYS)]
  expect(rows.map(({ table }) => table)).toEqual([...new Set<string>(decided)].toSorted())
})

const kinds = oneTimeSecrets(app, tenant)

/** Every secret that a route takes, each of a person of its own. */
async function makeSecrets() {
  const made: { name: string; path: string; person: Person; secret: Secret }[] = []
  for (const [name, make] of Object.entries(kinds.secrets)) {
    const [path] = Object.entries(kinds.consumers).find(([, { takes }]) => takes.includes(name)) ?? []
    const person = await kinds.newPerson()
    const secret = await make(person)
    if (path) made.push({ name, path, person, secret })
  }
  return made
}

const introspect = (subOrgId: string | undefined, token: string, at: Pick<typeof tenant, 'post'> = tenant) =>
  at.post('/v1/auth/token/introspect', { subOrgId, token })

test('recover refuses every one-time secret from before, and new ones work', { timeout: 120_000 }, async () => {
  const made = await makeSecrets()
  expect(made.length).toBeGreaterThan(14)
  const { code, stderr, json } = await recover()
  expect([code, json?.discarded], stderr).toEqual([0, { mails: 0, sms: 0 }])
  for (const { name, path, person, secret } of made) {
    const { isAccepted, reply } = await kinds.present(path, person, secret)
    expect([name, isAccepted, reply.status < 500], reply.text).toEqual([name, false, true])
  }
  for (const { table, where } of refusalsOf(new Date(0)))
    expect([table, (await sql`select from ${sql.table(table)} where ${where}`.execute(db)).rows]).toEqual([table, []])
  const again = await kinds.newPerson()
  const secret = await kinds.secrets['sign-in code']?.(again)
  if (!secret) throw new Error('No secret')
  expect((await kinds.present('/v1/auth/login/otp/verify', again, secret)).isAccepted).toBe(true)
})

test('recover ends every session at once in every process, records it, and leaves keys and passwords', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const { session: inOrganization } = await signedInUser(app, tenant, subOrgId, email)
  const member = await signedInMember(teamWorld(app, tenant))
  const elsewhere = other.as(tenant.key)
  const atOther = caller(other.baseUrl, null)
  const asMember = () => atOther.get('/v1/me', { authorization: `Bearer ${member.session.access_token}` })
  expect((await introspect(subOrgId, inOrganization.access_token, elsewhere)).body.active).toBe(true)
  expect((await asMember()).status).toBe(200)
  const bystander = await newPasswordUser(tenant, { subOrgId, password: 'correct horse battery staple' })

  const { code, stderr } = await recover()
  expect(code, stderr).toBe(0)
  expect((await introspect(subOrgId, inOrganization.access_token, elsewhere)).body).toEqual({ active: false })
  expect((await asMember()).status).toBe(401)
  for (const [place, tokens] of [
    [subOrgId, inOrganization],
    ['team', member.session],
  ] as const) {
    const body = { subOrgId: place, refresh_token: tokens.refresh_token }
    const refreshed = await elsewhere.post('/v1/auth/token/refresh', body)
    expect([refreshed.status, refreshed.body.code]).toEqual([401, 'refresh_token_invalid'])
  }
  const signedIn = await tenant.post('/v1/auth/login/password', {
    subOrgId,
    email: bystander.email,
    password: 'correct horse battery staple',
  })
  expect(succeeded(signedIn).session.access_token).toEqual(expect.any(String))
  const revoked = await app.events({ accountId: tenant.accountId, type: 'session.revoked' })
  expect(revoked.filter(({ data }) => JSON.stringify(data).includes('"recovered"')).length).toBeGreaterThanOrEqual(2)
  const recovered = await app.events({ accountId: tenant.accountId, type: 'deployment.recovered' })
  expect(recovered.at(-1)).toMatchObject({ actor_type: 'cli', target_id: tenant.accountId })
})

test('recover ends impersonations', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, impersonation_enabled: true }))
  const { userId } = await signedInUser(app, tenant, subOrgId, newEmail())
  const impersonated = succeeded(
    await tenant.post(`/v1/users/${userId}/impersonate`, { subOrgId, actor: 'grace', reason: 'Ticket 4711' }),
  ).session
  const isActive = async () => (await introspect(subOrgId, impersonated.access_token)).body.active
  expect(await isActive()).toBe(true)
  const { code, stderr } = await recover()
  expect(code, stderr).toBe(0)
  expect(await isActive()).toBe(false)
})

test('recover refuses cursors beyond the restored events of an earlier epoch, and no others', async () => {
  succeeded(await tenant.post('/v1/organizations', { name: 'First', slug: `first-${newId()}` }))
  const page = succeeded(await tenant.get('/v1/events?limit=1'))
  const caughtUp = async () => {
    for (let cursor = page.next_cursor; ; ) {
      const { next_cursor, has_more } = succeeded(await tenant.get(`/v1/events?limit=1000&after=${cursor}`))
      if (!has_more) return next_cursor
      cursor = next_cursor
    }
  }
  // Its transaction takes an id and leaves no row, as one that is lost.
  await app.settled()
  const beyond = await caughtUp()
  const after = (cursor: string) => tenant.get(`/v1/events?after=${cursor}`)
  // As after a promotion, which the next start or reading notices.
  await sql`update event_stream set cluster = 'the primary that was lost'`.execute(db)
  expect([(await after(beyond)).status, (await after(page.next_cursor)).status]).toEqual([200, 200])
  await recover()
  const refused = await after(beyond)
  expect([refused.status, refused.body.code]).toEqual([400, 'cursor_expired'])
  const since = succeeded(await after(`${page.next_cursor}&limit=1000`))
  expect(since.events.map(({ type }: { type: string }) => type)).toContain('deployment.recovered')
  expect((await after(await caughtUp())).status).toBe(200)
})

test('a code of an authenticator app that the lost transactions accepted is refused after recover', async () => {
  const subOrgId = await tenant.organization()
  const { id, email } = await makeProvenUser(tenant, subOrgId)
  const { secret } = await enrollTotp(tenant, id, { subOrgId })
  const verify = async (code: string) => {
    const { challenge_token } = succeeded(await signInByLink(tenant, email, { subOrgId }))
    return tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code })
  }
  // What the restored database no longer knows: that the code of this time step was accepted.
  const forget = () => sql`update totp_enrollments set last_step = 0 where user_id = ${id}`.execute(db)
  await forget()
  const code = codeOf(secret)
  expect((await verify(code)).status).toBe(200)
  await forget()
  expect((await verify(code)).status).toBe(200)
  await forget()
  await recover()
  expect((await verify(code)).body.code).toBe('mfa_code_invalid')
})

/** Runs `act` when recover waits for the row of a link, which it refuses after the first end of the sessions. */
async function whileRecovering<T>(linkEmail: string, act: () => Promise<T>): Promise<T> {
  const held = Promise.withResolvers<void>()
  const isLocked = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (tx) => {
    const { token_hash } = await mailedLink(app, linkEmail, 'magic_link')
    expect(token_hash).toEqual(expect.any(String))
    await sql`select from links where used_at is null and expires_at > clock_now() for update`.execute(tx)
    isLocked.resolve()
    await held.promise
  })
  await isLocked.promise
  const recovering = recover()
  const waits = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%update "links"%'`.execute(db)
    return rows.length > 0
  }
  while (!(await waits()));
  const result = await act()
  held.resolve()
  await holding
  expect((await recovering).code).toBe(0)
  return result
}

test('a sign-in with a code from before that passes during recover has no session afterwards', async () => {
  const subOrgId = await tenant.organization()
  const [byLink, byCode] = [
    await newPasswordUser(tenant, { subOrgId, password: 'correct horse battery staple' }),
    await newPasswordUser(tenant, { subOrgId, password: 'correct horse battery staple' }),
  ]
  succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email: byLink.email }))
  const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: byCode.email }))
  const code = await mailedCode(app, byCode.email)
  const tokens = await whileRecovering(byLink.email, async () => {
    const reply = await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email: byCode.email, otp_id, code })
    const { session } = succeeded(reply)
    expect((await introspect(subOrgId, session.access_token)).body.active).toBe(true)
    return session
  })
  expect((await introspect(subOrgId, tokens.access_token)).body).toEqual({ active: false })
})

test('a link that is made during recover is refused afterwards', async () => {
  const subOrgId = await tenant.organization()
  const [held, asking] = [await makeProvenUser(tenant, subOrgId), await makeProvenUser(tenant, subOrgId)]
  succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email: held.email }))
  const body = { subOrgId, email: asking.email }
  const token_hash = await whileRecovering(held.email, async () => {
    const { url } = succeeded(await tenant.post('/v1/auth/login/magic-link/send', { ...body, deliver: false }))
    return new URL(url).searchParams.get('token_hash')
  })
  const reply = await tenant.post('/v1/auth/login/magic-link/verify', { ...body, token_hash })
  expect([reply.status, reply.body.code], reply.text).toEqual([400, 'token_expired'])
})

test('recover refuses the links after those that people use meanwhile', async () => {
  const subOrgId = await tenant.organization()
  const people = await Promise.all(Array.from({ length: 3 }, () => makeProvenUser(tenant, subOrgId)))
  for (const { email } of people)
    succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email, deliver: false }))
  const live = sql`used_at is null and closed_at is null and expires_at > created_at and expires_at > clock_now()`
  const count = async () => (await sql`select from links where ${live}`.execute(db)).rows.length
  const before = await count()
  expect(before).toBeGreaterThanOrEqual(3)
  const links = refusalsOf(new Date()).find(({ table }) => table === 'links')
  if (!links) throw new Error('No refusal of links')
  const refused = await overtakeOneRow(db, 'links', {
    change: (tx, row) => sql`update links set used_at = clock_now() where ${row}`.execute(tx),
    act: () => refuseTable(db, links, 1),
  })
  expect([refused, await count()]).toEqual([before - 1, 0])
})
