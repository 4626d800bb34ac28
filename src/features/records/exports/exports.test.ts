import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail, newUser, type Person } from '../../../../test/people/people.ts'
import { signIn } from '../../../../test/people/sign-in.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { plant, plantedIn } from '../../../../test/walkers/planted.ts'
import { belongings } from '../../../wiring/belongings.ts'

interface Told {
  type: string
  sub_org_id: string | null
  data: { kind?: string; reason?: string }
}

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform

const path = (id: string, subOrgId?: string) => `/v1/users/${id}/export${subOrgId ? `?subOrgId=${subOrgId}` : ''}`
const exported = async (id: string, caller: Pick<typeof tenant, 'get'> = tenant) =>
  succeeded(await caller.get(path(id)))
const eventsOf = (type: string) => app.events({ accountId: tenant.accountId, type })

/** A user with a row in every table. */
async function newOwner(subOrgId: string): Promise<Person> {
  const person = await newUser(tenant, { subOrgId })
  for (const { table } of belongings) await plant(app, tenant, person, table)
  return person
}

/** A user's only row in a table. */
async function rowOf({ id }: Person, table: string): Promise<Record<string, unknown>> {
  const { rows } = await sql<{ row: Record<string, unknown> }>`
    select to_jsonb(t) as row from ${sql.table(table)} t where user_id = ${id}`.execute(db)
  expect(rows, table).toHaveLength(1)
  return rows[0]?.row ?? {}
}

/** The values of columns that must not be exported, in every form that they could have. */
async function secretsOf({ id }: Person): Promise<string[]> {
  const { rows: columns } = await sql<{ table_name: string; column_name: string; data_type: string }>`
    select table_name, column_name, data_type from information_schema.columns
    where table_schema = 'public' and (data_type = 'bytea' or column_name ~ '(hash|sealed|secret)')
      and table_name in (select table_name from information_schema.columns where column_name = 'user_id')
      and table_name not like '%graphile%'`.execute(db)
  const secrets = columns.map(async ({ table_name, column_name, data_type }) => {
    const text =
      data_type === 'bytea'
        ? sql`encode(${sql.ref(column_name)}, 'hex')`
        : sql`encode(convert_to(${sql.ref(column_name)}, 'UTF8'), 'hex')`
    const { rows } = await sql<{ hex: string | null }>`
      select ${text} as hex from ${sql.table(table_name)} where user_id = ${id}`.execute(db)
    return rows.flatMap(({ hex }) => (hex ? [Buffer.from(hex, 'hex')] : []))
  })
  const found = (await Promise.all(secrets)).flat()
  return found.flatMap((bytes) => (['hex', 'base64', 'base64url', 'utf8'] as const).map((form) => bytes.toString(form)))
}

test('each table tells what it may, and nothing secret', async () => {
  const subOrgId = await tenant.organization()
  const [owner] = [await newOwner(subOrgId), await newOwner(subOrgId)]
  const before = { ...(await snapshot(app)), events: '' }
  const reply = await tenant.get(path(owner.id))
  const answer = succeeded(reply)
  expect({ ...(await snapshot(app)), events: '' }).toEqual(before)
  const { user } = succeeded(await tenant.get(`/v1/users/${owner.id}`))
  expect(answer).toEqual({
    exported_at: expect.any(String),
    user,
    email_suppression: null,
    records: expect.any(Object),
    events: expect.any(Array),
    truncated: [],
  })
  const telling = belongings.filter(({ exports }) => !('nothing' in exports)).map(({ table }) => table)
  expect(Object.keys(answer.records).toSorted()).toEqual(telling.toSorted())
  const guide = readFileSync('docs/directory/users.md', 'utf8')
  expect(telling.filter((table) => !guide.includes(`\`${table}\``))).toEqual([])
  for (const { table, exports } of belongings) {
    if ('nothing' in exports) continue
    const row = await rowOf(owner, table)
    expect(answer.records[table], table).toEqual([Object.fromEntries(exports.columns.map((each) => [each, row[each]]))])
    expect(exports.columns.filter((each) => !(each in row))).toEqual([])
  }
  const secrets = await secretsOf(owner)
  expect(secrets.length).toBeGreaterThan(60)
  expect(secrets.filter((each) => reply.text.includes(each))).toEqual([])
})

