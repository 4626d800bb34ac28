import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from './harness.ts'
import { newEmail, newUser } from './people.ts'
import { signedInUser } from './sign-in.ts'
import { recordStatements } from './sql-recorder.ts'

const service = await startApp()
const { db } = service.app.platform
const tenant = await service.tenant()

test('of every table the planner expects that an owner has many rows, once a row is there', async () => {
  const { rows } = await sql<{ column: string }>`
    select attrelid::regclass || '.' || attname as column from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not attisdropped
      and attname in ('account_id', 'environment_id', 'directory_id')
      and not ('n_distinct=-0.001' = any(coalesce(attoptions, '{}')) and exists (
        select from pg_stats s where s.schemaname = 'public' and s.tablename = relname and s.attname = pg_attribute.attname
          and s.n_distinct::float4 = -0.001::float4))`.execute(db)
  expect(rows, 'call expect_many_rows() where the table is made').toEqual([])
})

// Most organizations have one person; this one has hundreds.
test('who signs in to a large organization among many small ones is found by an index of all that is known', async () => {
  const subOrgId = await tenant.organization()
  const { email, session } = await signedInUser(service, tenant, subOrgId, newEmail())
  const { id } = await newUser(tenant, { subOrgId })
  for (const name of ['users', 'sessions', 'otps']) await crowd(name, subOrgId)
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
      expect(condition, `${index}: ${statement}`).toContain(' AND ')
    }
  }
  expect([...searched].sort()).toEqual(expect.arrayContaining(['otps', 'sessions', 'users']))
})

/** Copies a row of the organization: hundreds there, and one for each of thousands of directories. Fields of other tables are ignored. */
async function crowd(table: string, subOrgId: string): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set session_replication_role = replica`.execute(connection)
    await sql`
      insert into ${sql.table(table)} select made.* from generate_series(1, 3000) n, lateral (
        select * from ${sql.table(table)} where directory_id in (select id from directories where organization_id = ${subOrgId})
        limit 1) one, lateral jsonb_populate_record(null::${sql.table(table)}, to_jsonb(one) || jsonb_build_object(
        'id', gen_random_uuid(), 'directory_id', case when n <= 400 then one.directory_id else gen_random_uuid() end,
        'auth_account_id', gen_random_uuid(), 'user_id', gen_random_uuid(), 'identity', sha256(n::text::bytea),
        'email_norm', 'crowd' || n || '@example.com')) made`.execute(connection)
    await sql`set session_replication_role = default`.execute(connection)
    await sql`analyze ${sql.table(table)}`.execute(connection)
  })
}

interface PlanNode {
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/** The indexes by which a statement searches these tables, and what for. */
async function searchesOf(statement: string) {
  const { rows } = await service.app.platform.database.pool.query(`explain (generic_plan, format json) ${statement}`)
  const all = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)]
  return all(rows[0]['QUERY PLAN'][0].Plan)
    .map((node) => ({ index: node['Index Name'] ?? '', condition: node['Index Cond'] ?? '' }))
    .filter(({ index }) => /^(users|sessions|otps)_/.test(index))
}
