import { once } from 'node:events'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/pool.ts'
import { type TestApp, until } from '../harness.ts'
import { spawnProgram } from '../programs.ts'

/** Kills a program of this folder, which works on the database of the service, when it waits for its write of a table. */
export async function killAtWriteOf(
  service: TestApp,
  program: Parameters<typeof spawnProgram>[0],
  table: string,
): Promise<void> {
  const { db } = service.app.platform
  await db.transaction().execute(async (tx) => {
    // Lets others read and lock rows, and write none.
    await sql`lock table ${sql.table(table)} in share mode`.execute(tx)
    const worker = spawnProgram(program, [service.databaseUrl, service.masterKeyText], {
      stdio: 'inherit',
      env: process.env,
    })
    try {
      await until(() => waitsFor(db, table), 60_000)
    } finally {
      const ended = once(worker, 'exit')
      worker.kill('SIGKILL')
      await ended
    }
  })
}

async function waitsFor(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql`select from pg_locks where relation = ${table}::regclass and not granted
    and database = (select oid from pg_database where datname = current_database())`.execute(db)
  return rows.length > 0
}
