import { pino } from 'pino'
import type { Config } from '../config/config.ts'
import { readErrorField } from '../errors.ts'
import { forPeople } from './log-for-people.ts'

/**
 * The fields that a log line may contain. This is a closed list instead of a redacting logger: a field that is not
 * listed here cannot be written, so a secret cannot leak by being passed along (ASVS 16.2.5).
 */
export interface LogFields {
  requestId?: string
  /** From the request's `traceparent`. */
  traceId?: string
  method?: string
  /** The route's template, never the URL, because paths and queries contain tokens. */
  route?: string
  status?: number
  durationMs?: number
  apiKeyId?: string
  directoryId?: string
  /** The organization of a directory. Absent at the account level. */
  subOrgId?: string
  userId?: string
  environmentId?: string
  job?: string
  attempt?: number
  code?: string
  /** The kind of a message, such as `login_otp`. */
  kind?: string
  /** The `Message-ID` of a mail without its tag. With the tag, a reader of the log could forge a bounce report. */
  messageId?: string
  /** The enhanced status code in a mail server's answer (RFC 3463), such as `5.1.1`. */
  smtpStatus?: string
  count?: number
  port?: number
  pid?: number
  worker?: number
  address?: string
  /** Class, code and stack frames of an unexpected failure. The message is included only for our own error classes. */
  error?: unknown
}

type Write = (fields: LogFields, message: string) => void
type Level = 'debug' | 'info' | 'warn' | 'error'

export interface Log extends Record<Level, Write> {
  /** Whether lines of this level are written, to skip expensive fields. */
  writes(level: Level): boolean
}

/** Writes lines to standard output: JSON, or text for people in development. */
export function createLog(
  config: Pick<Config, 'logLevel'> & { logForPeople?: boolean },
  destination = config.logForPeople ? forPeople((line) => process.stdout.write(line)) : undefined,
): Log {
  const options = {
    level: config.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // Levels as words, because log tools do not know pino's numbers.
    formatters: { level: (level: string) => ({ level }) },
  }
  const logger = destination ? pino(options, destination) : pino(options)
  const writes = (level: Level) => logger.isLevelEnabled(level)
  const at = (level: Level): Write => {
    return (fields, message) => {
      if (writes(level)) logger[level](pickFields(fields), message)
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), writes }
}

function pickFields(fields: LogFields): Record<string, unknown> {
  const { error, ...rest } = fields
  return error === undefined ? rest : { ...rest, error: describeError(error) }
}

/**
 * Describes an error without the data it may quote: PostgreSQL's `detail` repeats column values, parsers repeat their
 * input, mail servers repeat addresses. Names, codes and stack frames show where to look.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const described: Record<string, unknown> = {
    name: error.name,
    frames: frames.slice(0, 12).map((line) => line.trim()),
  }
  for (const key of ['code', 'constraint', 'table', 'routine', 'severity', 'responseCode', 'syscall', 'parts']) {
    const value = readErrorField(error, key)
    if (typeof value === 'string' || typeof value === 'number') described[key] = value
  }
  if (error.cause instanceof Error) described['cause'] = describeError(error.cause)
  return described
}