test('it is recorded who has read it, and the next export tells that', async () => {
  const person = await newUser(tenant)
  const session = await signIn(app, tenant, person.subOrgId, person.email)
  const seen = (await app.events({ accountId: tenant.accountId })).length
  await exported(person.id)
  const recorded = (await app.events({ accountId: tenant.accountId })).slice(seen)
  expect(recorded).toMatchObject([
    {
      type: 'user.exported',
      organization_id: person.subOrgId,
      actor_type: 'api_key',
      target_id: person.id,
      data: { user_id: session.user_id, directory_user_id: person.id, truncated: [] },
    },
  ])
  // The route also accepts the auth account's id.
  const { events, records } = await exported(session.user_id)
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    'user.exported',
    'auth.login.succeeded',
    'session.created',
    'user.email_verified',
    'auth.otp.sent',
    'user.created',
  ])
  expect(records.sessions).toMatchObject([{ auth_method: 'otp', revoked_at: null }])
  expect(JSON.stringify(records)).not.toContain(session.refresh_token)
})

test('nobody else’s is told, and nobody else reads it', async () => {
  const [mine, theirs] = [await tenant.organization(), await tenant.organization()]
  const person = await newOwner(mine)
  const other = await newUser(tenant, { subOrgId: mine })
  await signIn(app, tenant, mine, other.email)
  const text = JSON.stringify(await exported(person.id))
  expect(text).not.toContain(other.id)
  expect(text).not.toContain(other.email)
  const own = await tenant.withKey({ subOrgId: mine })
  await exported(person.id, own)
  const seen = (await eventsOf('user.exported')).length
  const [elsewhere, stranger] = [await tenant.withKey({ subOrgId: theirs }), await app.tenant()]
  for (const caller of [elsewhere, stranger]) {
    const reply = await caller.get(path(person.id))
    expect([reply.status, reply.body.code]).toEqual([404, 'user_not_found'])
  }
  expect((await tenant.get(path(person.id, theirs))).status).toBe(404)
  succeeded(await tenant.get(path(person.id, mine)))
  expect(await eventsOf('user.exported')).toHaveLength(seen + 1)
})

test('the scope of the audit log is needed besides', async () => {
  const person = await newUser(tenant)
  const seen = (await eventsOf('user.exported')).length
  for (const [scopes, missing] of [
    [['users.read'], 'audit.read'],
    [['audit.read'], 'users.read'],
  ] as const) {
    const reply = await (await tenant.withKey({ scopes: [...scopes] })).get(path(person.id))
    expect([reply.status, reply.body.code, reply.body.scope]).toEqual([403, 'insufficient_scope', missing])
  }
  expect(await eventsOf('user.exported')).toHaveLength(seen)
  await exported(person.id, await tenant.withKey({ scopes: ['users.read', 'audit.read'] }))
})

test('of very many, the newest are told, and what was cut is named', async () => {
  const person = await newOwner(await tenant.organization())
  const { id: directoryId } = await plantedIn(app, tenant, person.subOrgId)
  await sql`insert into trusted_devices (directory_id, id, user_id, token_hash, user_agent, created_at, expires_at)
    select directory_id, gen_random_uuid(), user_id, uuid_send(gen_random_uuid()), 'Agent ' || n,
      created_at - make_interval(secs => n), expires_at
    from trusted_devices, generate_series(1, 1000) n where directory_id = ${directoryId}`.execute(db)
  const { records, truncated } = await exported(person.id)
  expect(truncated).toEqual(['trusted_devices'])
  const agents = records.trusted_devices.map((each: { user_agent: string | null }) => each.user_agent)
  expect(agents).toEqual([null, ...Array.from({ length: 999 }, (_, i) => `Agent ${i + 1}`)])
  await sql`delete from trusted_devices where directory_id = ${directoryId} and user_agent = 'Agent 1000'`.execute(db)
  expect((await exported(person.id)).truncated).toEqual([])
  await sql`insert into events (id, account_id, environment_id, directory_id, type, actor_type, actor_id, data)
    select gen_random_uuid(), account_id, environment_id, directory_id, 'auth.login.failed', 'user', ${person.id},
      '{"method": "otp", "reason": "wrong"}'
    from events, generate_series(1, 1001) n
    where directory_id = ${directoryId} and type = 'user.created'`.execute(db)
  const { events, truncated: cut } = await exported(person.id)
  expect([events.length, cut]).toEqual([1000, ['events']])
  expect(new Set(events.map(({ type }: { type: string }) => type))).toEqual(new Set(['auth.login.failed']))
})

