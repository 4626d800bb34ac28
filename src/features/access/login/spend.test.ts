import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { makeProvenUser, signInByLink } from '../../../../test/people/factors.ts'

const app = await startApp()
const { db } = app.app.platform
const tenant = await app.tenant()

/** Whether any statement in this database is waiting for a lock. */
async function someoneWaits(): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length > 0
}

test('a sign-in that waits for its user holds no lock of its proof, so no deadlock can come of it', async () => {
  const scoped = await tenant.withKey({ subOrgId: await tenant.organization() })
  const { id: userId, email } = await makeProvenUser(scoped)
  const reply = await db.transaction().execute(async (tx) => {
    await sql`select from users where id = ${userId} for update`.execute(tx)
    const waiting = signInByLink(scoped, email)
    await until(someoneWaits)
    const { rows } = await sql`
      select id from links where user_id = ${userId} and used_at is null for update nowait`.execute(tx)
    expect(rows).toHaveLength(1)
    return { waiting }
  })
  // On a slow machine, the request may have timed out meanwhile.
  expect([200, 503]).toContain((await reply.waiting).status)
})
