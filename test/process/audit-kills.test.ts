import { once } from 'node:events'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, until } from '../harness.ts'
import { chainAll, verified } from '../people/audit.ts'
import { spawnProgram } from '../programs.ts'

// More than a transaction chains.
const EVENTS = 600

const service = await startApp()
const { platform } = service.app
const tenant = await service.tenant()
const subOrgId = await tenant.organization()

/** Kills a process that chains, at its write of a table. */
async function killAtWriteOf(table: string): Promise<void> {
  await platform.db.transaction().execute(async (tx) => {
    // Lets others read and lock rows, and write none.
    await sql`lock table ${sql.table(table)} in share mode`.execute(tx)
    const worker = spawnProgram('audit-worker.ts', [service.databaseUrl, service.masterKeyText], {
      stdio: 'inherit',
      env: process.env,
    })
    try {
      await until(() => waitsFor(table), 60_000)
    } finally {
      const ended = once(worker, 'exit')
      worker.kill('SIGKILL')
      await ended
    }
  })
}

async function waitsFor(table: string): Promise<boolean> {
  const { rows } = await sql`select from pg_locks where relation = ${table}::regclass and not granted
    and database = (select oid from pg_database where datname = current_database())`.execute(platform.db)
  return rows.length > 0
}

test.each(['audit_blocks', 'audit_heads', 'audit_cursors'])(
  'a process that is killed while it chains, at %s, leaves the chain whole: no event out, none twice',
  { timeout: 120_000 },
  async (table) => {
    await chainAll(platform)
    const users = Array.from({ length: EVENTS / 2 }, (_, n) => ({ email: `${n}@${table.replace('_', '-')}.example` }))
    for (const half of [0, 1]) {
      const some = users.map(({ email }) => ({ email: `h${half}-${email}` }))
      expect((await tenant.put('/v1/users', { subOrgId, users: some })).status).toBe(200)
    }
    await killAtWriteOf(table)
    await chainAll(platform)
    const { rows } = await sql<{ all: number; chained: number; once: number }>`select
      (select count(*)::int from events) as all, count(*)::int as chained, count(distinct id)::int as once
      from audit_blocks, unnest(event_ids) as id`.execute(platform.db)
    const [counted] = rows
    expect([counted?.chained, counted?.once]).toEqual([counted?.all, counted?.all])
    const { kinds, events } = await verified(platform)
    expect([kinds, events]).toEqual([[], counted?.all])
  },
)
