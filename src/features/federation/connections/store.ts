import { type Insertable, type InsertObject, type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { DB, SpKeys, SsoConnections, SsoTraces } from '../../../platform/db/schema.gen.ts'
import { type Found, findPage, type Page } from '../../../platform/http/pagination.ts'
import type { Directory, Reach } from '../../../platform/tenancy/directory.ts'
import { isServed } from '../../../platform/tenancy/services.ts'

export interface ConnectionRow extends Omit<Selectable<SsoConnections>, 'protocol' | 'status'> {
  protocol: 'saml' | 'oidc'
  status: 'draft' | 'testing' | 'active' | 'error'
}
/** A connection with the organization and account that it belongs to. */
export interface ListedConnectionRow extends ConnectionRow {
  organization_id: string | null
  account_id: string
}
export type TraceRow = Selectable<SsoTraces>
export type SpKeyRow = Selectable<SpKeys>

/** The time in so many seconds. */
export function inSeconds(seconds: number): RawBuilder<Date> {
  return sql<Date>`clock_now() + make_interval(secs => ${seconds})`
}

/** The id of a connection's directory, in any environment; null if there is no such connection. */
export async function findDirectoryIdOfConnection(db: Db, id: string): Promise<string | null> {
  const row = await db.selectFrom('sso_connections').select('directory_id').where('id', '=', id).executeTakeFirst()
  return row?.directory_id ?? null
}

export async function isProvisioningEnabled(db: Db, directoryId: string): Promise<boolean> {
  const row = await db
    .selectFrom('scim_configs')
    .select('enabled')
    .where('directory_id', '=', directoryId)
    .executeTakeFirst()
  return row?.enabled ?? false
}

/** Whether provisioning is linked to none of several connections. */
export async function lacksLink(db: Db, directory: Directory): Promise<boolean> {
  const row = await db
    .selectFrom('scim_configs')
    .innerJoin('sso_connections', 'sso_connections.directory_id', 'scim_configs.directory_id')
    .select(sql<boolean>`count(*) > 1`.as('is_lacking'))
    .where('scim_configs.directory_id', '=', directory.id)
    .where('sso_connection_id', 'is', null)
    .executeTakeFirst()
  return row?.is_lacking ?? false
}

/** Names of up to ten active connections, in any directory, that create users although provisioning is enabled. */
export async function listJitBesideProvisioning(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('sso_connections')
    .innerJoin('scim_configs', 'scim_configs.directory_id', 'sso_connections.directory_id')
    .select(['sso_connections.name', 'sso_connections.id'])
    .where('scim_configs.enabled', '=', true)
    .where('sso_connections.status', '=', 'active')
    .where(sql<boolean>`config @> '{"jit_provisioning": true}'`)
    .limit(10)
    .execute()
  return rows.map(({ name, id }) => `${name} (${id})`)
}

/** Finds a connection and locks its row until the transaction ends. */
export async function lockConnectionRow(tx: Tx, directory: Directory, id: string): Promise<ConnectionRow | undefined> {
  return selectConnections(tx, directory).where('id', '=', id).forUpdate().executeTakeFirst()
}

export async function listConnectionRows(db: Db, directory: Directory, limit: number): Promise<ConnectionRow[]> {
  return selectConnections(db, directory).orderBy('created_at').orderBy('id').limit(limit).execute()
}

function selectConnections(db: Db, directory: Directory) {
  return db.selectFrom('sso_connections').selectAll().where('directory_id', '=', directory.id).$castTo<ConnectionRow>()
}

export async function findConnectionRowInReach(
  db: Db,
  reach: Reach,
  id: string,
): Promise<ListedConnectionRow | undefined> {
  return selectInReach(db, reach).where('sso_connections.id', '=', id).executeTakeFirst()
}

export function selectConnectionPage(db: Db, reach: Reach, page: Page): Promise<Found<ListedConnectionRow>> {
  const query = selectInReach(db, reach).where(isServed(reach, 'sso_connections.directory_id'))
  return findPage(db, query, page, { at: 'sso_connections.created_at', id: 'sso_connections.id' })
}

function selectInReach(db: Db, reach: Reach) {
  return db
    .selectFrom('sso_connections')
    .innerJoin('directories', 'directories.id', 'sso_connections.directory_id')
    .selectAll('sso_connections')
    .select(['directories.organization_id', 'directories.account_id'])
    .where((eb) =>
      reach.directory
        ? eb('sso_connections.directory_id', '=', reach.directory.id)
        : eb('sso_connections.environment_id', '=', reach.environmentId),
    )
    .$castTo<ListedConnectionRow>()
}

/**
 * Creates a connection. Other creations in the directory wait until the transaction ends, so a later count includes
 * this one.
 */
export async function insertConnectionRow(
  tx: Tx,
  directory: Directory,
  row: Omit<InsertObject<DB, 'sso_connections'>, 'directory_id' | 'environment_id'>,
): Promise<ConnectionRow> {
  await sql`select pg_advisory_xact_lock(hashtext('watchword.connections'), hashtext(${directory.id}))`.execute(tx)
  return tx
    .insertInto('sso_connections')
    .values({ ...row, directory_id: directory.id, environment_id: directory.environmentId })
    .returningAll()
    .$castTo<ConnectionRow>()
    .executeTakeFirstOrThrow()
}

export async function updateConnectionRow(
  tx: Tx,
  directory: Directory,
  id: string,
  changes: UpdateObject<DB, 'sso_connections'>,
): Promise<ConnectionRow> {
  return tx
    .updateTable('sso_connections')
    .set({ ...changes, version: sql`version + 1`, updated_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returningAll()
    .$castTo<ConnectionRow>()
    .executeTakeFirstOrThrow()
}

/** Records that an expiry was announced. Does not count as a change of the connection. */
export async function noteExpiryTold(tx: Tx, directory: Directory, id: string, days: number): Promise<void> {
  await tx
    .updateTable('sso_connections')
    .set({ expiry_told_days: days })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}

/** Records a sign-in. Does not count as a change of the connection. */
export async function touchConnectionRow(db: Db, directory: Directory, id: string): Promise<void> {
  await db
    .updateTable('sso_connections')
    .set({ last_login_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    // Once a minute is precise enough for people, and avoids contention on the row when many users sign in at the same
    // time.
    .where((eb) =>
      eb.or([eb('last_login_at', 'is', null), eb('last_login_at', '<', sql<Date>`clock_now() - interval '1 minute'`)]),
    )
    .execute()
}

export async function deleteConnectionRow(tx: Tx, directory: Directory, id: string): Promise<void> {
  await tx.deleteFrom('sso_connections').where('directory_id', '=', directory.id).where('id', '=', id).execute()
  await tx.deleteFrom('sso_traces').where('directory_id', '=', directory.id).where('connection_id', '=', id).execute()
}

/** Takes connections that are due for a check, and sets their next check to `nextSeconds` from now. */
export async function takeDueConnectionRows(
  tx: Tx,
  { limit, nextSeconds, skipLocked }: { limit: number; nextSeconds: number; skipLocked: RawBuilder<unknown> },
): Promise<{ directory_id: string; id: string }[]> {
  const isDue = sql`next_check_at <= clock_now()`
  const { rows } = await sql<{ directory_id: string; id: string }>`
    update sso_connections set next_check_at = clock_now() + make_interval(secs => ${nextSeconds})
    where ${isDue} and (directory_id, id) in (
      select directory_id, id from sso_connections where ${isDue} order by next_check_at limit ${limit} ${skipLocked})
    returning directory_id, id`.execute(tx)
  return rows
}

export async function insertTraceRow(
  db: Db,
  directory: Directory,
  row: Omit<Insertable<SsoTraces>, 'directory_id'>,
): Promise<void> {
  await db
    .insertInto('sso_traces')
    .values({ ...row, directory_id: directory.id })
    .execute()
}

/** The latest traces, newest first. */
export async function listTraceRows(
  db: Db,
  directory: Directory,
  connectionId: string,
  limit: number,
): Promise<TraceRow[]> {
  return db
    .selectFrom('sso_traces')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .where('connection_id', '=', connectionId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function listSpKeyRows(db: Db, environmentId: string): Promise<SpKeyRow[]> {
  return db
    .selectFrom('sp_keys')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .orderBy('created_at')
    .execute()
}

/** If two requests insert a key, the first one wins. */
export async function insertSpKeyRow(tx: Tx, row: Insertable<SpKeys>): Promise<void> {
  await tx
    .insertInto('sp_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * The keys of an environment, locked until the transaction ends. They are read after the lock, since a request that
 * waited would otherwise miss new keys.
 */
export async function lockSpKeyRows(tx: Tx, environmentId: string): Promise<SpKeyRow[]> {
  await tx.selectFrom('sp_keys').select('id').where('environment_id', '=', environmentId).forUpdate().execute()
  return listSpKeyRows(tx, environmentId)
}

export async function moveSpKeyRows(tx: Tx, environmentId: string, { from, to }: { from: string; to: string }) {
  await tx
    .updateTable('sp_keys')
    .set({ status: to })
    .where('environment_id', '=', environmentId)
    .where('status', '=', from)
    .execute()
}

export async function deleteSpKeyRows(tx: Tx, environmentId: string, status: string): Promise<void> {
  await tx.deleteFrom('sp_keys').where('environment_id', '=', environmentId).where('status', '=', status).execute()
}