test('it has the bounces of the address, those of the environment only for callers of the whole account', async () => {
  const email = newEmail()
  const gone = await newUser(tenant, { email })
  const { subOrgId } = gone
  const bounce = (body: object) => tenant.post('/v1/mail/bounces', { email, ...body })
  succeeded(await bounce({ subOrgId, kind: 'soft', provider_id: 'of-another-user' }))
  succeeded(await tenant.delete(`/v1/users/${gone.id}?subOrgId=${subOrgId}`))
  const person = await newUser(tenant, { subOrgId, email })
  const other = await newUser(tenant, { subOrgId })
  const elsewhere = await newUser(tenant, { email })
  for (const [place, user] of [
    [subOrgId, other.email],
    [elsewhere.subOrgId, email],
  ] as const)
    succeeded(await bounce({ subOrgId: place, email: user, kind: 'hard' }))
  succeeded(await bounce({ subOrgId, kind: 'complaint' }))
  succeeded(await bounce({ kind: 'hard' }))
  const { suppressions } = succeeded(await tenant.get(`/v1/mail/suppressions?subOrgId=${subOrgId}&email=${email}`))
  succeeded(await tenant.delete(`/v1/mail/suppressions/${suppressions[0].id}?subOrgId=${subOrgId}`))
  const told = async (caller: Pick<typeof tenant, 'get'>) => {
    const { events } = await exported(person.id, caller)
    const mails = events.filter(({ type }: { type: string }) => type.startsWith('mail.'))
    return mails.map(({ type, sub_org_id, data }: Told) => [type, sub_org_id, data.kind ?? data.reason])
  }
  const own = [
    ['mail.suppression_cleared', subOrgId, 'complaint'],
    ['mail.suppressed', subOrgId, 'complaint'],
    ['mail.bounced', subOrgId, 'complaint'],
  ]
  const shared = [
    ['mail.suppressed', null, 'hard_bounce'],
    ['mail.bounced', null, 'hard'],
  ]
  expect(await told(await tenant.withKey({ subOrgId }))).toEqual(own)
  const all = await told(tenant)
  expect(all).toHaveLength(5)
  expect(all.filter(([, place]: unknown[]) => place === null)).toEqual(shared)
  expect(all.filter(([, place]: unknown[]) => place !== null)).toEqual(own)
})

test('a deleted user is exported while a restore is possible, and only if it is asked for', async () => {
  const person = await newUser(tenant)
  const { id, email, subOrgId } = person
  const session = await signIn(app, tenant, subOrgId, email)
  const deleted = (userId = id, caller: Pick<typeof tenant, 'get'> = tenant) =>
    caller.get(`${path(userId)}?deleted=true`)
  const verdict = ({ status, body }: Awaited<ReturnType<typeof deleted>>) => [status, body.code]
  const missing = [404, 'user_not_found']
  expect(verdict(await deleted())).toEqual(missing)
  succeeded(await tenant.post('/v1/mail/bounces', { subOrgId, email, kind: 'soft', provider_id: 'own' }))
  succeeded(await tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}`))
  await newUser(tenant, { subOrgId, email })
  succeeded(await tenant.post('/v1/mail/bounces', { subOrgId, email, kind: 'soft', provider_id: 'of-the-next' }))
  expect(verdict(await tenant.get(path(id)))).toEqual(missing)
  const stranger = await (await app.tenant()).get(`${path(id)}?deleted=true`)
  const elsewhere = await tenant.withKey({ subOrgId: await tenant.organization() })
  expect([verdict(stranger), verdict(await deleted(id, elsewhere))]).toEqual([missing, missing])
  expect(verdict(await deleted(session.user_id))).toEqual(missing)
  const answer = succeeded(await deleted())
  expect(answer.user).toMatchObject({ id, email, deletedAt: expect.any(String) })
  expect(answer.records.sessions).toMatchObject([{ id: expect.any(String), revoked_at: expect.any(String) }])
  const types: string[] = answer.events.map(({ type }: { type: string }) => type)
  expect(types.filter((type) => /^(mail|user)\./.test(type)).toSorted()).toEqual([
    ...['mail.bounced', 'user.created', 'user.deleted', 'user.email_verified'],
  ])
  succeeded(await deleted(id, await tenant.withKey({ subOrgId })))
  await app.advance(31 * 86_400)
  expect(verdict(await deleted())).toEqual(missing)
})
