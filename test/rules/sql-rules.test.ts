import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { PLACES } from '../../src/cli/table-places.ts'
import { startApp } from '../harness.ts'
import { newUser } from '../people/people.ts'
import { watchStatements } from './sql-recorder.ts'
import { REFUSED } from './sql-refused.ts'
import { brokenRules, EXCEPTIONS, RULES } from './sql-rules.ts'

const { app, tenant } = await startApp()
const { db } = app.platform

const samples = Object.entries(REFUSED).flatMap(([rule, statements]) =>
  Object.entries(statements).map(([name, text]) => ({ rule, name, text })),
)

test.each(samples)('refuses $name: $rule', ({ rule, text }) => {
  expect(brokenRules(text)).toContain(rule)
})

test('every rule has a statement that breaks it', () => {
  expect(Object.keys(REFUSED)).toEqual(RULES.map(({ name }) => name))
})

const directory = '00000000-0000-0000-0000-000000000000'

test.each([
  'select "id" from "users" where "directory_id" = $1 and "id" = $2 for update',
  'select id from api_keys where id = $1 for update',
  `with clock as materialized (select clock_now() as at)
    update mfa_policies set required_since = case when $1::boolean then coalesce(required_since, clock.at) end
    from clock where directory_id = $2 returning version`,
  'update users set last_login_at = clock_now() where users.directory_id = $1 and id = $2 returning id',
  `insert into lockouts as l (directory_id, identity) values ($1, $2) on conflict (directory_id, identity) do update
    set locked_until = (excluded.window_started_at at time zone 'UTC' + make_interval(secs => $3)) at time zone 'UTC'
    where excluded.window_started_at - l.window_started_at >= interval '1 day'`,
  `delete from links where expires_at < clock_now() and purpose = $1 and (directory_id, id) in (
    select directory_id, id from links where expires_at < clock_now() and purpose = $2 order by expires_at limit $3)`,
  `select case when expires_at <= clock_now() then 'expired' end as state from links where directory_id = $1`,
  "insert into links (details) values ($1) -- clock_now() in a comment, and 'in text', on conflict",
  `update "sessions" set "revoked_reason" = 'for update; returning clock_now()' where "directory_id" = $1`,
])('takes %s', (text) => {
  expect(brokenRules(text, { distributed: true })).toEqual([])
})

test('what is excepted has a reason, is excepted from a rule, and only while the database is not distributed', () => {
  for (const [rule, exceptions] of Object.entries(EXCEPTIONS)) {
    expect(RULES.map(({ name }) => name)).toContain(rule)
    for (const { reason } of exceptions) expect(reason).toMatch(/where the database is distributed/)
  }
  const cleanUp = `delete from links where expires_at < clock_now() and (directory_id, id) in (
    select directory_id, id from links where expires_at < clock_now() limit $1 for update skip locked)`
  expect(brokenRules(cleanUp)).toEqual([])
  expect(brokenRules(cleanUp, { distributed: true })).toHaveLength(1)
})

test('every table has its place', async () => {
  const { rows } = await sql<{ name: string; has_directory: boolean }>`
    select t.table_name as name, exists (select from information_schema.columns c where c.table_schema = 'public'
      and c.table_name = t.table_name and c.column_name = 'directory_id') as has_directory
    from information_schema.tables t where t.table_schema = 'public' and t.table_name <> 'test_clock'`.execute(db)
  const known = Object.values(PLACES).flat().sort()
  expect(rows.map(({ name }) => name).sort()).toEqual(known)
  const withDirectory = rows.filter((row) => row.has_directory).map(({ name }) => name)
  // Of an environment, one directory has a domain. The related origins of all directories are read at once; a sign-in reads the policy that its directory inherits. A token of provisioning says of no directory.
  // What an organization keeps of its events is asked of all of them at once, by the job that removes the others.
  const everywhere = ['audit_settings', 'domains', 'mfa_policies', 'passkey_settings', 'scim_tokens']
  expect(withDirectory.sort()).toEqual([...PLACES.directory_id, ...everywhere].sort())
})

test('a statement of the product that breaks a rule is told by its text and the rule; what a test does is not', async () => {
  const { pool } = app.platform.database
  const end = watchStatements()
  await sql`update users set version = version + 1 where id = ${directory}`.execute(db)
  await newUser(await tenant())
  expect(end()).toEqual([])
  const endAgain = watchStatements()
  const text = 'update users set version = version + 2 where id = $1'
  const sent = Promise.withResolvers<void>()
  // So that no function of a test is on the way.
  setImmediate(Reflect.apply, pool.query, pool, [text, [directory], () => sent.resolve()])
  await sent.promise
  expect(endAgain()).toEqual([`a write names its directory as \`directory_id = $n\`: ${text}`])
})
