import { readOptions, refuseOptions } from '../options.ts'
import { outsideTests } from '../process/service.ts'
import { scenarios } from './scenarios.ts'
import { makeBase, type Outcome, runScenario } from './stage.ts'

// Targets, in milliseconds. What misses one is marked; what breaks a promise is a violation.
// A request waits for five seconds at most, and a busy machine takes a moment to answer then.
const TARGETS = { firstGood: 10_000, slowest: 5200 }

const width = Math.max(...scenarios.map(({ name }) => name.length))
const USAGE = `Usage: npm run survive -- [scenario]…

Breaks the database in ${scenarios.length} ways while people sign in, and checks what is left. All scenarios take several minutes,
and gigabytes of memory or of the temporary directory. Ctrl-C stops the servers and removes the databases.

${scenarios.map(({ name, about }) => `  ${name.padEnd(width)} ${about}`).join('\n')}`

const say = (line: string) => process.stdout.write(`${line}\n`)
const { positionals: names } = readOptions(USAGE, { allowPositionals: true })
const known = scenarios.map(({ name }) => name)
const unknown = names.filter((name) => !known.includes(name))
if (unknown.length > 0) refuseOptions(`There is no scenario ${unknown.join(', ')}.`, USAGE)

const outcomes: Outcome[] = []
const endedEarly: string[] = []
const notRun: string[] = []

await outsideTests(async () => {
  const base = await makeBase()
  for (const scenario of scenarios.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const startedAt = performance.now()
    say(`\n${scenario.name}: ${scenario.about}`)
    const outcome = await outsideTests(() => runScenario(base, scenario)).catch((error: unknown) => String(error))
    if (typeof outcome === 'string') {
      endedEarly.push(`${scenario.name} ended early: ${outcome}`)
      say(`  ended early: ${outcome}`)
      continue
    }
    if ('unfit' in outcome) {
      notRun.push(`${scenario.name} was not run: ${outcome.unfit}`)
      continue
    }
    outcomes.push(outcome)
    for (const note of outcome.notes) say(`  ${note}`)
    for (const violation of outcome.violations) say(`  VIOLATION: ${violation}`)
    say(`  ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  }
})
say('')
for (const line of tableOf(outcomes)) say(line)
for (const line of [...endedEarly, ...notRun]) say(line)
say('Times in ms. * misses its target: first good answer 10 s, slowest request 5.2 s.')
// Requests without an answer would keep the process alive.
process.exit(endedEarly.length > 0 || outcomes.some(({ violations }) => violations.length > 0) ? 1 : 0)

function tableOf(rows: Outcome[]): string[] {
  const head = ['scenario', 'requests', 'refused', 'slowest', '/healthz', 'first good', 'last refusal', 'violations']
  const cells = rows.map((row) => [
    row.name,
    String(row.requests),
    String(row.refused),
    against(row.slowest, TARGETS.slowest),
    row.slowestHealth.toFixed(0),
    row.firstGood === null ? 'none' : against(row.firstGood, TARGETS.firstGood),
    row.lastRefusal.toFixed(0),
    String(row.violations.length),
  ])
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const lineOf = (row: string[]) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ')
  return [head, ...cells].map(lineOf)
}

function against(ms: number, target: number): string {
  return `${ms.toFixed(0)}${ms > target ? '*' : ''}`
}
