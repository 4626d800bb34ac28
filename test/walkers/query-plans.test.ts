import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { listLinkedUsers } from '../../src/features/federation/federation/discovered/discovered.ts'
import { SESSION_SETTINGS } from '../../src/platform/db/session-settings.ts'
import { recordset } from '../../src/platform/joined/recordset.ts'
import { sqlText } from '../../src/platform/joined/sql-text.ts'
import { startApp } from '../harness.ts'
import { workOfOrganization } from '../people/federation.ts'
import { newEmail, newUser } from '../people/people.ts'
import { signedInUser } from '../people/sign-in.ts'
import { recordStatements } from '../rules/sql-recorder.ts'

const service = await startApp()
const { db } = service.app.platform
const tenant = await service.tenant()

/** What the planner takes for the number of directories, below zero as a share of the rows; null without statistics. */
async function directoriesExpected(table: string): Promise<number | null> {
  const { rows } = await sql<{ n_distinct: number }>`
    select n_distinct::float8 from pg_stats
    where schemaname = 'public' and tablename = ${table} and attname = 'directory_id'`.execute(db)
  return rows[0]?.n_distinct ?? null
}

test('every table of directories is declared to have many rows of each', async () => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not attisdropped
      and attname = 'directory_id'
      and not 'n_distinct=20' = any(coalesce(attoptions, '{}'))`.execute(db)
  expect(rows, 'call expect_many_rows() where the table is made').toEqual([])
})

test('the planner knows it of a table that has rows already, and with PostgreSQL 18 of one that has none', async () => {
  await sql`create table filled as select gen_random_uuid() as directory_id from generate_series(1, 2000)`.execute(db)
  await sql`analyze filled`.execute(db)
  await sql`create table unfilled (directory_id uuid)`.execute(db)
  expect([await directoriesExpected('filled'), await directoriesExpected('unfilled')]).toEqual([-1, null])
  await sql`select expect_many_rows('filled'), expect_many_rows('unfilled')`.execute(db)
  expect(await directoriesExpected('filled')).toBe(20)
  const ofUnfilled = await directoriesExpected('unfilled')
  if ((await serverVersion()) < 180_000) expect(ofUnfilled).toBeNull()
  else expect(ofUnfilled).toBe(20)
  await sql`drop table filled, unfilled`.execute(db)
})

async function serverVersion(): Promise<number> {
  const { rows } = await sql<{ version: number }>`select current_setting('server_version_num')::int as version`.execute(
    db,
  )
  return Number(rows[0]?.version)
}

/** A connection with the settings of the service, but for those given. */
async function connect(settings: Partial<typeof SESSION_SETTINGS> | Record<string, string>): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  for (const [name, value] of Object.entries({ ...SESSION_SETTINGS, ...settings }))
    await client.query(`set ${name} = '${value}'`)
  return client
}

const GIVEN = recordset(1, sqlText`given`, { directory_id: 'uuid', id: 'uuid' })
const byKey = (given: string) => `select one.id from ${given} join otps one using (directory_id, id)`

test.each([
  ['off', 'Index'],
  ['on', 'Seq Scan'],
])('with enable_seqscan %s a plan for a table with one row has an %s', async (setting, scan) => {
  const client = await connect({ enable_seqscan: setting, plan_cache_mode: 'force_generic_plan' })
  await client.query('create temporary table otps (directory_id uuid, id uuid, primary key (directory_id, id))')
  await client.query('insert into otps values (gen_random_uuid(), gen_random_uuid())')
  await client.query('analyze otps')
  await client.query(`prepare searched as ${byKey(GIVEN)}`)
  const { rows } = await client.query<{ 'QUERY PLAN': string }>('explain execute searched (null, null)')
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(new RegExp(`-> +${scan}.* on otps`))
})

test('a joined statement is planned once, since the planner does not see how many rows it is given', async () => {
  const client = await connect({})
  const shown = GIVEN.replaceAll(/\(select (\$\d::uuid\[\])\)/g, '$1')
  expect(shown).not.toBe(GIVEN)
  const plansOf = async (name: string, text: string) => {
    const one = '{00000000-0000-7000-8000-000000000000}'
    for (let n = 0; n < 20; n++) await client.query({ name, text, values: [one, one] })
    const { rows } = await client.query<{ custom: number; generic: number }>(
      'select custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements where name = $1',
      [name],
    )
    return rows
  }
  // PostgreSQL tries five plans before it compares.
  expect(await plansOf('hidden', byKey(GIVEN))).toEqual([{ custom: 5, generic: 15 }])
  expect(await plansOf('shown', byKey(shown))).toEqual([{ custom: 20, generic: 0 }])
})

test('who is looked up by address is found by the index of addresses, before the first analysis too', async () => {
  const subOrgId = await tenant.organization()
  const { email } = await newUser(tenant, { subOrgId })
  await sql`
    insert into users (directory_id, id, environment_id, email, email_norm, source)
    select directory_id, gen_random_uuid(), environment_id, 'early' || n, 'early' || n, source
    from users, generate_series(1, 1000) n where email_norm = ${email}`.execute(db)
  // An older PostgreSQL cannot be told before.
  if ((await serverVersion()) < 180_000) await sql`analyze users`.execute(db)
  const statements = await recordStatements(async () => {
    await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: newEmail() })
  })
  const lookUps = statements.filter((statement) => /from users where/.test(statement))
  expect(lookUps).toHaveLength(1)
  expect((await searchesOf(lookUps[0] ?? '')).map(({ index }) => index)).toEqual(['users_by_email'])
})

const TABLES = ['users', 'sessions', 'otps', 'identities']

test.each([
  ['an introspection', 'sessions'],
  ['a validation', 'otps'],
])('%s finds what it looks for in %s by its key, where an organization has most of a few', async (what, table) => {
  const subOrgId = await tenant.organization()
  const { session } = await signedInUser(service, tenant, subOrgId, newEmail())
  const { otp_id, code } = (await tenant.post('/v1/otp/generate', { subOrgId })).body
  await crowd(table, subOrgId, { own: 64, all: 64 })
  const statements = await recordStatements(async () => {
    if (table === 'otps') await tenant.post('/v1/otp/validate', { otp_id, code, subOrgId })
    else await tenant.post('/v1/auth/token/introspect', { token: session.access_token, subOrgId })
  })
  const lookUps = statements.filter((statement) => new RegExp(`(from|update) ${table}`).test(statement))
  expect(lookUps, what).toHaveLength(1)
  // A code that names a session or an address has siblings, which other indexes find.
  const byId = (await searchesOf(lookUps[0] ?? '')).filter(({ condition }) => condition.includes('(id = asked.id)'))
  expect(byId.map(({ index }) => index)).toEqual([`${table}_pkey`])
  expect(byId[0]?.condition).toContain('(directory_id = asked.directory_id) AND ')
})

test('in a large organization among small ones every search asks for more than the organization', async () => {
  const subOrgId = await tenant.organization()
  const { email, session } = await signedInUser(service, tenant, subOrgId, newEmail())
  const { id } = await newUser(tenant, { subOrgId })
  for (const table of TABLES) await crowd(table, subOrgId, { own: 400, all: 3000 })
  const key = await tenant.withKey({ subOrgId })
  const statements = await recordStatements(async () => {
    await key.get(`/v1/users/${id}`)
    await signedInUser(service, key, subOrgId, newEmail())
    await key.post('/v1/auth/login/otp/send', { subOrgId, email })
    await key.post('/v1/auth/token/introspect', { token: session.access_token })
    await key.post('/v1/auth/token/refresh', { refresh_token: session.refresh_token })
  })
  const searched = new Set<string | undefined>()
  for (const statement of new Set(statements)) {
    if (!/\b(users|sessions|otps)\b/.test(statement) || !/^\s*(select|with|update)\b/i.test(statement)) continue
    for (const { index, condition } of await searchesOf(statement)) {
      searched.add(/^[a-z]+/.exec(index)?.[0])
      // Of two columns at least.
      expect(condition, `${index}: ${statement}`).toContain(' AND ')
    }
  }
  expect([...searched].sort()).toEqual([...TABLES].sort())
})

/**
 * Copies a row of the organization: `own` times there, and once for each of so many other directories that it is `all`
 * times. A table takes the fields that it has.
 */
async function crowd(table: string, subOrgId: string, { own, all }: { own: number; all: number }): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Without foreign keys: there are no such directories.
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`
      insert into ${sql.table(table)} select made.* from generate_series(1, ${all}::int) n, lateral (
        select * from ${sql.table(table)} where directory_id in (select id from directories where organization_id = ${subOrgId})
        limit 1) one, lateral jsonb_populate_record(null::${sql.table(table)}, to_jsonb(one) || jsonb_build_object(
        'id', gen_random_uuid(), 'auth_account_id', gen_random_uuid(), 'user_id', gen_random_uuid(),
        'directory_id', case when n <= ${own} then one.directory_id else gen_random_uuid() end,
        'identity', sha256(n::text::bytea), 'email_norm', 'crowd' || n || '@example.com')) made`.execute(tx)
  })
  await sql`analyze ${sql.table(table)}`.execute(db)
}

interface PlanNode {
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

test('a person at a social provider is found in all organizations by the subject', async () => {
  const subOrgId = await tenant.organization()
  const { directory } = await workOfOrganization(service, (await newUser(tenant, { subOrgId })).subOrgId)
  const person = { source: 'google', issuer: 'https://accounts.google.com', subject: '1', sector: null }
  const [statement = ''] = await recordStatements(async () => void (await listLinkedUsers(db, directory, person, 10)))
  const indexes = (await searchesOf(statement)).map(({ index }) => index)
  expect(indexes.sort()).toEqual(['identities_of_social_persons', 'users_pkey', 'users_pkey'])
})

/** The indexes by which a statement searches these tables, and what for: by the plan that connections keep. */
async function searchesOf(statement: string) {
  const numbers = [...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
  const values = Array.from({ length: Math.max(0, ...numbers) }, () => 'null')
  const rows = await db.connection().execute(async (connection) => {
    const run = (text: string) => sql<{ 'QUERY PLAN': { Plan: PlanNode }[] }>`${sql.raw(text)}`.execute(connection)
    await run('set plan_cache_mode = force_generic_plan')
    await run(`prepare searched as ${statement}`)
    const explained = await run(`explain (format json) execute searched${values.length ? `(${values})` : ''}`)
    await run('deallocate searched')
    await run('reset plan_cache_mode')
    return explained.rows
  })
  const all = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)]
  return rows
    .flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => all(Plan)))
    .map((node) => ({ index: node['Index Name'] ?? '', condition: node['Index Cond'] ?? '' }))
    .filter(({ index }) => TABLES.some((table) => index.startsWith(`${table}_`)))
}
