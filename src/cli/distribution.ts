import type pg from 'pg'
import { ConfigError } from '../platform/config/config.ts'
import { withClient } from '../platform/db/client.ts'
import { sqlState } from '../platform/db/failure.ts'
import { SESSION_SETTINGS, unboundedParameters } from '../platform/db/session-settings.ts'
import { PLACES, type Place } from './table-places.ts'

/** Settings of the service's own connections that the coordinator does not pass on to workers. */
const WORKER_SETTINGS = ['lock_timeout', 'enable_seqscan', 'jit', 'max_parallel_workers_per_gather'] as const
// The estimates that `expect_many_rows()` gives the planner for a table. They must be set on each of its shards.
const DISTINCT_DIRECTORIES = 20

// Distributing a table has no time limit, because it depends on the number of rows.
const DISTRIBUTOR = { application_name: 'watchword-distribute', query_timeout: 0, ...unboundedParameters }

interface Step {
  /** What the step does, in one line. */
  title: string
  statements: string[]
  /**
   * Whether the statements run in one transaction, or one by one. Commands that Citus itself sends to servers are not
   * part of a transaction.
   */
  isAtomic: boolean
}

export interface Distribution {
  /** Tables of this release that are not where PLACES says, and where Citus has them. */
  misplaced: string[]
  /** Tables to distribute, in order. */
  steps: Step[]
}

interface ForeignKey {
  name: string
  from: string
  to: string
  definition: string
}

/** The part of a connection that planning needs. */
interface Reading {
  query<Row extends pg.QueryResultRow>(text: string): Promise<pg.QueryResult<Row>>
}

/**
 * Distributes the tables of a migrated database that are not distributed yet, and sets up workers and shards. Does not
 * change what is already in place, so it can be repeated after an upgrade, after adding a worker, after moving shards,
 * or after an interruption. `onStep` receives a line for each step.
 * Throws ConfigError if Citus or its workers are missing, or if a table is distributed differently.
 */
export async function distribute(url: string, onStep: (line: string) => void): Promise<void> {
  await withClient(url, DISTRIBUTOR, async (client) => {
    // Citus refuses triggers on distributed tables. The triggers on `events`, `links` and `audit_blocks` are safe,
    // because they read no other row.
    await client.query('set citus.enable_unsafe_triggers = on')
    await client.query("set client_min_messages = 'warning'")
    await assertCluster(client)
    const { misplaced, steps } = await planDistribution(client)
    if (misplaced.length > 0)
      throw new ConfigError(`${misplaced.join('; ')}: undistribute it, then run the command again.`)
    await run(client, onStep, await settingsOfWorkers(client))
    for (const step of steps) await run(client, onStep, step)
    for (const step of await localCopies(client)) await run(client, onStep, step)
    await run(client, onStep, await plannerOptions(client))
    await run(client, onStep, await functions(client))
  })
}

async function run(client: pg.Client, onStep: (line: string) => void, step: Step | null): Promise<void> {
  if (!step) return
  const { title, statements, isAtomic } = step
  try {
    if (isAtomic) await client.query('begin')
    if (isAtomic) await client.query("set local citus.multi_shard_modify_mode = 'sequential'")
    for (const statement of statements) await client.query(statement)
    if (isAtomic) await client.query('commit')
  } catch (error) {
    if (sqlState(error) === null) throw error
    if (isAtomic) await client.query('rollback')
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(
      `Failed at "${title}": ${reason}. The earlier steps are done. Correct the cause, then run the command again.`,
    )
  }
  onStep(title)
}

async function assertCluster(client: pg.Client): Promise<void> {
  const { rows: extensions } = await client.query("select from pg_extension where extname = 'citus'")
  if (extensions.length === 0)
    throw new ConfigError(
      'Citus is not installed in this database. Run `create extension citus` in it on the coordinator and on every worker, add the workers with citus_add_node, then run the command again.',
    )
  const { rows: nodes } = await client.query<{ groupid: number; shouldhaveshards: boolean }>(
    "select groupid, shouldhaveshards from pg_dist_node where isactive and noderole = 'primary'",
  )
  if (!nodes.some(({ groupid }) => groupid === 0))
    throw new ConfigError(
      'Citus does not know the address of the coordinator: run `select citus_set_coordinator_host(host, port)` on it.',
    )
  if (!nodes.some(({ shouldhaveshards }) => shouldhaveshards))
    throw new ConfigError(
      'Citus has no worker: add each one with `select citus_add_node(host, port)` on the coordinator.',
    )
}

