import { BASE, type Bench, type Measurement, type Row, type Target } from './bench.ts'
import { median } from './statistics.ts'
import type { Outcome, TargetOutcome } from './table.ts'

interface Round {
  own: Measurement
  /** By row id, and by `BASE`: what the row is divided by. */
  others: Map<string, Measurement>
}

/** `base` measures the service of another release. */
export interface RoundSettings {
  rounds: number
  base: Bench | null
  onProgress(text: string): void
}

/**
 * Measures rows, each in alternation with what it is compared with: other loads on the machine then affect both. Reports
 * why a row failed, and continues with the next.
 */
export async function measureRows(
  bench: Bench,
  selected: Row[],
  all: Row[],
  settings: RoundSettings,
): Promise<Outcome[]> {
  const measured = new Map<string, Measurement[]>()
  const outcomes = new Map<string, Outcome>()
  for (const row of selected) {
    const rounds: Round[] = []
    const problems: string[] = []
    const count = row.rounds ?? settings.rounds
    try {
      if (row.warmsUp) await warmUp(bench, row)
      for (let n = 0; n < count; n++) {
        settings.onProgress(`${row.id}, round ${n + 1} of ${count}`)
        rounds.push(await measureRound(bench, settings.base, { row, all, measured }))
      }
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
    outcomes.set(row.id, summarize(row, measured.get(row.id) ?? [], rounds, problems))
  }
  return orderOutcomes(all, outcomes, measured)
}

async function warmUp(bench: Bench, row: Row): Promise<void> {
  await bench.settle()
  await row.measure(bench)
}

async function measureRound(
  bench: Bench,
  base: Bench | null,
  { row, all, measured }: { row: Row; all: Row[]; measured: Map<string, Measurement[]> },
): Promise<Round> {
  const measure = async (what: Row): Promise<Measurement> => {
    await bench.settle()
    const measurement = await what.measure(bench)
    measured.set(what.id, [...(measured.get(what.id) ?? []), measurement])
    return measurement
  }
  const others = new Map<string, Measurement>()
  for (const other of all) if (row.targets.some(({ of }) => of === other.id)) others.set(other.id, await measure(other))
  if (base && row.targets.some(({ of }) => of === BASE)) {
    await base.settle()
    others.set(BASE, await row.measure(base))
  }
  return { own: await measure(row), others }
}

/** The table's order is that of `all`; rows that only served as a reference are shown as well. */
function orderOutcomes(all: Row[], own: Map<string, Outcome>, measured: Map<string, Measurement[]>): Outcome[] {
  return all.flatMap((row) => {
    const figures = measured.get(row.id)
    const outcome = own.get(row.id)
    // A reference was measured again beside later rows: its medians are over all of that.
    if (figures && outcome) return [{ ...outcome, ...medians(figures) }]
    if (figures) return [summarize(row, figures, [], [])]
    return outcome ? [outcome] : []
  })
}

function summarize(row: Row, figures: Measurement[], rounds: Round[], problems: string[]): Outcome {
  const targets = row.targets.map((target) => evaluateTarget(target, rounds))
  return { row, ...medians(figures), targets, problems: [...new Set([...problems, ...medians(figures).problems])] }
}

function medians(figures: Measurement[]): Omit<Outcome, 'row' | 'targets'> {
  const medianOf = (values: (number | null)[]) => median(values.filter((value) => value !== null))
  return {
    value: median(figures.map(({ value }) => value)),
    p50Ms: medianOf(figures.map(({ p50Ms }) => p50Ms)),
    p99Ms: medianOf(figures.map(({ p99Ms }) => p99Ms)),
    cpuUs: medianOf(figures.map(({ cpuUs }) => cpuUs)),
    problems: [...new Set(figures.flatMap(({ problems }) => problems))],
  }
}

function evaluateTarget(target: Target, rounds: Round[]): TargetOutcome {
  const reached = median(
    rounds.flatMap(({ own, others }) => {
      const mine = own[target.on]
      const theirs = target.of === null ? 1 : others.get(target.of)?.[target.on]
      return mine === null || !theirs ? [] : [mine / theirs]
    }),
  )
  if (reached === null || target.figure === null) return { target, reached, met: null }
  return { target, reached, met: target.bound === 'at least' ? reached >= target.figure : reached <= target.figure }
}
