import { sql } from 'kysely'
import { chainEvents } from '../../src/features/records/audit/chain.ts'
import { type Finding, type KeptHead, readHeads, verifyChains } from '../../src/features/records/audit/verify.ts'
import type { Range } from '../../src/features/records/audit/verify-store.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { until } from '../harness.ts'

/** Chains until everything recorded before is: what is under way in any database of the cluster delays it. */
export async function chainAll(platform: Platform): Promise<void> {
  await until(async () => {
    await chainEvents(platform)
    return (await unchained(platform.db)) === 0
  })
}

async function unchained(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select ((select count(*) from events)
    - (select coalesce(sum(cardinality(event_ids)), 0) from audit_blocks))::int as count`.execute(db)
  return rows[0]?.count ?? 0
}

export async function verified(
  platform: Platform,
  { range = {}, heads = [] }: { range?: Range; heads?: KeptHead[] } = {},
) {
  const findings: Finding[] = []
  const counted = await verifyChains(platform, range, heads, (finding) => findings.push(finding))
  return { ...counted, findings, kinds: findings.map(({ kind }) => kind) }
}

export async function headsNow(platform: Platform): Promise<KeptHead[]> {
  return Array.fromAsync(readHeads(platform, {}))
}

/** Changes tables as somebody does who has all of the database: what refuses changes is off meanwhile, and undone in the end. */
export async function tampering(
  db: Db,
  tamper: (db: Db) => Promise<unknown>,
  look: () => Promise<void>,
): Promise<void> {
  const tables = ['events', 'audit_blocks', 'audit_heads', 'audit_cursors']
  const keep = (table: string) =>
    sql`create table ${sql.table(`kept_${table}`)} as table ${sql.table(table)}`.execute(db)
  for (const table of tables) await keep(table)
  await withoutTriggers(db, async () => tamper(db))
  try {
    await look()
  } finally {
    await withoutTriggers(db, async () => {
      for (const table of tables) {
        await sql`delete from ${sql.table(table)}`.execute(db)
        await sql`insert into ${sql.table(table)} select * from ${sql.table(`kept_${table}`)}`.execute(db)
        await sql`drop table ${sql.table(`kept_${table}`)}`.execute(db)
      }
    })
  }
}

async function withoutTriggers(db: Db, act: () => Promise<unknown>): Promise<void> {
  const set = async (how: 'enable' | 'disable') => {
    for (const table of ['events', 'audit_blocks'])
      await sql`alter table ${sql.table(table)} ${sql.raw(how)} trigger user`.execute(db)
  }
  await set('disable')
  await act()
  await set('enable')
}
