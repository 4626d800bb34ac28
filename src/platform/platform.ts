import type { Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import type { MakeRsaPair } from './crypto/certificates.ts'
import type { Keyring } from './crypto/keyring.ts'
import type { PasswordParameters } from './crypto/password-format.ts'
import type { Caches } from './db/cache.ts'
import type { Database, Db } from './db/pool.ts'
import type { RunInTransaction } from './db/tx.ts'
import type { Log } from './observability/log.ts'
import type { Metrics } from './observability/metrics.ts'

/** What every feature builds on. There is one value per process (in tests, per app). */
export interface Platform {
  config: Config
  clock: Clock
  log: Log
  metrics: Metrics
  database: Database
  /** The handle for single statements. */
  db: Db
  /** Runs several statements in a transaction. */
  tx: RunInTransaction
  keyring: Keyring
  caches: Caches
  /** In tests: makes a route fail that breaks its own declaration (errors, events). */
  strict: boolean
  /** In tests: the cost of argon2id, which overrides settings. */
  hashCost: PasswordParameters | null
  /** In tests: returns key pairs that were made earlier. */
  makeRsaPair: MakeRsaPair
}

/** A slot for a value that `src/wiring` passes in, because an import would point upwards. */
export interface Slot<T> {
  provide(platform: Platform, value: T): void
  /** Throws if nothing was handed in. */
  of(platform: Platform): T
}

export function defineSlot<T>(name: string): Slot<T> {
  const values = new WeakMap<Platform, { value: T }>()
  return {
    provide: (platform, value) => void values.set(platform, { value }),
    of(platform) {
      const known = values.get(platform)
      if (!known) throw new Error(`No value was provided for ${name}`)
      return known.value
    },
  }
}

/** State of a process, such as a cache or a queue of writes. Created at first use, once for each platform. */
export function perPlatform<T>(make: (platform: Platform) => T): (platform: Platform) => T {
  const made = new WeakMap<Platform, { value: T }>()
  return (platform) => {
    const known = made.get(platform)
    if (known) return known.value
    const value = make(platform)
    made.set(platform, { value })
    return value
  }
}
