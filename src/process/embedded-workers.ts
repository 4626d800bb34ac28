import { type Config, ConfigError } from '../platform/config/config.ts'
import { CONNECTIONS_PER_PROCESS } from '../platform/db/pool.ts'
import { EMBEDDED_CONNECTIONS } from '../platform/embedded/cluster.ts'

// Some connections are left for the command line, and PostgreSQL reserves three for its superuser.
const EMBEDDED_WORKERS = Math.floor((EMBEDDED_CONNECTIONS - 8) / CONNECTIONS_PER_PROCESS)

/** Throws ConfigError if the embedded database has too few connections for the number of workers. */
export function assertWorkersServed({ databaseUrl, workers }: Config): void {
  if (!databaseUrl && workers > EMBEDDED_WORKERS)
    throw new ConfigError(
      `WORKERS is ${workers}: the embedded database serves at most ${EMBEDDED_WORKERS}. For more, set DATABASE_URL.`,
    )
}