/** Compares the places of tables with where they should be. Changes nothing. */
export async function planDistribution(client: Reading): Promise<Distribution> {
  const present = await readPlaces(client)
  const misplaced: string[] = []
  const absent: { table: string; place: Place }[] = []
  for (const [table, place] of wantedPlaces()) {
    const found = present.get(table) ?? 'local'
    if (found === place) continue
    if (found === 'local') absent.push({ table, place })
    else misplaced.push(`Table ${table} is distributed by ${found} and should be by ${place}`)
  }
  const keys = await readForeignKeys(client)
  return { misplaced, steps: stepsOf(absent, keys) }
}

function wantedPlaces(): [string, Place][] {
  const places: Place[] = ['reference', 'directory_id', 'api_key_id', 'local']
  return places.flatMap((place) => PLACES[place].map((table): [string, Place] => [table, place]))
}

/** The place of each distributed table: `reference`, or the column by which it is distributed. */
async function readPlaces(client: Reading): Promise<Map<string, string>> {
  // Tables that Citus lists only because they have a foreign key to a reference table are local: `n` without `t`.
  const { rows } = await client.query<{ name: string; place: string }>(`
    select c.relname as name, case when p.partmethod = 'h' then column_to_column_name(p.logicalrelid, p.partkey)
      when p.repmodel = 't' then 'reference' else 'local' end as place
    from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid where c.relnamespace = 'public'::regnamespace`)
  return new Map(rows.map(({ name, place }) => [name, place]))
}

async function readForeignKeys(client: Reading): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(`
    select k.conname as name, f.relname as "from", t.relname as "to", pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace and f.relname <> t.relname order by k.conname`)
  return rows
}

/**
 * Plans reference tables first, each after the tables that its foreign keys name. Then the distributed tables: tables
 * with foreign keys to each other are distributed in one transaction, in which these keys are dropped temporarily,
 * because Citus can distribute neither table before the other.
 */
function stepsOf(absent: { table: string; place: Place }[], keys: ForeignKey[]): Step[] {
  const references = absent.filter(({ place }) => place === 'reference').map(({ table }) => table)
  const ordered = inOrder(references, keys).map((table) => ({
    title: `Made ${table} a reference table`,
    statements: [`select create_reference_table('public.${table}')`],
    isAtomic: true,
  }))
  const distributed = absent.filter(({ place }) => place !== 'reference')
  const columns = new Map(distributed.map(({ table, place }) => [table, place]))
  const groups = groupsOf([...columns.keys()], keys)
  const steps = groups.map((tables) => {
    const between = keys.filter(({ from, to }) => tables.includes(from) && tables.includes(to))
    return {
      title: `Distributed ${tables.join(', ')} by ${columns.get(tables[0] ?? '')}`,
      statements: [
        ...between.map(({ from, name }) => `alter table public.${from} drop constraint ${name}`),
        ...tables.map((table) => distributeText(table, columns.get(table) ?? 'directory_id')),
        ...between.map(
          ({ from, name, definition }) => `alter table public.${from} add constraint ${name} ${definition}`,
        ),
      ],
      isAtomic: true,
    }
  })
  return [...ordered, ...steps]
}

// All tables distributed by `directory_id` join the first one's group, so that a directory is on one server. API keys
// are other values.
const [ANCHOR = ''] = PLACES.directory_id

function distributeText(table: string, column: Place): string {
  const group = column === 'directory_id' && table !== ANCHOR ? `public.${ANCHOR}` : 'none'
  return `select create_distributed_table('public.${table}', '${column}', colocate_with => '${group}')`
}

/** Sorts the tables so that each comes after the tables that its foreign keys name. */
function inOrder(tables: string[], keys: ForeignKey[]): string[] {
  const placed: string[] = []
  const place = (table: string, path: string[]) => {
    if (placed.includes(table) || path.includes(table)) return
    for (const { to } of keys.filter(({ from, to }) => from === table && tables.includes(to)))
      place(to, [...path, table])
    placed.push(table)
  }
  for (const table of tables) place(table, [])
  return placed
}

/** Groups the tables that foreign keys connect, in order. */
function groupsOf(tables: string[], keys: ForeignKey[]): string[][] {
  const groups: string[][] = []
  for (const table of tables) {
    const isNear = (other: string) =>
      keys.some(({ from, to }) => (from === table && to === other) || (to === table && from === other))
    const near = groups.filter((group) => group.some(isNear))
    const rest = groups.filter((group) => !near.includes(group))
    groups.splice(0, groups.length, ...rest, [...near.flat(), table])
  }
  return groups.toSorted((one, other) => tables.indexOf(one[0] ?? '') - tables.indexOf(other[0] ?? ''))
}

