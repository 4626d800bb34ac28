import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { readErrorField } from '../errors.ts'
import { withClient } from './client.ts'

/** The database cannot be used. The message is one line that says what to do. */
export class DatabaseError extends Error {
  override name = 'DatabaseError'
}

const OLDEST_MAJOR = 15

/**
 * Waits until the database accepts connections, so that containers can start together. Throws DatabaseError if it does
 * not respond in time, refuses the connection, or is too old. Returns its version.
 */
export async function reachDatabase(
  url: string,
  options: { patienceMs: number; signal?: AbortSignal; notice?: (line: string) => void },
): Promise<{ version: string }> {
  const deadline = performance.now() + options.patienceMs
  for (let tries = 1; ; tries++) {
    try {
      return { version: await readVersion(url) }
    } catch (error) {
      const line = explainDatabaseError(error, url)
      if (!isAbsent(error) || performance.now() > deadline || options.signal?.aborted)
        throw line ? new DatabaseError(line) : error
      if (tries === 1) options.notice?.(`Waiting for ${nameDatabase(url)} (${reasonOf(error)})`)
      await delay(250, undefined, options.signal ? { signal: options.signal } : {}).catch(() => undefined)
    }
  }
}

async function readVersion(url: string): Promise<string> {
  return withClient(url, { application_name: 'watchword-start' }, async (client) => {
    const { rows } = await client.query<{ version: string; number: number }>(
      "select current_setting('server_version') as version, current_setting('server_version_num')::int as number",
    )
    const { version, number } = rows[0] ?? { version: 'unknown', number: 0 }
    if (number < OLDEST_MAJOR * 10_000)
      throw new DatabaseError(
        `${nameDatabase(url)} is PostgreSQL ${version}: upgrade it to ${OLDEST_MAJOR} or later, or set DATABASE_URL to another one.`,
      )
    return version
  })
}

// There is no server yet, or it is starting (57P03) or restarting (57P01, 57P02).
const ABSENT =
  /^(CONNECTION_LOST|ECONNREFUSED|ECONNRESET|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|57P0[123])$/

function isAbsent(error: unknown): boolean {
  const code = codeOf(error)
  if (code) return ABSENT.test(code) || code === 'NO_ANSWER'
  return error instanceof Error && /terminated|timeout/i.test(error.message)
}

/**
 * Explains a database failure in one line, or returns null for any other error. Never quotes the password. `url` is
 * null for the embedded database.
 */
export function explainDatabaseError(error: unknown, url: string | null): string | null {
  if (error instanceof DatabaseError) return error.message
  const name = nameDatabase(url)
  if (codeOf(error) === 'NO_ANSWER')
    return `${name} did not answer a statement: it is frozen, or its commits wait for a synchronous standby (wait_event SyncRep in pg_stat_activity). Start the standby, or find out why it is frozen. Then try again.`
  if (isAbsent(error))
    return `${name} does not answer (${reasonOf(error)}): ${url ? 'start it, or correct DATABASE_URL' : 'start again'}.`
  const { user, database } = new pg.Client({ connectionString: url ?? '' })
  switch (codeOf(error)) {
    case '28P01':
    case '28000':
      return `${name} refuses user ${user}: correct the user name and password in DATABASE_URL.`
    case '3D000':
      return `${name} has no database "${database}": create it with \`createdb ${database}\`, or correct DATABASE_URL.`
    case '42501':
      return `${name} denies user ${user} a permission that Watchword needs: make ${user} the owner of database "${database}".`
    case '53100':
      return `The disk of ${name} is full: free space and try again.`
    case 'NO_FREE_CONNECTION':
      return `${name} gave no connection in time: it is busy, or does not answer. Try again.`
    case '53300':
      return `${name} has no connection left: raise its max_connections, or start fewer processes.`
    case '25006':
      return `${name} only reads: it is a standby, default_transaction_read_only is on, or its commits hang because a synchronous standby is lost. Set DATABASE_URL to the primary, turn that off, or start the standby.`
    case '55P03':
      return `Another transaction of ${name} holds a lock. If its commit waits for a synchronous standby (wait_event SyncRep in pg_stat_activity), start the standby. Otherwise end it (\`pg_blocking_pids\`). Then try again.`
    case '57014':
      return `${name} ended a statement that took too long. End the transactions that hold locks (\`pg_blocking_pids\`), or wait until there is less load, and run the command again.`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `${name} has a certificate that this machine does not trust: add sslrootcert=<file> to DATABASE_URL.`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${name} has a certificate for another name: use the name in it in DATABASE_URL.`
  }
  if (error instanceof Error && /does not support SSL/.test(error.message))
    return `${name} does not support TLS: remove sslmode from DATABASE_URL, or turn TLS on there.`
  return null
}

/** Names the database and its server within a sentence, without user and password. */
export function describeDatabase(url: string | null): string {
  if (url === null) return 'the embedded database'
  return `the database "${new pg.Client({ connectionString: url }).database}" of ${nameDatabase(url)}`
}

/** Names the server without user and password. */
export function nameDatabase(url: string | null): string {
  if (url === null) return 'The embedded PostgreSQL'
  const { host, port } = new pg.Client({ connectionString: url })
  return host.startsWith('/') ? `PostgreSQL at socket ${host}` : `PostgreSQL at ${host}:${port}`
}

function reasonOf(error: unknown): string {
  return codeOf(error) || (error instanceof Error ? error.message : String(error))
}

function codeOf(error: unknown): string {
  // Node tries every address of a host name and bundles the errors.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const code = readErrorField(first, 'code')
  if (typeof code === 'string') return code
  return error instanceof Error && error.message === 'Query read timeout' ? 'NO_ANSWER' : ''
}
