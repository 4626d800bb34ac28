import { type Selectable, type SqlBool, sql } from 'kysely'
import { now } from '../../db/now.ts'
import type { Db, Tx } from '../../db/pool.ts'
import type { BouncedAddresses } from '../../db/schema.gen.ts'
import { byAge, type Found, type Page, searchPage } from '../../http/pagination.ts'
import { newId } from '../../ids.ts'
import { defineRetention } from '../../jobs/retention.ts'
import type { Directory, Reach } from '../../tenancy/directory.ts'
import type { BounceKind } from './report.ts'

/** How long a soft bounce counts. */
export const SOFT_WITHIN_MS = 7 * 24 * 3600_000

export type AddressRow = Selectable<BouncedAddresses>

/** The row of a suppressed address. */
export interface SuppressionRow
  extends Pick<
    AddressRow,
    'id' | 'directory_id' | 'email_norm' | 'status' | 'suppressed_until' | 'withheld' | 'last_withheld_at'
  > {
  reason: 'hard_bounce' | 'complaint' | 'soft_bounces'
  source: 'smtp' | 'report'
  suppressed_at: Date
}

const isSuppressed = sql<SqlBool>`(bounced_addresses.reason is not null
  and (bounced_addresses.suppressed_until is null or bounced_addresses.suppressed_until > clock_now()))`

// The table's constraints guarantee that these columns are set.
const columns = [
  'bounced_addresses.id',
  'bounced_addresses.directory_id',
  'bounced_addresses.email_norm',
  'bounced_addresses.status',
  'bounced_addresses.suppressed_until',
  'bounced_addresses.withheld',
  'bounced_addresses.last_withheld_at',
  sql<SuppressionRow['reason']>`bounced_addresses.reason`.as('reason'),
  sql<SuppressionRow['source']>`bounced_addresses.source`.as('source'),
  sql<Date>`bounced_addresses.suppressed_at`.as('suppressed_at'),
] as const

const selectSuppressed = (db: Db) => db.selectFrom('bounced_addresses').select(columns).where(isSuppressed)

/** The suppressions of an address in these directories, latest first. */
export function findSuppressions(db: Db, directories: Directory[], emailNorms: string[]): Promise<SuppressionRow[]> {
  const ids = directories.map(({ id }) => id)
  return selectSuppressed(db)
    .where('bounced_addresses.directory_id', 'in', ids)
    .where('bounced_addresses.email_norm', 'in', emailNorms)
    .orderBy('suppressed_at', 'desc')
    .execute()
}

/** Finds the row of an address in a directory: the soft bounces that count, and the suppression. */
export async function findAddress(
  db: Db,
  directory: Directory,
  emailNorm: string,
): Promise<{ soft_bounces: number; suppression: SuppressionRow | null } | null> {
  const row = await db
    .selectFrom('bounced_addresses')
    .select(columns)
    .select(sql<boolean>`coalesce(${isSuppressed}, false)`.as('suppressed'))
    .select(
      sql<number>`(select count(*) from unnest(soft_bounced_at) as at (at)
        where at.at > clock_now() - make_interval(secs => ${SOFT_WITHIN_MS / 1000}))::int`.as('soft_bounces'),
    )
    .where('bounced_addresses.directory_id', '=', directory.id)
    .where('bounced_addresses.email_norm', '=', emailNorm)
    .executeTakeFirst()
  return row ? { soft_bounces: row.soft_bounces, suppression: row.suppressed ? row : null } : null
}

/** A page of suppressed addresses that the caller can reach. The team's own directory has none. */
export function findSuppressionPage(
  db: Db,
  { directory, environmentId }: Reach,
  emailNorm: string | null,
  page: Page,
): Promise<Found<SuppressionRow & { organization_id: string | null; created_at: Date }>> {
  const scope = db
    .selectFrom('bounced_addresses')
    .selectAll('bounced_addresses')
    .where('bounced_addresses.reason', 'is not', null)
    .where((eb) => {
      if (directory) return eb('bounced_addresses.directory_id', '=', directory.id)
      if (emailNorm === null) return eb('bounced_addresses.environment_id', '=', environmentId)
      // The address index starts with the directory, so the query names the directories.
      const directories = eb.selectFrom('directories').select('id').where('environment_id', '=', environmentId)
      return eb('bounced_addresses.directory_id', 'in', directories)
    })
    .$if(emailNorm !== null, (query) => query.where('bounced_addresses.email_norm', '=', emailNorm ?? ''))
  return searchPage(
    {
      db,
      table: 'bounced_addresses',
      scope,
      // `coalesce` hides the condition from the planner, which would otherwise sort all rows.
      matches: sql<SqlBool>`coalesce(${isSuppressed}, false)`,
      describe: (rows) =>
        db
          .selectFrom(rows.as('bounced_addresses'))
          .leftJoin('directories', 'directories.id', 'bounced_addresses.directory_id')
          .select([...columns, 'bounced_addresses.created_at', 'directories.organization_id']),
    },
    page,
    byAge,
  )
}

