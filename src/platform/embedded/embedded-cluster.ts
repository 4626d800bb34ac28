import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Binaries } from './embedded-binaries.ts'
import { diskFullError, EmbeddedError, errorCode, isDiskFull } from './embedded-error.ts'
import type { Home } from './embedded-home.ts'
import { removeLeftovers, runProgram, temporaryName } from './embedded-process.ts'

/** Name of PostgreSQL's superuser, and of the database. */
export const databaseName = 'watchword'

const passwordFile = 'watchword.password'

/** Connections that the embedded database accepts, including those reserved for its superuser. */
export const EMBEDDED_CONNECTIONS = 125

/** Written to postgresql.conf once, so that an operator can tune them there. */
const initialSettings = {
  shared_buffers: '128MB',
  max_connections: String(EMBEDDED_CONNECTIONS),
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A failed statement and its DETAIL quote values, which are personal data; our own log reports the failure.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  // A new deployment fills its tables within minutes: replace plans made for empty tables sooner.
  autovacuum_naptime: '10s',
}

/**
 * Ensures that a complete PostgreSQL data directory of our major version is in place, and creates it on first use.
 * Throws EmbeddedError for data of another version and for a full disk.
 */
export async function prepareCluster(home: Home, binaries: Binaries, log: (line: string) => void): Promise<void> {
  refuseBareCluster(home.directory, binaries.major)
  const found = readVersion(home.cluster)
  if (found !== undefined) {
    if (found !== binaries.major) throw otherVersionError(home.cluster, found, binaries.major)
    if (home.user && lstatSync(home.cluster).uid === 0) chownCluster(home.cluster, home.user)
    return
  }
  setAsideBrokenCluster(home.cluster, log)
  await removeLeftovers(home.directory, basename(home.cluster))
  log(`Creating the embedded PostgreSQL ${binaries.major} in ${home.directory}`)
  await createCluster(home, binaries)
}

/** The superuser's password, created with the cluster. */
export function readPassword(home: Home): string {
  const file = join(home.cluster, passwordFile)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    throw new EmbeddedError(
      `${file} is missing: put it back, it holds the password of the database in ${home.cluster}.`,
    )
  }
}

function readVersion(cluster: string): string | undefined {
  const file = join(cluster, 'PG_VERSION')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

function otherVersionError(cluster: string, found: string, wanted: string): EmbeddedError {
  return new EmbeddedError(
    `The data in ${cluster} is of PostgreSQL ${found}, but the embedded PostgreSQL is ${wanted}: dump it (pg_dump) with PostgreSQL ${found}, move the directory away, start again and restore the dump; or set DATABASE_URL to a PostgreSQL ${found}.`,
  )
}

/** The setting may point at another PostgreSQL's data directory by mistake. */
function refuseBareCluster(directory: string, major: string): void {
  const found = readVersion(directory)
  if (found === undefined) return
  if (found !== major) throw otherVersionError(directory, found, major)
  throw new EmbeddedError(
    `${directory} is another PostgreSQL's own data directory: set WATCHWORD_DATA_DIR to a directory of its own, or run that PostgreSQL and set DATABASE_URL.`,
  )
}

/** Clusters are only put in place when complete: one without PG_VERSION was damaged later, and may still be needed. */
function setAsideBrokenCluster(cluster: string, log: (line: string) => void): void {
  if (!existsSync(cluster)) return
  if (readdirSync(cluster).length === 0) {
    rmdirSync(cluster)
    return
  }
  // Process clock: makes the name of the directory unique.
  const aside = `${cluster}.broken-${Date.now()}`
  renameSync(cluster, aside)
  log(
    `${cluster} had no complete PostgreSQL data (no PG_VERSION): moved it to ${aside}, delete it if nothing in it is needed`,
  )
}

async function createCluster(home: Home, binaries: Binaries): Promise<void> {
  const made = join(home.directory, temporaryName(basename(home.cluster)))
  const secret = `${made}.password`
  mkdirSync(made, { mode: 0o700 })
  writeFileSync(secret, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  if (home.user) for (const path of [made, secret]) lchownSync(path, home.user.uid, home.user.gid)
  try {
    await runInitdb(home, binaries, made, secret)
    renameSync(secret, join(made, passwordFile))
    syncDirectory(made)
    putInPlace(made, home.cluster)
    syncDirectory(home.directory)
  } finally {
    await rm(made, { recursive: true, force: true })
    await rm(secret, { force: true })
  }
}

async function runInitdb(home: Home, binaries: Binaries, cluster: string, secret: string): Promise<void> {
  const settings = Object.entries(initialSettings).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const { code, stderr } = await runProgram(
    join(binaries.directory, 'bin', 'initdb'),
    [`--pgdata=${cluster}`, `--username=${databaseName}`, `--pwfile=${secret}`, '--auth=scram-sha-256']
      .concat(['--encoding=UTF8', '--locale-provider=builtin', '--locale=C', '--builtin-locale=C.UTF-8'])
      .concat(['--no-instructions', ...settings]),
    { user: home.user, cwd: binaries.directory },
  )
  if (code === 0) return
  if (isDiskFull(stderr, home.directory)) throw diskFullError(home.directory)
  if (/could not look up effective user ID/.test(stderr)) {
    throw new EmbeddedError(
      `PostgreSQL cannot be set up in ${home.directory} by a user id without a name (${home.user?.uid ?? process.getuid?.()}): add it to /etc/passwd, run as another user, or set DATABASE_URL.`,
    )
  }
  const reason = stderr
    .trim()
    .split(/\s*\n\s*/)
    .slice(0, 3)
    .join(' | ')
  throw new EmbeddedError(
    `PostgreSQL could not be set up in ${home.directory}: initdb ended with ${code ?? 'a signal'}: ${reason}. Set DATABASE_URL to use another PostgreSQL.`,
  )
}

/** A concurrent start may have been first; its cluster is as good as ours. */
function putInPlace(made: string, cluster: string): void {
  try {
    renameSync(made, cluster)
  } catch (error) {
    if (readVersion(cluster) === undefined) throw error
  }
}

/** The rename must survive a power failure before anything relies on it. Windows cannot sync directories. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Data restored by root belongs to root, but PostgreSQL must not run as root. */
function chownCluster(cluster: string, user: { uid: number; gid: number }): void {
  for (const name of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
    lchownSync(join(cluster, name), user.uid, user.gid)
  }
  lchownSync(cluster, user.uid, user.gid)
  chmodSync(cluster, 0o700)
}
