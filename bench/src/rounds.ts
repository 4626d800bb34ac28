import type { Bench, Measurement, Row, Target } from './bench.ts'
import { median } from './statistics.ts'
import type { Outcome, TargetOutcome } from './table.ts'

interface Round {
  own: Measurement
  /** By row id: what the row is divided by; a ceiling that judges it is the mean of just before and just after. */
  others: Map<string, Measurement>
}

/**
 * Measures rows, each in alternation with what it is held against, a ceiling on both sides of it: other loads on the
 * machine then weigh on both, and the ratio stays. Beside a ceiling one more round comes first, which counts for
 * nothing. A row that fails is reported with its reason and stops nothing.
 */
export async function measureRows(
  bench: Bench,
  selected: Row[],
  all: Row[],
  settings: { rounds: number; onProgress(text: string): void },
): Promise<Outcome[]> {
  const measured = new Map<string, Measurement[]>()
  const outcomes = new Map<string, Outcome>()
  for (const row of selected) {
    const rounds: Round[] = []
    const problems: string[] = []
    try {
      // A server compiles its code while it runs: its first seconds tell nothing of the hours after.
      if (ceilingsOf(row, all).length > 0) {
        settings.onProgress(`${row.id}, to warm up`)
        await measureRound(bench, row, all, new Map())
      }
      for (let n = 0; n < settings.rounds; n++) {
        settings.onProgress(`${row.id}, round ${n + 1} of ${settings.rounds}`)
        rounds.push(await measureRound(bench, row, all, measured))
      }
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
    outcomes.set(row.id, summarize(row, measured.get(row.id) ?? [], rounds, problems))
  }
  return orderOutcomes(all, outcomes, measured)
}

async function measureRound(bench: Bench, row: Row, all: Row[], measured: Map<string, Measurement[]>): Promise<Round> {
  const measure = async (what: Row): Promise<Measurement> => {
    await bench.settle()
    const measurement = await what.measure(bench)
    measured.set(what.id, [...(measured.get(what.id) ?? []), measurement])
    return measurement
  }
  const ceilings = ceilingsOf(row, all)
  const others = new Map<string, Measurement>()
  for (const other of all)
    if (row.targets.some(({ of }) => of === other.id) && !ceilings.includes(other))
      others.set(other.id, await measure(other))
  for (const ceiling of ceilings) others.set(ceiling.id, await measure(ceiling))
  const own = await measure(row)
  // A machine that is shared changes its speed within seconds, and a row may have prepared for longer than that.
  for (const ceiling of ceilings) others.set(ceiling.id, meanOf(others.get(ceiling.id), await measure(ceiling)))
  return { own, others }
}

/** The references that judge a row. */
function ceilingsOf({ targets }: Row, all: Row[]): Row[] {
  return all.filter(
    ({ id, kind }) => kind === 'reference' && targets.some(({ of, figure }) => of === id && figure !== null),
  )
}

function meanOf(before: Measurement | undefined, after: Measurement): Measurement {
  if (!before) return after
  const mean = (a: number | null, b: number | null) => (a === null || b === null ? null : (a + b) / 2)
  return {
    value: (before.value + after.value) / 2,
    p50Ms: mean(before.p50Ms, after.p50Ms),
    p99Ms: mean(before.p99Ms, after.p99Ms),
    problems: [...before.problems, ...after.problems],
  }
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
  const targets = row.targets.map((target) => judge(target, rounds))
  return { row, ...medians(figures), targets, problems: [...new Set([...problems, ...medians(figures).problems])] }
}

function medians(figures: Measurement[]): Pick<Outcome, 'value' | 'p50Ms' | 'p99Ms' | 'problems'> {
  const present = (values: (number | null)[]) => median(values.filter((value) => value !== null))
  return {
    value: median(figures.map(({ value }) => value)),
    p50Ms: present(figures.map(({ p50Ms }) => p50Ms)),
    p99Ms: present(figures.map(({ p99Ms }) => p99Ms)),
    problems: [...new Set(figures.flatMap(({ problems }) => problems))],
  }
}

function judge(target: Target, rounds: Round[]): TargetOutcome {
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
