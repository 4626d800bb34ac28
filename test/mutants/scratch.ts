import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Changed } from './tree.ts'
import { readVerdict, type Verdict } from './verdict.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
// A test that hangs without a defense has noticed. The slowest of the named test files takes a minute.
const LIMIT_MS = 240_000

/** A copy of the working tree, in which defenses are removed. */
export interface Scratch {
  run(tests: string[], only?: string): Promise<Verdict | null>
  /** Runs the tests of a changed file, and restores the file. Null: they took too long. */
  runWithout(changed: Changed, only?: string): Promise<Verdict | null>
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
    async runWithout({ file, before, after, tests }, only) {
      const path = join(home, file)
      writeFileSync(path, after)
      try {
        return await run(tests, only)
      } finally {
        writeFileSync(path, before)
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
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
