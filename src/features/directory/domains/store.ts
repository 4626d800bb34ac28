import { type Insertable, type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { DB, Domains } from '../../../platform/db/schema.gen.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { CheckError } from './challenge.ts'

/** Narrows the states and errors to the values that are written. */
export type DomainRow = Omit<Selectable<Domains>, 'status' | 'last_error'> & {
  status: 'pending' | 'verified' | 'failed'
  last_error: CheckError | null
}

/** A domain that is due for a check, and how many checks in a row have not found its record. */
export interface DueDomain {
  directory_id: string
  id: string
  failed_checks: number
}

/**
 * Locks the organization until the transaction ends, so that its domains can be counted and it is not archived
 * meanwhile.
 */
export async function lockOrganizationRow(tx: Tx, { organizationId }: Directory) {
  return tx
    .selectFrom('organizations')
    .select('status')
    .where('id', '=', organizationId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export async function listDomainRows(db: Db, directory: Directory): Promise<DomainRow[]> {
  return selectDomains(db, directory).orderBy('created_at').orderBy('id').execute()
}

export async function findDomainRow(db: Db, directory: Directory, id: string): Promise<DomainRow | undefined> {
  return selectDomains(db, directory).where('id', '=', id).executeTakeFirst()
}

/** Whether another organization of the environment has the domain. */
export async function isVerifiedElsewhere(db: Db, directory: Directory, domain: string): Promise<boolean> {
  const row = await db
    .selectFrom('domains')
    .select('id')
    .where('environment_id', '=', directory.environmentId)
    .where('domain', '=', domain)
    .where('status', '=', 'verified')
    .where('directory_id', '<>', directory.id)
    .executeTakeFirst()
  return row !== undefined
}

/** The active organization that has verified a domain in an environment. */
export interface DomainOwner {
  directory_id: string
  organization_id: string
  name: string
  slug: string
}

/** There is at most one (`domains_one_owner`). */
export async function findDomainOwner(
  db: Db,
  { environmentId }: { environmentId: string },
  domain: string,
): Promise<DomainOwner | undefined> {
  return db
    .selectFrom('domains')
    .innerJoin('organizations', 'organizations.id', 'domains.organization_id')
    .select(['domains.directory_id', 'domains.organization_id', 'organizations.name', 'organizations.slug'])
    .where('domains.environment_id', '=', environmentId)
    .where('domains.domain', '=', domain)
    .where('domains.status', '=', 'verified')
    .where('organizations.status', '=', 'active')
    .executeTakeFirst()
}

/** Whether the organization itself has verified the domain. */
export async function isVerifiedHere(db: Db, directory: Directory, domain: string): Promise<boolean> {
  const row = await selectDomains(db, directory)
    .where('domain', '=', domain)
    .where('status', '=', 'verified')
    .executeTakeFirst()
  return row !== undefined
}

export async function insertDomainRow(
  tx: Tx,
  directory: Directory,
  row: Pick<Insertable<Domains>, 'id' | 'organization_id' | 'domain' | 'token'>,
): Promise<void> {
  const { id: directory_id, environmentId: environment_id } = directory
  await tx
    .insertInto('domains')
    .values({ ...row, directory_id, environment_id })
    .execute()
}

export async function deleteDomainRow(tx: Tx, directory: Directory, id: string): Promise<DomainRow | undefined> {
  const row = await findDomainRow(tx, directory, id)
  const gone = await tx
    .deleteFrom('domains')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return gone && row
}

/**
 * Writes the result of a check. If `only` is given, writes only if the domain is still in the state in which the check
 * found it. Returns whether it was written.
 */
export async function updateDomainRow(
  db: Db,
  directory: Directory,
  {
    id,
    only = {},
    set,
  }: { id: string; only?: Partial<Pick<DomainRow, 'status' | 'failed_checks'>>; set: UpdateObject<DB, 'domains'> },
): Promise<boolean> {
  const row = await db
    .updateTable('domains')
    .set({ last_checked_at: now, ...set })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where((eb) => eb.and(only))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The time in so many seconds. */
export function inSeconds(seconds: number): RawBuilder<Date> {
  return sql<Date>`clock_now() + make_interval(secs => ${seconds})`
}

/** Whether the checks of a domain have failed for `days` days. */
export async function isFailingFor(db: Db, directory: Directory, id: string, days: number): Promise<boolean> {
  const row = await selectDomains(db, directory)
    .where('id', '=', id)
    .where('failing_since', '<=', sql<Date>`clock_now() - make_interval(days => ${days})`)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Takes domains that are due, and sets their next check to `nextSeconds` from now, in case this check does not
 * finish.
 */
export async function takeDueRows(
  tx: Tx,
  { limit, nextSeconds, skipLocked }: { limit: number; nextSeconds: number; skipLocked: RawBuilder<unknown> },
): Promise<DueDomain[]> {
  const isDue = sql`next_check_at <= clock_now()`
  const { rows } = await sql<DueDomain>`
    update domains set next_check_at = ${inSeconds(nextSeconds)} where ${isDue} and (directory_id, id) in (
      select directory_id, id from domains where ${isDue} order by next_check_at limit ${limit} ${skipLocked})
    returning directory_id, id, failed_checks`.execute(tx)
  return rows
}

function selectDomains(db: Db, directory: Directory) {
  return db.selectFrom('domains').selectAll().where('directory_id', '=', directory.id).$castTo<DomainRow>()
}
