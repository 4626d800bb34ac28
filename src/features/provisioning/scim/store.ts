import { type InsertObject, type Selectable, sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { DB, ScimConfigs, ScimLogs, ScimTokens } from '../../../platform/db/schema.gen.ts'
import { type Page, takePage } from '../../../platform/http/pagination.ts'
import { defineJoined } from '../../../platform/joined/joined.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

export type LogRow = Selectable<ScimLogs>
export type TokenRow = Selectable<ScimTokens>
export type ConfigRow = Omit<Selectable<ScimConfigs>, 'on_deprovision'> & { on_deprovision: 'deactivate' | 'delete' }

/** Finds the token with this keyed hash. */
export async function findTokenRow(db: Db, hash: Buffer): Promise<TokenRow | undefined> {
  return db.selectFrom('scim_tokens').selectAll().where('token_hash', '=', hash).executeTakeFirst()
}

/** The current token, even if it has expired, and the previous one while it works. */
export async function listTokenRows(db: Db, directory: Directory): Promise<TokenRow[]> {
  return db
    .selectFrom('scim_tokens')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('expires_at', (order) => order.desc().nullsFirst())
    .execute()
}

/** `days` is how long the token works, or null for no end. */
export async function insertTokenRow(
  tx: Tx,
  directory: Directory,
  { days, ...row }: Omit<InsertObject<DB, 'scim_tokens'>, 'directory_id'> & { days: number | null },
): Promise<void> {
  const lifetime_ends_at = days === null ? null : sql<Date>`clock_now() + make_interval(days => ${days}::int)`
  await tx
    .insertInto('scim_tokens')
    .values({ ...row, directory_id: directory.id, lifetime_ends_at })
    .execute()
}

/** Ends the tokens of the directory, the current one after this many seconds. Returns all tokens that there were. */
export async function endTokenRows(tx: Tx, directory: Directory, overlapSeconds: number): Promise<TokenRow[]> {
  const gone = await tx
    .deleteFrom('scim_tokens')
    .where('directory_id', '=', directory.id)
    .$if(overlapSeconds > 0, (query) => query.where('expires_at', 'is not', null))
    .returningAll()
    .execute()
  if (overlapSeconds === 0) return gone
  const kept = await tx
    .updateTable('scim_tokens')
    .set({ expires_at: sql`clock_now() + make_interval(secs => ${overlapSeconds})` })
    .where('directory_id', '=', directory.id)
    .returningAll()
    .execute()
  return [...gone, ...kept]
}

export async function findConfigRow(db: Db, directory: Directory): Promise<ConfigRow | undefined> {
  return db
    .selectFrom('scim_configs')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .$castTo<ConfigRow>()
    .executeTakeFirst()
}

/** Locks the configuration until the transaction ends. Creates it if there is none. */
export async function lockConfigRow(tx: Tx, directory: Directory): Promise<ConfigRow> {
  await tx
    .insertInto('scim_configs')
    .values({ directory_id: directory.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tx
    .selectFrom('scim_configs')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .forUpdate()
    .$castTo<ConfigRow>()
    .executeTakeFirstOrThrow()
}

export async function updateConfigRow(
  tx: Tx,
  directory: Directory,
  changes: Partial<Pick<ConfigRow, 'enabled' | 'sso_connection_id' | 'on_deprovision'>>,
): Promise<ConfigRow> {
  return tx
    .updateTable('scim_configs')
    .set({ ...changes, updated_at: now })
    .where('directory_id', '=', directory.id)
    .returningAll()
    .$castTo<ConfigRow>()
    .executeTakeFirstOrThrow()
}

export async function countProvisioned(
  db: Db,
  directory: Directory,
): Promise<{ userCount: number; groupCount: number }> {
  return db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('scim_users')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('directory_id', '=', directory.id)
        .where('deleted_at', 'is', null)
        .$asScalar()
        .$notNull()
        .as('userCount'),
      eb
        .selectFrom('scim_groups')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('directory_id', '=', directory.id)
        .$asScalar()
        .$notNull()
        .as('groupCount'),
    ])
    .executeTakeFirstOrThrow()
}

/** The row that decides whether a provisioning client is served. */
export interface ProvisioningRow {
  enabled: boolean
  sso_connection_id: string | null
  on_deprovision: 'deactivate' | 'delete'
  organization_status: string | null
  /** Whether the token, if there is one, still works. Caches of other processes learn of its end later. */
  works: boolean
}

export const readProvisioning = defineJoined<ProvisioningRow>()({
  columns: { token_id: 'uuid' },
  text: ({ directory }) => sqlText`
    select asked.n, coalesce(c.enabled, false) as enabled, c.sso_connection_id,
      coalesce(c.on_deprovision, 'deactivate') as on_deprovision, o.status as organization_status,
      asked.token_id is null or t.id is not null as works
    from asked
    join directories d on d.id = asked.directory_id
    left join organizations o on o.id = d.organization_id
    left join scim_tokens t on t.id = asked.token_id and t.directory_id = asked.directory_id
      and (t.expires_at is null or t.expires_at > clock_now())
      and (t.lifetime_ends_at is null or t.lifetime_ends_at > clock_now())
    left join scim_configs c on c.directory_id = ${directory('asked')}`,
})

/**
 * Stores a request. At most once a minute, also stores in the configuration that there was one, which is precise
 * enough and avoids updates. A configuration that is being changed is skipped.
 */
export const keepRequest = defineJoined<Pick<LogRow, 'created_at'>>()({
  columns: { id: 'uuid', method: 'text', route: 'text', status: 'int', code: 'text', said_sealed: 'text' },
  order: sqlText`directory_id, id`,
  text: ({ directory, lock }) => sqlText`,
    due as (
      select found.directory_id from clock cross join asked cross join lateral (
        select directory_id from scim_configs where directory_id = ${directory('asked')}
          and (last_request_at is null or last_request_at < clock.at - interval '1 minute')
        ${lock}) found),
    touched as (
      update scim_configs set last_request_at = clock.at from clock cross join due
      where scim_configs.directory_id = ${directory('due')}),
    kept as (
      insert into scim_logs (directory_id, id, method, route, status, code, said_sealed, created_at)
      select asked.directory_id, asked.id, asked.method, asked.route, asked.status, asked.code, asked.said_sealed, clock.at
      from clock cross join asked returning id, created_at)
    select asked.n, kept.created_at from asked join kept on kept.id = asked.id`,
})

export async function findLogRow(db: Db, directory: Directory, id: string): Promise<LogRow | undefined> {
  const query = db.selectFrom('scim_logs').selectAll().where('directory_id', '=', directory.id)
  return query.where('id', '=', id).executeTakeFirst()
}

export async function selectLogPage(db: Db, directory: Directory, page: Page): Promise<LogRow[]> {
  const query = db.selectFrom('scim_logs').selectAll().where('directory_id', '=', directory.id)
  return takePage(query, page, { at: 'created_at', id: 'id' }).execute()
}
