import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startForTests } from '../database.ts'
import { databasesPlace } from '../databases-place.ts'
import { readOptions, refuseOptions } from '../options.ts'
import type { Mutant } from './mutant.ts'
import { lists, mutants } from './mutants.ts'
import { makeScratch, type Scratch } from './scratch.ts'
import { complaintOf, readTree, removeDefense } from './tree.ts'
import type { Verdict } from './verdict.ts'

const USAGE = `Usage: npm run mutants -- [options] [word]…

Removes one defense after another and runs the tests that should notice. A word is the name of a list of test/mutants, or
part of the name or the function of a defense. Without a word all ${mutants.length} are removed, which takes an hour.

  --list      prints the chosen defenses, and checks that each is where the list says
  --trusting  does not first run the tests with every defense in place`
const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false }, trusting: { type: 'boolean', default: false } },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const isChosen = (mutant: Mutant) =>
  positionals.length === 0 ||
  positionals.some((part) => lists[part]?.includes(mutant) ?? (mutant.name.includes(part) || mutant.in.includes(part)))
const chosen = mutants.filter(isChosen)
if (chosen.length === 0) refuseOptions(`No defense matches ${positionals.join(', ')}.`, USAGE)

const tree = readTree()
const complaints = mutants.map((mutant) => complaintOf(tree, mutant)).filter((complaint) => complaint !== null)
if (values.list) for (const mutant of chosen) say(`${mutant.in}: ${mutant.name}`)
for (const complaint of complaints) say(complaint)
if (complaints.length > 0) process.exitCode = 1
else if (!values.list) await withDatabase(runAll)

/** With a PostgreSQL for all runs. */
async function withDatabase(run: (databaseUrl: string) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(databasesPlace(), 'watchword-mutants-database-'))
  // PostgreSQL, which does not run as root, must be able to pass.
  chmodSync(home, 0o755)
  const database = await startForTests(join(home, 'data'))
  try {
    await run(database.url)
  } finally {
    await database.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

async function runAll(databaseUrl: string): Promise<void> {
  let isStopped = false
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      isStopped = true
      say('Ends after this one; a second time ends at once')
    })
  const scratch = makeScratch(databaseUrl)
  try {
    if (!values.trusting && !(await passesWhole(scratch))) return
    const wrong: string[] = []
    let removed = 0
    for (const mutant of chosen) {
      if (isStopped) break
      const startedAt = performance.now()
      const { line, isRight } = describeVerdict(await scratch.runWithout(removeDefense(tree, mutant), mutant.only))
      removed++
      say(
        `${removed}/${chosen.length} ${Math.round((performance.now() - startedAt) / 1000)} s  ${mutant.name}: ${line}`,
      )
      if (!isRight) wrong.push(`${mutant.name} (${mutant.in}): ${line}`)
    }
    say(`${removed} of ${chosen.length} defenses removed, ${wrong.length} not noticed`)
    for (const line of wrong) say(`  ${line}`)
    if (wrong.length > 0) process.exitCode = 1
  } finally {
    scratch.remove()
  }
}

/** With every defense in place the tests pass: else their failures would say nothing. */
async function passesWhole(scratch: Scratch): Promise<boolean> {
  const tests = new Set(chosen.flatMap((mutant) => removeDefense(tree, mutant).tests))
  const verdict = await scratch.run([...tests])
  if (verdict?.kind === 'passed') return true
  say(`The tests do not pass as they are: ${verdict === null ? 'they took too long' : JSON.stringify(verdict)}`)
  process.exitCode = 1
  return false
}

function describeVerdict(verdict: Verdict | null): { line: string; isRight: boolean } {
  if (verdict?.kind === 'broken') return { line: `BROKEN: ${verdict.why}`, isRight: false }
  if (verdict?.kind === 'passed') return { line: 'NOT NOTICED', isRight: false }
  return { line: `noticed: ${verdict?.by ?? 'the tests took too long'}`, isRight: true }
}
