import { setTimeout as delay } from 'node:timers/promises'
import { publicKeys } from '../platform/crypto/signing-keys.ts'
import { readMigrations } from '../platform/db/migrate.ts'
import type { Worker } from '../platform/jobs/worker.ts'
import type { Checks } from '../platform/observability/private-listener.ts'
import type { Platform } from '../platform/platform.ts'

const CHECK_MS = 2000
// Together shorter than a check may take.
const [LOCK_TRIES, LOCK_PAUSE_MS] = [20, 50]

/**
 * Checks each part that requests depend on by actually using it. Probes that arrive during a check share it. The
 * result is not cached, because it would be outdated exactly when it matters.
 */
export function readinessChecks(platform: Platform, worker: Worker): () => Promise<Checks> {
  const wanted = readMigrations().map(({ name }) => name)
  const check = async (): Promise<Checks> => {
    const [database, migrations, signing_key] = await Promise.all([
      succeeds(canWrite(platform)),
      succeeds(isMigrated(platform, wanted)),
      succeeds(canSign(platform)),
    ])
    return { database, migrations, queue: worker.isRunning() ? 'ok' : 'failed', signing_key }
  }
  let shared: Promise<Checks> | null = null
  return () => {
    shared ??= check().finally(() => {
      shared = null
    })
    return shared
  }
}

async function succeeds(check: Promise<boolean>): Promise<'ok' | 'failed'> {
  const limit = new AbortController()
  const late = delay(CHECK_MS, false, { signal: limit.signal }).catch(() => false)
  const passed = await Promise.race([check.catch(() => false), late])
  limit.abort()
  return passed ? 'ok' : 'failed'
}

/**
 * Tests writing by locking a row: the commit reaches the disk and synchronous standbys, and no row is rewritten. A
 * read-only server refuses it, and the connections to that server are closed. Checks of other processes lock the row
 * for milliseconds. A commit that hangs leaves the row locked. Later checks then fail without a commit of their own,
 * and no more connections hang. A full disk or a locked table is not detected, because every process shares those and
 * reads still work.
 */
async function canWrite({ database }: Platform): Promise<boolean> {
  for (let tries = LOCK_TRIES; tries > 0; tries--) {
    const rows = await database.query({
      text: 'select name from schema_migrations order by random() limit 1 for no key update skip locked',
    })
    if (rows.length > 0) return true
    await delay(LOCK_PAUSE_MS)
  }
  return false
}

async function isMigrated({ database }: Platform, wanted: string[]): Promise<boolean> {
  const rows = await database.query<{ name: string }>({ text: 'select name from schema_migrations' })
  const applied = new Set(rows.map((row) => row.name))
  return wanted.every((name) => applied.has(name))
}

/** Tests the home account's key as an example for all. This proves that the master key opens the signing keys. */
async function canSign(platform: Platform): Promise<boolean> {
  const home = await platform.db
    .selectFrom('environments')
    .innerJoin('accounts', 'accounts.id', 'environments.account_id')
    .select('environments.id')
    .where('accounts.home', '=', true)
    .where('environments.slug', '=', 'production')
    .executeTakeFirst()
  // A deployment that has not been set up yet has no key and nothing to sign.
  return home === undefined || (await publicKeys(platform, home.id)).length > 0
}
