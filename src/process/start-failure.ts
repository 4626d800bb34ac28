import { type Config, ConfigError } from '../platform/config/config.ts'
import { explainDatabaseError } from '../platform/db/reach.ts'
import { EmbeddedError } from '../platform/embedded/embedded-error.ts'
import { readErrorField } from '../platform/errors.ts'

/** Explains in one line why the start failed and what to do. Null for an error of our own. */
export function explainStartFailure(error: unknown, config: Config | null): string | null {
  if (error instanceof ConfigError || error instanceof EmbeddedError) return error.message
  if (!(error instanceof Error)) return null
  return explainListenError(error, config) ?? explainDatabaseError(error, config?.databaseUrl ?? null)
}

function explainListenError(error: Error, config: Config | null): string | null {
  const syscall = readErrorField(error, 'syscall')
  if (syscall === 'getaddrinfo' && config !== null && readErrorField(error, 'hostname') === config.metricsHost)
    return `WATCHWORD_METRICS_HOST is ${config.metricsHost}, which has no address: use one of this machine.`
  if (syscall !== 'listen' && syscall !== 'bind') return null
  const port = readErrorField(error, 'port')
  const isPrivate = port === config?.metricsPort && port !== config?.port
  const setting = isPrivate ? 'WATCHWORD_METRICS_PORT' : 'PORT'
  switch (readErrorField(error, 'code')) {
    case 'EADDRINUSE':
      return `Port ${port} is in use by another process: stop that one, or set ${setting} to another port.`
    case 'EACCES':
      return `Port ${port} is not open to this user: set ${setting} to a port above 1023.`
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${readErrorField(error, 'address')}: correct WATCHWORD_METRICS_HOST.`
    default:
      return null
  }
}