/** Distributing copies rows to the shards. The rows left on the coordinator are useless, and contain personal data. */
async function localCopies(client: pg.Client): Promise<Step[]> {
  const tables = wantedPlaces().flatMap(([table, place]) => (place === 'local' ? [] : [table]))
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relname = any($1)
      and pg_relation_size(oid) > 0 order by relname`,
    [tables],
  )
  return rows.map(({ name }) => ({
    title: `Removed the rows of ${name} that were left on the coordinator`,
    statements: [`select truncate_local_data_after_distributing_table('public.${name}')`],
    isAtomic: true,
  }))
}

/**
 * Sets on each shard, and each copy of a reference table, the options that migrations set on the table
 * (`expect_many_rows`).
 */
async function plannerOptions(client: pg.Client): Promise<Step | null> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      join pg_dist_partition p on p.logicalrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and a.attname = 'directory_id' and c.relname = any($1)
      order by c.relname`,
    [wantedPlaces().map(([table]) => table)],
  )
  const lacking: string[] = []
  for (const { name } of rows) {
    const { rows: without } = await client.query(`
      select from run_command_on_placements('public.${name}',
        $$select coalesce(attoptions, '{}') @> '{n_distinct=${DISTINCT_DIRECTORIES}}' from pg_attribute
          where attrelid = '%s'::regclass and attname = 'directory_id'$$)
      where result is distinct from 't' limit 1`)
    if (without.length > 0) lacking.push(name)
  }
  if (lacking.length === 0) return null
  const onPlacements = (table: string, command: string) =>
    onEvery(`run_command_on_placements('public.${table}', $$${command}$$)`)
  return {
    title: `Set n_distinct of directory_id on the shards of ${lacking.join(', ')}`,
    statements: lacking.flatMap((table) => [
      onPlacements(table, `alter table %s alter column directory_id set (n_distinct = ${DISTINCT_DIRECTORIES})`),
      onPlacements(table, 'analyze %s'),
    ]),
    isAtomic: false,
  }
}

/** Runs a command on every other server. Fails if it fails on one, because Citus itself only returns a result row. */
const onEvery = (command: string) => `
  do $body$ declare failure text := (select result from ${command} where not success limit 1);
  begin if failure is not null then raise exception '%', failure; end if; end $body$`

/**
 * Limits and planner settings for the statements that the coordinator sends to workers. They are stored with the role
 * for this database.
 */
async function settingsOfWorkers(client: pg.Client): Promise<Step | null> {
  const { rows } = await client.query<{ role: string; database: string; done: boolean }>(
    `select quote_ident(current_user) as role, quote_ident(current_database()) as database,
      coalesce((select bool_and(success and result = $1) from run_command_on_workers($$
        select string_agg(name || '=' || setting, ',' order by name) from pg_settings where source = 'database user'
          and name = any('{${WORKER_SETTINGS.join()}}')$$)), true) as done`,
    [shownSettings()],
  )
  const [found] = rows
  if (!found || found.done) return null
  const { role, database } = found
  return {
    title: `Set ${WORKER_SETTINGS.join(', ')} of role ${role} on the workers`,
    // Run locally only, because each worker would pass it on to all others.
    statements: [
      onEvery(`run_command_on_workers($command$ do $do$ begin
        set local citus.enable_ddl_propagation = off;
        ${WORKER_SETTINGS.map((name) => `alter role ${role} in database ${database} set ${name} = '${SESSION_SETTINGS[name]}';`).join(' ')}
      end $do$ $command$)`),
    ],
    isAtomic: false,
  }
}

/** The values as `pg_settings` shows them, with times in milliseconds. */
function shownSettings(): string {
  const shown = { ...SESSION_SETTINGS, lock_timeout: String(Number.parseInt(SESSION_SETTINGS.lock_timeout, 10) * 1000) }
  return WORKER_SETTINGS.toSorted()
    .map((name) => `${name}=${shown[name]}`)
    .join()
}

/**
 * Creates `clock_now()` and the other functions on every server. Most already exist together with the tables that need
 * them.
 */
async function functions(client: pg.Client): Promise<Step | null> {
  const { rows } = await client.query<{ signature: string }>(`
    select f.oid::regprocedure::text as signature from pg_proc f
    where f.pronamespace = 'public'::regnamespace and f.prorettype <> 'trigger'::regtype
      and not exists (select from pg_depend d where d.objid = f.oid and d.deptype = 'e')
      and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = f.oid)
    order by 1`)
  if (rows.length === 0) return null
  const names = rows.map(({ signature }) => signature)
  return {
    title: `Made ${names.join(', ')} on the workers`,
    statements: names.map((name) => `select create_distributed_function('public.${name.replace(/^public\./, '')}')`),
    isAtomic: true,
  }
}
