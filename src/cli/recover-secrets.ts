import { sql } from 'kysely'
import { changeInBatches, hasRow } from '../platform/db/batches.ts'
import { sqlState } from '../platform/db/failure.ts'
import type { Db } from '../platform/db/pool.ts'
import { type Refusal, refusalsOf, TRUSTED_DEVICES } from './recovery-tables.ts'

const BATCH = 1000
const ATTEMPTS = 8
// A lock or statement timeout or a deadlock, because others use the database at the same time.
const PASSING = ['55P03', '57014', '40P01', '40001']

/**
 * Refuses every one-time secret that exists now, and every trusted device. Runs twice, because consuming a secret may
 * create one in a table that was already processed. Returns the number of rows by kind, and the time before which
 * every secret is refused.
 */
export async function refuseSecrets(
  db: Db,
  recoveredAt: Date,
  progress: (line: string) => void,
): Promise<{ refused: Record<string, number>; before: Date }> {
  const refused: Record<string, number> = {}
  let before = recoveredAt
  for (const _ of ['first', 'again']) {
    before = await readTime(db)
    for (const refusal of refusalsOf(recoveredAt)) {
      const count = await refuseTable(db, refusal)
      refused[refusal.holds] = (refused[refusal.holds] ?? 0) + count
      const verb = refusal.holds === TRUSTED_DEVICES ? 'Forgot' : 'Refused'
      if (count > 0) progress(`${verb}: ${refusal.holds} (${count}).`)
    }
  }
  return { refused, before }
}

async function readTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select clock_now() as at`.execute(db)
  if (!rows[0]) throw new Error('The database has no time')
  return rows[0].at
}

/**
 * Refuses the secrets of one table that exist now, `batch` rows in each statement. Tests call it with their own batch
 * size. Returns the number of rows.
 */
export async function refuseTable(db: Db, { table, key, where, set }: Refusal, batch = BATCH): Promise<number> {
  // Only secrets that exist now. Otherwise new secrets, which people request meanwhile, would keep it running forever.
  const isOld = sql`created_at <= ${await readTime(db)} and (${where})`
  const columns = sql.join(key.map((column) => sql.ref(column)))
  // Table by name: `refusalsOf` lists the tables whose secrets a recovery refuses.
  const verb = set ? sql`update ${sql.table(table)} set ${set}` : sql`delete from ${sql.table(table)}`
  let size = batch
  const change = async () => {
    const { numAffectedRows } = await sql`
      ${verb} where ${isOld} and (${columns}) in (
        select ${columns} from ${sql.table(table)} where ${isOld} limit ${size})`.execute(db)
    return Number(numAffectedRows ?? 0)
  }
  return changeInBatches({
    async change() {
      for (let failures = 1; ; failures++) {
        try {
          return await change()
        } catch (error) {
          if (!PASSING.includes(sqlState(error) ?? '') || failures === ATTEMPTS) throw error
          size = Math.max(1, Math.ceil(size / 4))
        }
      }
    },
    isAnyLeft: () => hasRow(db, sql`${sql.table(table)} where ${isOld}`),
  })
}
