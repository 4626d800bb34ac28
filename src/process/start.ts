import { networkInterfaces } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { type Config, ConfigError } from '../platform/config/config.ts'
import type { MasterKey } from '../platform/crypto/master-key.ts'
import { describePending, migrate, migrationStatus, refuseNewerSchema } from '../platform/db/migrate.ts'
import { findPooler, type Pooler } from '../platform/db/pooler.ts'
import { reachDatabase } from '../platform/db/reach.ts'
import { startEmbedded } from '../platform/embedded/embedded.ts'
import { beginEventEpoch } from '../platform/events/event-epoch.ts'
import { checkDatabaseIdentity } from '../platform/lifecycle/deployment.ts'
import type { Log } from '../platform/observability/log.ts'
import { type PrivateListenerOptions, startPrivateListener } from '../platform/observability/private-listener.ts'
import type { Platform } from '../platform/platform.ts'
import type { App } from '../wiring/app.ts'
import type { FirstKey, Say } from './announce.ts'
import { freeAfterStart, settleRequestObjects } from './heap.ts'
import type { Lifetime } from './lifetime.ts'

const PATIENCE_MS = 30_000
// Running requests and jobs get 25 s together, because orchestrators kill the process after 30 s.
const DRAIN_MS = 20_000
const JOBS_MS = 4000
const CLOSE_MS = 1000
const EMBEDDED_STOP_MS = 60_000

/** The database of a deployment, and the pooler in front of it if there is one. */
export interface DeploymentDatabase {
  databaseUrl: string
  pooler: Pooler | null
}

/** Opens the database of this deployment. An embedded database is stopped last. */
export async function openDeploymentDatabase(
  config: Config,
  lifetime: Lifetime,
  say: Say,
): Promise<DeploymentDatabase> {
  if (config.databaseUrl) {
    await reachDatabase(config.databaseUrl, { patienceMs: PATIENCE_MS, signal: lifetime.ending, notice: say })
    return { databaseUrl: config.databaseUrl, pooler: await findPooler(config.databaseUrl, config.databaseDirectUrl) }
  }
  const starting = startEmbedded({ dataDir: config.dataDir, log: say })
  // Even if the process must end during this start, PostgreSQL must not be left running. A failed start leaves nothing
  // running.
  const started = starting.catch(() => null)
  lifetime.atEnd('the embedded PostgreSQL', EMBEDDED_STOP_MS, async () => (await started)?.stop())
  return { databaseUrl: (await starting).url, pooler: null }
}

/**
 * Migrates the schema to this release, or refuses to start if the operator migrates separately. Then checks whether
 * the database is still the same one.
 */
export async function ensureSchema(
  config: Config,
  { databaseUrl, pooler }: DeploymentDatabase,
  { log, say }: { log: Log; say: Say },
): Promise<void> {
  const url = pooler?.directUrl ?? databaseUrl
  if (config.migrateOnStart) await migrate(url, { notice: say })
  else await refuseOtherSchema(url)
  await beginEventEpoch(url, log)
  await checkDatabaseIdentity(url, log)
}

async function refuseOtherSchema(url: string): Promise<void> {
  const { pending, unknown } = await migrationStatus(url)
  refuseNewerSchema(unknown)
  if (pending.length)
    throw new ConfigError(
      `The database lacks ${describePending(pending)}, and WATCHWORD_MIGRATE_ON_START is false: run \`npx watchword migrate\` first.`,
    )
}

/**
 * Provides the first API key of a deployment that has none. It is the operator's own key or, on an embedded database
 * in development, a new key, which is returned to be shown once. Any other database may belong to a deployment that is
 * still being set up. In that case `missing` says that the operator must create a key.
 */
export async function provideFirstKey(platform: Platform): Promise<FirstKey> {
  const { bootstrapApiKey, production, databaseUrl } = platform.config
  const { firstDevelopmentKey, hasNoKey, storeBootstrapKey } = await import('../features/tenancy/api-keys/first-key.ts')
  if (bootstrapApiKey) await storeBootstrapKey(platform, bootstrapApiKey)
  else if (!production && !databaseUrl) return { made: await firstDevelopmentKey(platform), missing: false }
  return { made: null, missing: await hasNoKey(platform) }
}