/** Stores a report. Returns false if it was already counted. */
export async function insertReport(
  tx: Tx,
  directory: Directory,
  report: { emailNorm: string; kind: BounceKind; id: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('bounce_reports')
    .values({ directory_id: directory.id, email_norm: report.emailNorm, kind: report.kind, report_id: report.id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Returns the row of an address, locked until the transaction ends. `updated_at` is the current time. */
export function lockAddressRow(tx: Tx, directory: Directory, emailNorm: string): Promise<AddressRow> {
  return tx
    .insertInto('bounced_addresses')
    .values({
      directory_id: directory.id,
      environment_id: directory.environmentId,
      id: newId(),
      email_norm: emailNorm,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['directory_id', 'email_norm']).doUpdateSet({ updated_at: sql`excluded.updated_at` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function keepSoftBounces(tx: Tx, directory: Directory, id: string, at: Date[]): Promise<void> {
  await tx
    .updateTable('bounced_addresses')
    .set({ soft_bounced_at: at })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}

export async function suppressRow(
  tx: Tx,
  directory: Directory,
  id: string,
  change: Pick<SuppressionRow, 'reason' | 'status' | 'source' | 'suppressed_at' | 'suppressed_until'> &
    Partial<Pick<SuppressionRow, 'withheld' | 'last_withheld_at'>>,
): Promise<void> {
  await tx
    .updateTable('bounced_addresses')
    .set(change)
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}

/** Counts a mail that was not sent. Returns false if the address is no longer suppressed. */
export async function countWithheld(tx: Tx, row: Pick<SuppressionRow, 'directory_id' | 'id'>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('bounced_addresses')
    .set((eb) => ({ withheld: eb('withheld', '+', 1), last_withheld_at: now, updated_at: now }))
    .where('directory_id', '=', row.directory_id)
    .where('id', '=', row.id)
    .where(isSuppressed)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Keeps a suppression in use because it withheld another mail, without counting that mail. */
export async function keepSuppression(tx: Tx, row: Pick<SuppressionRow, 'directory_id' | 'id'>): Promise<void> {
  await tx
    .updateTable('bounced_addresses')
    .set({ updated_at: now })
    .where('directory_id', '=', row.directory_id)
    .where('id', '=', row.id)
    .where(isSuppressed)
    .execute()
}

/** Deletes and returns the row of a suppressed address, with its soft bounces. Returns undefined if there is none. */
export async function takeSuppression(tx: Tx, directory: Directory, id: string): Promise<SuppressionRow | undefined> {
  return tx
    .deleteFrom('bounced_addresses')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where(isSuppressed)
    .returning(columns)
    .executeTakeFirst()
}

/** Deletes the rows of these addresses in a directory. */
export async function forgetAddresses(db: Db, directoryId: string, emailNorms: string[]): Promise<void> {
  if (emailNorms.length === 0) return
  const isOne = sql<SqlBool>`directory_id = ${directoryId} and email_norm = any(${emailNorms}::text[])`
  await db.deleteFrom('bounced_addresses').where(isOne).execute()
  await db.deleteFrom('bounce_reports').where(isOne).execute()
}

export const retentions = [
  defineRetention({
    table: 'bounced_addresses',
    key: ['directory_id', 'id'],
    // A soft bounce counts for 7 days. An address without a withheld mail for a year is no longer in use.
    where: sql`updated_at < clock_now() - interval '365 days'
      or (suppressed_until is not null or reason is null) and updated_at < clock_now() - interval '8 days'`,
    orderBy: 'updated_at',
  }),
  defineRetention({
    table: 'bounce_reports',
    key: ['directory_id', 'email_norm', 'kind', 'report_id'],
    // Longer than reports about a mail are accepted, so that no report counts twice.
    where: sql`created_at < clock_now() - interval '40 days'`,
    orderBy: 'created_at',
  }),
]
