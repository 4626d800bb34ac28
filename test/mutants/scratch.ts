import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mutant } from './mutant.ts'
import { readVerdict, type Verdict } from './verdict.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
// A test that hangs without a defence has noticed; the slowest of those named here take a minute.
const LIMIT_MS = 240_000

/** A copy of the working tree, in which defences are taken out. */
export interface Scratch {
  /** Runs tests with the defence taken out, and puts it back. Null: they took too long. */
  runWithout(mutant: Mutant): Promise<Verdict | null>
  run(tests: string[], only?: string): Promise<Verdict | null>
  remove(): void
}

/** Copies what git tracks, or would, beside the installed packages. */
export function makeScratch(databaseUrl: string): Scratch {
  const home = mkdtempSync(join(tmpdir(), 'watchword-mutants-'))
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
  for (const path of new Set(listed.split('\0').filter((name) => name !== ''))) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    cpSync(join(root, path), join(home, path))
  }
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  const run = (tests: string[], only?: string) => runTests({ home, databaseUrl }, tests, only)
  return {
    run,
    async runWithout(mutant) {
      const path = join(home, mutant.file)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, without(mutant, text))
      try {
        return await run(mutant.tests, mutant.only)
      } finally {
        writeFileSync(path, text)
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** Says what is wrong with a row of the table, or null. */
export function complaintOf(mutant: Mutant): string | null {
  try {
    without(mutant, readFileSync(join(root, mutant.file), 'utf8'))
    for (const test of mutant.tests) readFileSync(join(root, test))
    return null
  } catch (error) {
    return `“${mutant.name}”: ${error instanceof Error ? error.message : String(error)}`
  }
}

function without({ file, find, replace }: Mutant, text: string): string {
  const count = text.split(find).length - 1
  if (count !== 1) throw new Error(`occurs ${count} times in ${file}, not once: ${find}`)
  return text.replace(find, () => replace)
}

/** Runs Vitest in a process group of its own, which ends whole when it takes too long. */
async function runTests(
  { home, databaseUrl }: { home: string; databaseUrl: string },
  tests: string[],
  only?: string,
): Promise<Verdict | null> {
  const reportFile = join(home, 'mutants-report.json')
  rmSync(reportFile, { force: true })
  // All but one file are the same in every run.
  const cache = ['--experimental.fsModuleCache', `--experimental.fsModuleCachePath=${join(home, 'module-cache')}`]
  const report = ['--reporter=json', `--outputFile=${reportFile}`]
  const args = ['run', ...tests, ...report, ...cache, ...(only ? ['-t', only] : [])]
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
    cwd: home,
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, LIMIT_MS)
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  if (isLate) return null
  try {
    return readVerdict(readFileSync(reportFile, 'utf8'))
  } catch {
    return { kind: 'broken', why: complaints.slice(-2000) }
  }
}
