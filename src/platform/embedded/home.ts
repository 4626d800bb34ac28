import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { EmbeddedError } from './embedded-error.ts'

/** The unprivileged user that PostgreSQL runs as when this process is root. */
export interface RunAs {
  name: string
  uid: number
  gid: number
}

/** Where the embedded PostgreSQL keeps its files, and the user it runs as. */
export interface Home {
  directory: string
  /** PostgreSQL's own data directory (PGDATA). */
  cluster: string
  logFile: string
  /** Undefined if PostgreSQL runs as the user of this process. */
  user: RunAs | undefined
}

/** The directory for files that PostgreSQL's user could not reach in their original place when the process is root. */
export const sharedDirectory = '/var/lib/watchword'

/** The options for `spawn` to run a PostgreSQL program as the user of its home. */
export function spawnOptions(user: RunAs | undefined, cwd: string) {
  const identity = user ? { uid: user.uid, gid: user.gid } : {}
  // Our environment may contain keys, which a superuser of PostgreSQL could read.
  return { cwd, env: { LC_ALL: 'C', TZ: 'UTC' }, ...identity }
}

/**
 * Creates the directory for the PostgreSQL of `dataDir`. When started as root, the data is below `sharedDirectory` if
 * PostgreSQL's user cannot enter `dataDir`, or could not when the data was created.
 */
export function openHome(dataDir: string, log: (line: string) => void): Home {
  const isRoot = process.getuid?.() === 0
  // Root owns the directory, so PostgreSQL's user can pass through it but cannot create links in it.
  if (isRoot) createOpenDirectory(dataDir, 0o711)
  else mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const own = homeAt(realpathSync(dataDir))
  if (!isRoot) return own
  const user = chooseUser(own)
  const isOpen = canEnter(own.directory, user)
  if (existsSync(join(own.cluster, 'PG_VERSION'))) {
    if (isOpen) return { ...own, user }
    throw closedError(own.directory, user)
  }
  if (isOpen && readDatabaseId(own.directory) === null) return { ...own, user }
  const elsewhere = homeAt(join(sharedDirectory, readDatabaseId(own.directory) ?? createDatabaseId(own.directory)))
  createOpenDirectory(sharedDirectory, 0o755)
  createOpenDirectory(elsewhere.directory, 0o711)
  const mover = chooseUser(elsewhere)
  if (!canEnter(elsewhere.directory, mover)) throw closedError(elsewhere.directory, mover)
  log(`PostgreSQL runs as user ${mover.name}, who cannot enter ${own.directory}: its data is in ${elsewhere.directory}`)
  return { ...elsewhere, user: mover }
}

/** The directories that may contain files of `dataDir`'s database. They need not exist. */
export function findHomes(dataDir: string): Home[] {
  const own = homeAt(existsSync(dataDir) ? realpathSync(dataDir) : dataDir)
  const id = process.getuid?.() === 0 ? readDatabaseId(own.directory) : null
  return id === null ? [own] : [homeAt(join(sharedDirectory, id)), own]
}

/** Whether `dataDir` has a database. An existing directory may have none, for example an empty volume. */
export function hasDatabase(dataDir: string): boolean {
  return findHomes(dataDir).some(({ cluster }) => {
    try {
      return statSync(join(cluster, 'PG_VERSION'), { throwIfNoEntry: false }) !== undefined
    } catch {
      // This user cannot read the directory. Opening the database reports the problem.
      return true
    }
  })
}

function homeAt(directory: string): Home {
  return { directory, cluster: join(directory, 'postgres'), logFile: join(directory, 'postgres.log'), user: undefined }
}

function closedError(directory: string, user: RunAs): EmbeddedError {
  return new EmbeddedError(
    `PostgreSQL does not run as root, and user ${user.name} cannot enter ${directory}: run "chmod o+x" on it and the directories above it, or set DATABASE_URL.`,
  )
}

/**
 * Reads a file in a directory where PostgreSQL's user may write. Returns null if there is no regular file. Throws
 * ELOOP for a symbolic link, because it could lead to a file that only root may read.
 */
export function readPlainFile(file: string): { bytes: Buffer; uid: number } | null {
  if (!existsSync(file)) return null
  // O_NONBLOCK, because opening a pipe would wait for its writer.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    return stats.isFile() ? { bytes: readFileSync(descriptor), uid: stats.uid } : null
  } finally {
    closeSync(descriptor)
  }
}

const idFile = 'database-id'

/**
 * Root uses an id only if root wrote it. Otherwise the owner of the directory could point to another deployment's
 * data.
 */
function readDatabaseId(directory: string): string | null {
  const found = readPlainFile(join(directory, idFile))
  if (found?.uid !== 0) return null
  const text = found.bytes.toString('utf8').trim()
  return /^[0-9a-f]{16}$/.test(text) ? text : null
}

function createDatabaseId(directory: string): string {
  const id = randomBytes(8).toString('hex')
  writeFileSync(join(directory, idFile), `${id}\n`, { mode: 0o600, flag: 'wx', flush: true })
  return id
}

/** PostgreSQL refuses to run as root, so it runs as the owner of the data or as an unprivileged user of the machine. */
function chooseUser({ cluster, directory }: Home): RunAs {
  for (const path of [cluster, directory]) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats && stats.uid !== 0) return { name: `with id ${stats.uid}`, uid: stats.uid, gid: stats.gid }
  }
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const wanted of ['postgres', '_postgres', 'nobody']) {
    const [name, , uid, gid] = accounts.find(([found]) => found === wanted) ?? []
    if (name && uid && gid) return { name, uid: Number(uid), gid: Number(gid) }
  }
  throw new EmbeddedError(
    'PostgreSQL does not run as root, and this machine has no user "postgres" or "nobody": start as another user, or set DATABASE_URL.',
  )
}

/**
 * Creates a directory of root that others can enter, regardless of the umask. The mode of a directory that contains
 * files is not changed.
 */
export function createOpenDirectory(directory: string, mode: number): void {
  const isNew = mkdirSync(directory, { recursive: true }) !== undefined
  const { uid, mode: found } = statSync(directory)
  // An empty directory is a volume, or a temporary directory that was made for the data, so its mode may be changed.
  const isClosed = uid === 0 && (found & 0o001) === 0
  if (isNew || (isClosed && readdirSync(directory).length === 0)) chmodSync(directory, mode)
}

/** Whether `user` can enter `directory`. Asks the kernel, which also applies access control lists. */
export function canEnter(directory: string, user: RunAs): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd -- "$0"', directory], spawnOptions(user, '/')).status === 0
}
