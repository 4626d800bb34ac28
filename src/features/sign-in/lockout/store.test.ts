import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import type { Tx } from '../../../platform/db/pool.ts'
import { accountDirectory } from '../../../platform/tenancy/directory.ts'
import { claimAttemptRows } from './store.ts'

const { app, tenant } = await startApp()
const { platform } = app
const directory = await accountDirectory(platform, { ...(await tenant()), environmentSlug: 'production' })
const ada = Buffer.from('ada')

/** One counter that allows three failures a minute and then locks for ten minutes. */
const limits = { windowSeconds: 60, durationSeconds: 600, counters: [{ network: '', maxAttempts: 3 }] }

const attempt = async (tx: Tx) => (await claimAttemptRows(tx, directory, ada, limits))[0]?.failures ?? 'refused'

/** Moves the counter back in time by this many seconds. */
const age = (tx: Tx, seconds: number) =>
  sql`update lockouts set window_started_at = window_started_at - make_interval(secs => ${seconds}::float8),
      locked_until = locked_until - make_interval(secs => ${seconds}::float8)`.execute(tx)

async function read(tx: Tx) {
  const { rows } = await sql<{ failures: number; locks: number; left: number | null }>`
    select failures, locks, extract(epoch from locked_until - clock_now())::float8 as left from lockouts`.execute(tx)
  return rows[0]
}

/** Runs `act` in one transaction, in which the database's time does not change. */
async function standingStill(act: (tx: Tx) => Promise<void>): Promise<void> {
  await platform.tx(async (tx) => {
    await sql`delete from lockouts`.execute(tx)
    await act(tx)
  })
}

test('failures are counted until the window ends, exactly with its last second', async () => {
  await standingStill(async (tx) => {
    expect([await attempt(tx), await attempt(tx)]).toEqual([1, 2])
    await age(tx, 59.999)
    expect(await attempt(tx)).toBe(3)
  })
  await standingStill(async (tx) => {
    expect([await attempt(tx), await attempt(tx)]).toEqual([1, 2])
    await age(tx, 60)
    expect([await attempt(tx), await attempt(tx)]).toEqual([1, 2])
  })
})

test('the last attempt locks, for exactly as long as is set, and twice as long the next time', async () => {
  await standingStill(async (tx) => {
    expect([await attempt(tx), await attempt(tx), await attempt(tx), await attempt(tx)]).toEqual([1, 2, 3, 'refused'])
    expect(await read(tx)).toEqual({ failures: 3, locks: 1, left: 600 })
    await age(tx, 599.999)
    expect(await attempt(tx)).toBe('refused')
    await age(tx, 0.001)
    expect([await attempt(tx), await attempt(tx), await attempt(tx), await attempt(tx)]).toEqual([1, 2, 3, 'refused'])
    expect(await read(tx)).toEqual({ failures: 3, locks: 2, left: 1200 })
  })
})

test('a day without a failure forgets the locks, to the millisecond', async () => {
  const locksAfter = async (seconds: number) => {
    let locks: number | undefined
    await standingStill(async (tx) => {
      for (let i = 0; i < 3; i++) await attempt(tx)
      await age(tx, seconds)
      for (let i = 0; i < 3; i++) await attempt(tx)
      locks = (await read(tx))?.locks
    })
    return locks
  }
  expect(await locksAfter(86_399.999)).toBe(2)
  expect(await locksAfter(86_400)).toBe(1)
})
