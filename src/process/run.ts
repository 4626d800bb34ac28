import cluster from 'node:cluster'
import { type Config, loadConfig } from '../platform/config/config.ts'
import { readSealingKeyId } from '../platform/crypto/keyring.ts'
import { provideMasterKeys } from '../platform/crypto/master-key.ts'
import { createLog } from '../platform/observability/log.ts'
import { announceReady, sayTo } from './announce.ts'
import { beginLifetime, endOnSignals, type Lifetime } from './lifetime.ts'
import { buildService, ensureSchema, openDeploymentDatabase, privateListener, provideFirstKey } from './start.ts'
import { explainStartFailure } from './start-failure.ts'

/**
 * Starts the service: alone in this process, as the primary of several workers, or as one of the workers. A signal
 * ends it.
 */
export async function runProcess(): Promise<void> {
  const lifetime = beginLifetime((line) => process.stderr.write(`${line}\n`))
  endOnSignals(lifetime)
  let config: Config | null = null
  try {
    config = loadConfig()
    endOnFaults(config, lifetime)
    if (cluster.isWorker) await (await import('./workers.ts')).runWorker(config, lifetime)
    else if (config.workers > 1) await (await import('./workers.ts')).runPrimary(config, lifetime)
    else await runAlone(config, lifetime)
  } catch (error) {
    // An error after a request to end during the start is not a failure.
    if (lifetime.ending.aborted) return
    const line = explainStartFailure(error, config)
    process.stderr.write(`${line ?? `Watchword could not start. ${error instanceof Error ? error.stack : error}`}\n`)
    await lifetime.end(1)
  }
}

/** Runs the whole service in this process. */
async function runAlone(config: Config, lifetime: Lifetime): Promise<void> {
  const log = createLog(config)
  const say = sayTo(config, log)
  // Loads while PostgreSQL starts in a separate process.
  const loading = import('../wiring/app.ts')
  loading.catch(() => undefined)
  const database = await openDeploymentDatabase(config, lifetime, say)
  await Promise.all([loading, ensureSchema(config, database, { log, say })])
  const masterKeys = await provideMasterKeys(config, () => readSealingKeyId(database.databaseUrl), say)
  const openPrivateListener = privateListener(config, lifetime)
  const service = await buildService({ config, ...database, masterKeys, log, lifetime })
  const port = await service.listen()
  let isReady = false
  await openPrivateListener({
    ...service.readers,
    readChecks: async () => (isReady ? service.readers.readChecks() : null),
  })
  // Shown only once, so it is created only when nothing can fail any more.
  const firstKey = await provideFirstKey(service.app.platform)
  isReady = true
  announceReady({ config, log, port, firstKey, lifetime })
}

/** After an uncaught error, the state of the process is unknown. It ends, and its supervisor starts a new one. */
function endOnFaults(config: Config, lifetime: Lifetime): void {
  const log = createLog(config)
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      // Connections that are still in use break while the process ends.
      if (lifetime.ending.aborted) return log.debug({ error, code: event }, 'An error while ending')
      log.error({ error, code: event }, 'An unexpected error ends this process')
      void lifetime.end(1)
    })
}
