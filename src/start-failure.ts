import { type Config, ConfigError } from './platform/config.ts'
import { EmbeddedError } from './platform/db/embedded-error.ts'
import { explainDatabaseError } from './platform/db/reach.ts'

/** One line on what stopped a start and what to do about it, or null for a fault of our own. */
export function explainStartFailure(error: unknown, config: Config | null): string | null {
  if (error instanceof ConfigError || error instanceof EmbeddedError) return error.message
  if (!(error instanceof Error)) return null
  return explainListenError(error, config) ?? explainDatabaseError(error, config?.databaseUrl ?? null)
}

function explainListenError(error: Error, config: Config | null): string | null {
  if (Reflect.get(error, 'syscall') !== 'listen' && Reflect.get(error, 'syscall') !== 'bind') return null
  const port: unknown = Reflect.get(error, 'port')
  const isPrivate = port === config?.metricsPort && port !== config?.port
  const setting = isPrivate ? 'WATCHWORD_METRICS_PORT' : 'PORT'
  switch (Reflect.get(error, 'code')) {
    case 'EADDRINUSE':
      return `Port ${port} is in use by another process: stop that one, or set ${setting} to another port.`
    case 'EACCES':
      return `Port ${port} is not open to this user: set ${setting} to a port above 1023.`
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${Reflect.get(error, 'address')}: correct WATCHWORD_METRICS_HOST.`
    default:
      return null
  }
}