export interface ServiceOptions {
  config: Config
  databaseUrl: string
  pooler: Pooler | null
  masterKeys: MasterKey[]
  log: Log
  lifetime: Lifetime
}

export interface Service {
  app: App
  readers: Pick<PrivateListenerOptions, 'readChecks' | 'readMetrics'>
  /** Updates the gauges of rows that wait in the database. */
  measure(): Promise<void>
  /** Starts to accept requests, and returns the port. */
  listen(): Promise<number>
}

/** Builds the app and starts its jobs. Shuts down requests, then jobs, then database connections. */
export async function buildService(options: ServiceOptions): Promise<Service> {
  const { config, lifetime } = options
  const [
    { buildApp },
    { startWorker },
    { jobs, measureWaiting },
    { readinessChecks },
    { describeMail },
    { startDispatcher },
    { webhookDispatch },
  ] = await Promise.all([
    import('../wiring/app.ts'),
    import('../platform/jobs/worker.ts'),
    import('../wiring/jobs.ts'),
    import('./readiness.ts'),
    import('../platform/mail/smtp.ts'),
    import('../platform/jobs/dispatcher.ts'),
    import('../features/records/deliveries/dispatcher.ts'),
  ])
  const mail = describeMail(config)
  if (!mail.ok) options.log.warn({}, mail.line)
  const app = await buildApp(options)
  lifetime.atEnd('closing the database connections', CLOSE_MS, () => app.close())
  const worker = await startWorker(app.platform, jobs)
  lifetime.atEnd('finishing jobs', JOBS_MS + CLOSE_MS, () => worker.stop(JOBS_MS))
  const dispatcher = startDispatcher(app.platform, webhookDispatch)
  lifetime.atEnd('finishing deliveries', JOBS_MS + CLOSE_MS, () => dispatcher.stop(JOBS_MS))
  lifetime.atEnd('answering requests', DRAIN_MS, () => drain(app.server))
  const check = readinessChecks(app.platform, worker)
  // Measured by the process that is asked, whereas a job would run in any of several processes. Metrics must also work
  // without a database.
  const measure = async () => {
    const [checks] = await Promise.all([check(), measureWaiting(app.platform).catch(() => undefined)])
    for (const [name, state] of Object.entries(checks)) app.metrics.ready.set({ check: name }, state === 'ok' ? 1 : 0)
  }
  return {
    app,
    measure,
    readers: {
      async readMetrics() {
        await measure()
        return app.metrics.registry.metrics()
      },
      readChecks: async () => (lifetime.ending.aborted ? null : check()),
    },
    async listen() {
      settleRequestObjects()
      freeAfterStart()
      await app.server.listen({ host: everyAddress(), port: config.port })
      const address = app.server.server.address()
      return typeof address === 'object' && address ? address.port : config.port
    },
  }
}

/**
 * Opens the private listener, which stays until the process ends, so that it can report that the process is not ready.
 */
export function privateListener(config: Config, lifetime: Lifetime) {
  let close: (() => Promise<void>) | null = null
  lifetime.atEnd('closing the private listener', CLOSE_MS, async () => close?.())
  return async (readers: Service['readers']) => {
    const listener = await startPrivateListener({ host: config.metricsHost, port: config.metricsPort, ...readers })
    close = listener.close
  }
}

/** Listens on both IP versions, or only on IPv4 if the machine has no IPv6. */
function everyAddress(): string {
  const addresses = Object.values(networkInterfaces()).flat()
  return addresses.some((address) => address?.family === 'IPv6') ? '::' : '0.0.0.0'
}

/** Accepts no new connections and answers the requests already received. */
async function drain(server: FastifyInstance): Promise<void> {
  const closed = server.close()
  // A connection that becomes idle while draining would be kept open for its next request.
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50)
  await closed.finally(() => clearInterval(sweep))
}
