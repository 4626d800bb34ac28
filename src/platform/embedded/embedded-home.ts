import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { EmbeddedError, errorCode } from './embedded-error.ts'
import type { RunAs } from './embedded-process.ts'

/** Where the embedded PostgreSQL keeps its files, and the user it runs as. */
export interface Home {
  /** Contains everything below; the data directory itself, unless PostgreSQL's user cannot access it. */
  directory: string
  /** PostgreSQL's own data directory (PGDATA). */
  cluster: string
  logFile: string
  /** Undefined for the user of this process. */
  user: RunAs | undefined
  /** The inaccessible parent of the data directory that made us use another place. */
  closed?: string
}

/** Where root keeps files that an unprivileged PostgreSQL could not access in their original place. */
export const sharedDirectory = '/var/lib/watchword'

/** `sun_path` takes 104 bytes on macOS and 108 on Linux, with its final zero. */
const longestSocketPath = 100

/** Decides where the PostgreSQL of `dataDir` lives and creates that directory. */
export function openHome(dataDir: string, shared: string): Home {
  const own = homeAt(canonicalPath(resolve(dataDir)), undefined)
  if (process.getuid?.() !== 0) {
    mkdirSync(own.directory, { recursive: true, mode: 0o700 })
    return own
  }
  const user = chooseUser(own)
  makeRootDirectory(own.directory, user)
  const name = readDatabaseId(own.directory)
  const closed = findClosedDirectory(own.directory, user)
  const isMadeHere = existsSync(join(own.cluster, 'PG_VERSION'))
  if (closed && isMadeHere) {
    throw new EmbeddedError(
      `PostgreSQL must not run as root, and user ${user.name} cannot enter ${closed} to reach the data in ${own.cluster}: run "chmod o+x ${closed}", or move the data directory.`,
    )
  }
  if (!closed && (isMadeHere || !name)) return { ...own, user }
  const elsewhere = join(shared, name ?? makeDatabaseId(own.directory))
  makeSharedDirectory(shared, user)
  makeRootDirectory(elsewhere, user)
  const moved = homeAt(elsewhere, user)
  return { ...moved, user: chooseUser(moved), closed: closed ?? own.directory }
}

/**
 * Where the data of `dataDir` lies if not in it: under `shared`, in a directory of root's. It is known only by the id that
 * `dataDir` holds, so that whoever removes `dataDir` begins anew, wherever the data lay. Null if it is in `dataDir`.
 */
export function findElsewhere(dataDir: string, shared: string): string | null {
  const name = readDatabaseId(canonicalPath(resolve(dataDir)))
  return name && process.getuid?.() === 0 ? join(shared, name) : null
}

const idFile = 'database-id'

/** Root follows the id only if root wrote it: whoever owns the directory could name the data of another deployment. */
function readDatabaseId(directory: string): string | null {
  const file = join(directory, idFile)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.uid !== 0) return null
  const text = readFileSync(file, 'utf8').trim()
  return /^[0-9a-f]{16}$/.test(text) ? text : null
}

function makeDatabaseId(directory: string): string {
  const file = join(directory, idFile)
  try {
    writeFileSync(file, `${randomBytes(8).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    // Another process starts at the same time: both use the same.
    if (errorCode(error) !== 'EEXIST') throw error
  }
  const made = readDatabaseId(directory)
  if (made) return made
  throw new EmbeddedError(`${file} is not an id that root wrote: remove it and start again.`)
}

export function homeAt(directory: string, user: RunAs | undefined): Home {
  return { directory, cluster: join(directory, 'postgres'), logFile: join(directory, 'postgres.log'), user }
}

/** Every name of a directory gives the same path, even if its last parts do not exist yet. */
function canonicalPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) return path
    return join(canonicalPath(dirname(path)), basename(path))
  }
}

function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16)
}

/** PostgreSQL refuses to run as root (a breach of it would own the machine), so root chooses an unprivileged user. */
function chooseUser(home: Home): RunAs {
  for (const path of [home.cluster, home.directory]) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats && stats.uid !== 0) return { name: `with id ${stats.uid}`, uid: stats.uid, gid: stats.gid }
  }
  const lines = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const wanted of ['postgres', '_postgres', 'nobody']) {
    const [name, , uid, gid] = lines.find(([found]) => found === wanted) ?? []
    if (name && uid && gid) return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
  }
  throw new EmbeddedError(
    'PostgreSQL must not run as root and this machine has no user "postgres" or "nobody": start as another user, or set DATABASE_URL.',
  )
}

/**
 * Root owns the directory itself, so that PostgreSQL's user cannot plant links in it for root to follow; that user may
 * only traverse it. A directory that is used for other things keeps its mode.
 */
function makeRootDirectory(directory: string, user: RunAs): void {
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  const stats = statSync(directory)
  if (stats.uid === 0 && !maySearch(stats, user) && readdirSync(directory).length === 0) chmodSync(directory, 0o711)
}

/** Creates the place for relocated files. Throws EmbeddedError when `user` cannot access that either. */
export function makeSharedDirectory(directory: string, user: RunAs): void {
  if (mkdirSync(directory, { recursive: true })) chmodSync(directory, 0o755)
  const closed = findClosedDirectory(directory, user)
  if (!closed) return
  throw new EmbeddedError(
    `PostgreSQL must not run as root, and user ${user.name} cannot enter ${closed}: run "chmod o+x ${closed}", or set DATABASE_URL.`,
  )
}

/** The first directory on the path to `directory`, including itself, that `user` may not traverse. */
export function findClosedDirectory(directory: string, user: RunAs): string | undefined {
  const parent = dirname(directory)
  const closed = parent === directory ? undefined : findClosedDirectory(parent, user)
  if (closed) return closed
  const stats = statSync(directory, { throwIfNoEntry: false })
  return !stats || maySearch(stats, user) ? undefined : directory
}

function maySearch(stats: { uid: number; gid: number; mode: number }, user: RunAs): boolean {
  const bit = stats.uid === user.uid ? 0o100 : stats.gid === user.gid ? 0o010 : 0o001
  return (stats.mode & bit) !== 0
}

/** Creates the directory of the server's socket: in the home, or in the temporary directory if the path is too long. */
export function makeSocketDirectory(home: Home): string {
  const inside = join(home.directory, 'socket')
  const isShort = Buffer.byteLength(join(inside, '.s.PGSQL.5432')) <= longestSocketPath
  const directory = isShort ? inside : join(tmpdir(), `watchword-${hashPath(home.directory)}`)
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (home.user && (made || lstatSync(directory).uid === 0)) lchownSync(directory, home.user.uid, home.user.gid)
  if (isTrustedSocketDirectory(directory, home)) return directory
  throw new EmbeddedError(
    `${directory}, the directory for PostgreSQL's socket, belongs to another user or is open to others: remove it and start again.`,
  )
}

/** Whether only PostgreSQL's user can put a socket there: another user's socket could ask us for the password. */
export function isTrustedSocketDirectory(directory: string, home: Home): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && stats.uid === ownerOf(home) && (stats.mode & 0o077) === 0
}

function ownerOf(home: Home): number | undefined {
  return home.user?.uid ?? process.getuid?.()
}
