import type { Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import { existsIn } from '../../../platform/db/home-environment.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { ApiKeys } from '../../../platform/db/schema.gen.ts'
import { type Found, findPage, type Page } from '../../../platform/http/pagination.ts'

export type ApiKeyRow = Selectable<ApiKeys> & { environment_slug: string }

/** The keys that a caller may see. */
export interface KeyReach {
  accountId: string
  /** Null: every environment. */
  environmentId: string | null
  /** Null: every organization, and org-wide keys. */
  organizationId: string | null
}

/** `created_by` of the previous secret of a rotated key, while it overlaps. */
export const previousSecretOf = (id: string) => `rotation:${id}`

/** The id of the key whose previous secret this row is. Null if the row is the key itself. */
export function keyOfPreviousSecret({ created_by }: Pick<ApiKeyRow, 'created_by'>): string | null {
  const prefix = previousSecretOf('')
  return created_by.startsWith(prefix) ? created_by.slice(prefix.length) : null
}

/** The key with this keyed hash, unless it is revoked. */
export async function findApiKeyRow(db: Db, hash: Buffer): Promise<ApiKeyRow | undefined> {
  return selectApiKeys(db).where('key_hash', '=', hash).where('revoked_at', 'is', null).executeTakeFirst()
}

export async function listApiKeyRows(db: Db, reach: KeyReach): Promise<ApiKeyRow[]> {
  return selectReached(db, reach).orderBy('created_at').orderBy('id').execute()
}

export function findApiKeyPage(db: Db, reach: KeyReach, page: Page): Promise<Found<ApiKeyRow>> {
  return findPage(db, selectReached(db, reach), page, { at: 'api_keys.created_at', id: 'api_keys.id' })
}

/** A key, locked until the transaction ends. `dead`: revoked or expired. */
export async function lockApiKeyRow(tx: Tx, reach: KeyReach, id: string) {
  return selectReached(tx, reach)
    .select(sql<boolean>`(revoked_at is not null or coalesce(expires_at <= clock_now(), false))`.as('dead'))
    .where('api_keys.id', '=', id)
    .forUpdate('api_keys')
    .executeTakeFirst()
}

/**
 * Inserts a key. Returns undefined if the environment belongs to another account, or was created for another
 * organization. The statement itself checks that, whatever the caller checked before.
 */
export async function insertApiKeyRow(
  db: Db,
  row: Insertable<ApiKeys> & { organization_id: string | null },
): Promise<Selectable<ApiKeys> | undefined> {
  // Without the alias, Citus takes the table in `returning` for a missing table of the select.
  const { rows } = await sql<Selectable<ApiKeys>>`
    insert into api_keys as made (id, account_id, environment_id, organization_id, name, start, key_hash, scopes,
      requests_per_second, expires_at, allowed_ips, created_by)
    select ${row.id}::uuid, e.account_id, e.id, ${row.organization_id}::uuid, ${row.name}::text, ${row.start}::text,
      ${row.key_hash}::bytea, ${row.scopes}::text[], ${row.requests_per_second ?? null}::int,
      ${row.expires_at ?? null}::timestamptz, ${row.allowed_ips ?? null}::text[], ${row.created_by}::text
    from environments e left join organizations o on o.id = ${row.organization_id}::uuid
    where e.id = ${row.environment_id} and e.account_id = ${row.account_id}
      and case when ${row.organization_id}::uuid is null then e.organization_id is null else ${existsIn('o', 'e')} end
    returning *`.execute(db)
  return rows[0]
}

/** A key that a caller may see, revoked or not. */
export async function findReachedKey(db: Db, reach: KeyReach, id: string): Promise<ApiKeyRow | undefined> {
  return selectReached(db, reach).where('api_keys.id', '=', id).executeTakeFirst()
}

/**
 * Changes the name and rights of a key and of its previous secrets, which share them. Returns all changed rows,
 * without the environment's slug.
 */
export async function changeKeyRows(
  tx: Tx,
  reach: KeyReach,
  id: string,
  changes: Pick<Selectable<ApiKeys>, 'name' | 'scopes' | 'allowed_ips'>,
): Promise<Selectable<ApiKeys>[]> {
  return tx
    .updateTable('api_keys')
    .set(changes)
    .where('account_id', '=', reach.accountId)
    .where((eb) => eb.or([eb('id', '=', id), eb('created_by', '=', previousSecretOf(id))]))
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute()
}

/** Revokes a live key and its previous secrets. Returns the revoked rows. */
export async function revokeApiKeyRows(tx: Tx, reach: KeyReach, id: string): Promise<Selectable<ApiKeys>[]> {
  return tx
    .updateTable('api_keys')
    .set({ revoked_at: sql`clock_now()` })
    .where('account_id', '=', reach.accountId)
    .where((eb) => eb.or([eb('id', '=', id), eb('created_by', '=', previousSecretOf(id))]))
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute()
}

/** Revokes only the previous secrets of a key. Returns the revoked rows. */
export async function revokePreviousSecretRows(tx: Tx, accountId: string, id: string): Promise<Selectable<ApiKeys>[]> {
  return tx
    .updateTable('api_keys')
    .set({ revoked_at: sql`clock_now()` })
    .where('account_id', '=', accountId)
    .where('created_by', '=', previousSecretOf(id))
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute()
}

export async function replaceSecret(tx: Tx, id: string, secret: { start: string; key_hash: Buffer }): Promise<void> {
  await tx.updateTable('api_keys').set(secret).where('id', '=', id).execute()
}

/** Makes a key expire within `seconds`, unless it expires earlier anyway. */
export async function endKeyWithin(tx: Tx, id: string, seconds: number): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ expires_at: sql`least(expires_at, clock_now() + make_interval(secs => ${seconds}))` })
    .where('id', '=', id)
    .execute()
}

