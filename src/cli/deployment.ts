import { type Config, loadConfig } from '../platform/config/config.ts'
import { readSealingKeyId } from '../platform/crypto/keyring.ts'
import { type MasterKey, provideMasterKeys } from '../platform/crypto/master-key.ts'
import { describePending, migrationStatus, refuseNewerSchema } from '../platform/db/migrate.ts'
import { findPooler } from '../platform/db/pooler.ts'
import { describeDatabase, reachDatabase } from '../platform/db/reach.ts'
import { startEmbedded } from '../platform/embedded/embedded.ts'
import { hasDatabase } from '../platform/embedded/home.ts'
import type { Origin } from '../platform/events/origin.ts'
import { createLog } from '../platform/observability/log.ts'
import type { Platform } from '../platform/platform.ts'
import { CliError, note } from './print.ts'

/** The origin of events recorded by the command line. */
export function cliOrigin(): Origin {
  return { requestId: null, actor: { type: 'cli', id: null }, endUser: { ip: null, userAgent: null }, recorded: [] }
}

/**
 * Runs `work` on the deployment's database. An embedded database is shared with a running service, or started for this
 * command. If there is a pooler, `work` gets the address of the database itself.
 */
export async function withDatabase<T>(work: (config: Config, url: string) => Promise<T>): Promise<T> {
  const config = loadConfig()
  if (config.databaseUrl) {
    await reachDatabase(config.databaseUrl, { patienceMs: 0 })
    const pooler = await findPooler(config.databaseUrl, config.databaseDirectUrl)
    return work(config, pooler?.directUrl ?? config.databaseUrl)
  }
  const embedded = await startEmbedded({ dataDir: config.dataDir, role: 'command', log: () => undefined })
  try {
    return await work(config, embedded.url)
  } finally {
    await embedded.stop()
  }
}

/** Runs `work` with a platform. The schema must be this release's. */
export async function withPlatform<T>(work: (platform: Platform, masterKeys: MasterKey[]) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = loadConfig()
  // A command must not create a database where there is none.
  if (databaseUrl === null && !hasDatabase(dataDir)) throw new CliError(`There is no database in ${dataDir}. ${CURE}`)
  return withDatabase(async (config, url) => {
    await requireSchema(config, url)
    return openDeployment(config, url, work)
  })
}

/** Runs `work` in the same way without checking the schema. */
export async function openDeployment<T>(
  config: Config,
  url: string,
  work: (platform: Platform, masterKeys: MasterKey[]) => Promise<T>,
): Promise<T> {
  const masterKeys = await provideMasterKeys(config, () => readSealingKeyId(url), note)
  const { openPlatform } = await import('../wiring/app.ts')
  const log = createLog({ logLevel: 'silent' })
  const { platform, close } = await openPlatform({ config, databaseUrl: url, masterKeys, log })
  try {
    return await work(platform, masterKeys)
  } finally {
    await close()
  }
}

const CURE = 'Run the command with the settings of the service, such as DATABASE_URL, or start the service first.'

/** Throws unless the schema is this release's. */
export async function requireSchema(config: Config, url: string): Promise<void> {
  const { applied, pending, unknown } = await migrationStatus(url)
  refuseNewerSchema(unknown)
  const database = describeDatabase(config.databaseUrl)
  if (!applied.length) throw new CliError(`There is nothing of Watchword in ${database}. ${CURE}`)
  if (pending.length)
    throw new CliError(
      `The schema of ${database} is of an earlier release: it lacks ${describePending(pending)}. Run \`npx watchword migrate\`, or start the service.`,
    )
}
