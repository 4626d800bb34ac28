import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { chainAll, verified } from '../people/audit.ts'
import { killAtWriteOf } from './kill-at-write.ts'

// More than a transaction chains.
const EVENTS = 600

const service = await startApp()
const { platform } = service.app
const tenant = await service.tenant()
const subOrgId = await tenant.organization()

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
    await killAtWriteOf(service, 'audit-worker.ts', table)
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
