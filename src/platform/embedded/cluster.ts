import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { EmbeddedError, lastLines } from './embedded-error.ts'
import { type Home, readPlainFile, spawnOptions } from './home.ts'

/** The name of PostgreSQL's superuser and of the database. */
export const databaseName = 'watchword'

const passwordFile = 'watchword.password'

/** The number of connections that the embedded database accepts, including those reserved for its superuser. */
export const EMBEDDED_CONNECTIONS = 125

/** Written to postgresql.conf once, so that operators can change them there. */
const initialSettings = {
  shared_buffers: '128MB',
  max_connections: String(EMBEDDED_CONNECTIONS),
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // PostgreSQL's log would quote values of failed statements, which are personal data. Our own log reports the
  // failure.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  // The tables of a new deployment fill within minutes, so plans made for empty tables must be replaced sooner.
  autovacuum_naptime: '10s',
}

/** The prefix of an incomplete cluster's name. */
const unfinished = 'postgres.new-'

/**
 * Creates the cluster of `home` on the first start. Throws EmbeddedError for data of another major version.
 */
export async function prepareCluster(home: Home, binaries: Binaries, log: (line: string) => void): Promise<void> {
  const [major = ''] = binaries.version.split('.')
  const found = readVersion(home.cluster)
  if (found !== undefined && found !== major)
    throw new EmbeddedError(
      `The data in ${home.cluster} is of PostgreSQL ${found}, but the embedded PostgreSQL is ${major}: dump it (pg_dump) with PostgreSQL ${found}, move the directory away, start again and restore the dump; or set DATABASE_URL to a PostgreSQL ${found}.`,
    )
  if (found === undefined) {
    log(`Creating the embedded PostgreSQL ${major} in ${home.directory}`)
    await createCluster(home, binaries)
  } else if (home.user && lstatSync(home.cluster).uid === 0) {
    // Root has copied or restored the data.
    execFileSync('chown', ['-R', '-h', `${home.user.uid}:${home.user.gid}`, home.cluster])
  }
}

/**
 * Reads the superuser's password, which is created with the cluster. Throws EmbeddedError if the file is not what
 * `createCluster` wrote.
 */
export function readPassword(home: Home): string {
  const file = join(home.cluster, passwordFile)
  const password = readPlainFile(file)?.bytes.toString('utf8').trim() ?? ''
  if (/^[A-Za-z0-9_-]{32}$/.test(password)) return password
  throw new EmbeddedError(
    `${file} is not the password file of this database: restore it from a backup and start again.`,
  )
}

/** Removes leftovers of starts that were killed. Only the owner of the running server may call it. */
export async function removeUnfinished(home: Home): Promise<void> {
  // Another process may still be starting and write there. It removes its own files.
  for (const name of readdirSync(home.directory))
    if (name.startsWith(unfinished))
      await rm(join(home.directory, name), { recursive: true, force: true }).catch(() => undefined)
}

function readVersion(cluster: string): string | undefined {
  return readPlainFile(join(cluster, 'PG_VERSION'))?.bytes.toString('utf8').trim()
}

/** Creates a cluster and moves it into place only when it is complete and on disk. */
async function createCluster(home: Home, binaries: Binaries): Promise<void> {
  const made = mkdtempSync(join(home.directory, unfinished))
  const secret = `${made}.password`
  try {
    writeFileSync(secret, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    if (home.user) for (const path of [made, secret]) lchownSync(path, home.user.uid, home.user.gid)
    await runInitdb(home, binaries, made, secret)
    renameSync(secret, join(made, passwordFile))
    syncDirectory(made)
    renameSync(made, home.cluster)
    syncDirectory(home.directory)
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    await rm(secret, { force: true })
    // Another process was faster, and both use its cluster.
    if (readVersion(home.cluster) !== undefined) return
    throw error
  }
}

async function runInitdb(home: Home, binaries: Binaries, cluster: string, secret: string): Promise<void> {
  const settings = Object.entries(initialSettings).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const args = [`--pgdata=${cluster}`, `--username=${databaseName}`, `--pwfile=${secret}`, '--auth=scram-sha-256']
    .concat(['--encoding=UTF8', '--locale-provider=builtin', '--locale=C', '--builtin-locale=C.UTF-8'])
    .concat(['--no-instructions', ...settings])
  const child = spawn(join(binaries.directory, 'bin', 'initdb'), args, {
    ...spawnOptions(home.user, binaries.directory),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new EmbeddedError(`PostgreSQL could not be set up in ${home.directory}: ${lastLines(said)}`)
}

/** Flushes the directory, because the rename must survive a power failure before anything relies on it. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