export interface KeyUse {
  id: string
  at: Date
  ip: string | null
}

/** Writes when keys were last used. Skips keys that another process is writing right now: its time is as good. */
export async function stampKeyUses(db: Db, uses: KeyUse[]): Promise<void> {
  const ids = uses.map((use) => use.id)
  await sql`
    update api_keys set last_used_at = greatest(last_used_at, used.at), last_used_ip = coalesce(used.ip, last_used_ip)
    from unnest(${ids}::uuid[], ${uses.map((use) => use.at)}::timestamptz[], ${uses.map((use) => use.ip)}::text[])
        as used (id, at, ip),
      (select id from api_keys where id = any(${ids}::uuid[]) for no key update skip locked) free
    where api_keys.id = used.id and api_keys.id = free.id`.execute(db)
}

/**
 * The keys of an organization in every environment, and all keys of environments that were created for it. Includes
 * revoked keys.
 */
export async function listKeysOfOrganization(db: Db, organizationId: string) {
  return db
    .selectFrom('api_keys')
    .innerJoin('environments', 'environments.id', 'api_keys.environment_id')
    .select(['api_keys.id', 'api_keys.key_hash'])
    .where((eb) =>
      eb.or([
        eb('api_keys.organization_id', '=', organizationId),
        eb('environments.organization_id', '=', organizationId),
      ]),
    )
    .execute()
}

/** Deletes keys, and the replies stored for their `Idempotency-Key`s. */
export async function deleteKeyRows(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.deleteFrom('api_keys').where('id', 'in', ids).execute()
  // Foreign table idempotency_keys: replies that were stored for a deleted key.
  for (const id of ids) await tx.deleteFrom('idempotency_keys').where('api_key_id', '=', id).execute()
}

export async function hasAnyApiKey(db: Db): Promise<boolean> {
  const row = await db.selectNoFrom(sql<boolean>`exists (select from api_keys)`.as('any')).executeTakeFirstOrThrow()
  return row.any
}

/** Locks until the transaction ends, so that only one of several concurrent first starts creates the first key. */
export async function lockFirstKey(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('watchword.first_key'))`.execute(tx)
}

function selectApiKeys(db: Db) {
  return db
    .selectFrom('api_keys')
    .innerJoin('environments', 'environments.id', 'api_keys.environment_id')
    .selectAll('api_keys')
    .select('environments.slug as environment_slug')
}

function selectReached(db: Db, reach: KeyReach) {
  const { accountId, environmentId, organizationId } = reach
  return selectApiKeys(db)
    .where('api_keys.account_id', '=', accountId)
    .$if(environmentId !== null, (query) => query.where('api_keys.environment_id', '=', environmentId ?? ''))
    .$if(organizationId !== null, (query) => query.where('api_keys.organization_id', '=', organizationId))
}
