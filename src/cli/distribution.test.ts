import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../test/harness.ts'
import { ConfigError } from '../platform/config/config-error.ts'
import { distribute, planDistribution } from './distribution.ts'
import { PLACES } from './table-places.ts'

const { app, databaseUrl } = await startApp()
const { db } = app.platform

/** These tests have no Citus. A table with the name of its catalogue says where the tables are. */
async function planWith(present: Record<string, string>) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(
    `create temp table pg_dist_partition (logicalrelid regclass, partmethod text, repmodel text, partkey text)`,
  )
  await client.query(
    `create function pg_temp.column_to_column_name(regclass, text) returns text language sql as 'select $2'`,
  )
  for (const [table, place] of Object.entries(present)) {
    const isReference = place === 'reference'
    const row = [table, isReference ? 'n' : 'h', isReference ? 't' : 's', place]
    await client.query('insert into pg_dist_partition values ($1, $2, $3, $4)', row)
  }
  // Functions in the temporary schema are found only by their schema.
  return planDistribution({
    query: <Row extends pg.QueryResultRow>(text: string) =>
      client.query<Row>(text.replace('column_to_column_name', 'pg_temp.column_to_column_name')),
  })
}

const tablesOf = (statements: string[]) =>
  statements.flatMap((text) =>
    [...text.matchAll(/create_(?:reference|distributed)_table\('public\.(\w+)'/g)].map(([, table = '']) => table),
  )

/** Whether a path of foreign keys leads from one table to the other. */
function reaches(keys: { from: string; to: string }[], from: string, to: string, path: string[] = []): boolean {
  const next = keys.filter((key) => key.from === from && !path.includes(key.to)).map((key) => key.to)
  return next.includes(to) || next.some((table) => reaches(keys, table, to, [...path, ...next]))
}

test('the plan distributes each table of the schema that is not local, once', async () => {
  const { misplaced, steps } = await planWith({})
  expect(misplaced).toEqual([])
  const planned = tablesOf(steps.flatMap(({ statements }) => statements))
  const { rows } = await sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name <> 'test_clock'`.execute(db)
  const wanted = rows.map(({ name }) => name).filter((name) => !PLACES.local.includes(name))
  expect(planned.toSorted()).toEqual(wanted.toSorted())
})

test('foreign keys hold in the order of the plan, and those that are dropped are added again', async () => {
  const { steps } = await planWith({})
  const placed: string[] = []
  const { rows: keys } = await sql<{ name: string; from: string; to: string; definition: string }>`
    select conname as name, conrelid::regclass::text as "from", confrelid::regclass::text as "to",
      pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`.execute(db)
  const dropped: string[] = []
  for (const { statements } of steps) {
    const gone = statements.flatMap((text) => text.match(/drop constraint (\w+)$/)?.[1] ?? [])
    const added = statements.flatMap((text) => text.match(/add constraint (\w+) /)?.[1] ?? [])
    expect(added).toEqual(gone)
    for (const name of gone) {
      const key = keys.find((each) => each.name === name)
      expect(statements).toContain(`alter table public.${key?.from} add constraint ${name} ${key?.definition}`)
    }
    for (const table of tablesOf(statements)) {
      const named = keys.filter(({ name, from, to }) => from === table && to !== from && !gone.includes(name))
      // Organizations and environments refer to each other. Citus allows that between reference tables.
      for (const { to } of named) if (!reaches(keys, to, table)) expect(placed).toContain(to)
      placed.push(table)
    }
    dropped.push(...gone)
  }
  expect(dropped.length).toBeGreaterThan(0)
})

test('what is distributed is left alone, and what is distributed otherwise is named', async () => {
  const all = Object.entries(PLACES).flatMap(([place, tables]) => tables.map((table) => [table, place]))
  const present: Record<string, string> = Object.fromEntries(all.filter(([, place]) => place !== 'local'))
  expect(await planWith(present)).toEqual({ misplaced: [], steps: [] })
  const { users: _, ...older } = present
  const { steps } = await planWith(older)
  expect(tablesOf(steps.flatMap(({ statements }) => statements))).toEqual(['users'])
  const wrong = await planWith({ ...present, users: 'id', accounts: 'directory_id' })
  expect(wrong.misplaced.toSorted()).toEqual([
    'Table accounts is distributed by directory_id and should be by reference',
    'Table users is distributed by id and should be by directory_id',
  ])
})

test('a database without Citus is refused, and nothing is changed', async () => {
  const done: string[] = []
  const refused = distribute(databaseUrl, (line) => void done.push(line))
  await expect(refused).rejects.toThrow(ConfigError)
  await expect(refused).rejects.toThrow('Citus is not installed in this database. Run `create extension citus`')
  expect(done).toEqual([])
})
