import { type Server, startServer } from './child.ts'
import { describeFailures, type LoadPlan, type LoadResult, runLoad } from './load.ts'

/** One figure of one round. */
export interface Measurement {
  value: number
  p50Ms: number | null
  p99Ms: number | null
  /** What went wrong while measuring, in words. */
  problems: string[]
}

/** What a row is held against: another row of the same run, or its own absolute figure. */
export interface Target {
  /** Id of the row to divide by; null for the absolute figure. */
  of: string | null
  on: 'value' | 'p50Ms' | 'p99Ms'
  bound: 'at least' | 'at most'
  /** Null when the ratio is only shown. */
  figure: number | null
}

export interface Row {
  id: string
  title: string
  kind: 'reference' | 'peer' | 'watchword'
  unit: '/s' | 'ms' | 'MiB'
  targets: Target[]
  measure(bench: Bench): Promise<Measurement>
}

/** What rows measure with. Servers are started when first asked for, and ended together. */
export interface Bench {
  seconds: number
  connections: number
  server(script: URL, env?: Record<string, string>): Promise<Server>
  /** What to do before each measurement, so that what the last one left weighs on none. */
  beforeEach(settle: () => Promise<void>): void
  settle(): Promise<void>
  atEnd(end: () => Promise<void>): void
  close(): Promise<void>
}

/** `seconds` is the length of one measurement, `connections` how many callers ask at once. */
export function createBench(settings: { seconds: number; connections: number }): Bench {
  const servers = new Map<string, Promise<Server>>()
  const ends: (() => Promise<void>)[] = []
  const settling: (() => Promise<void>)[] = []
  return {
    ...settings,
    server: (script, env = {}) => {
      const started = servers.get(script.href) ?? startServer(script, env)
      if (!servers.has(script.href)) ends.push(async () => await (await started).stop())
      servers.set(script.href, started)
      return started
    },
    beforeEach: (settle) => void settling.push(settle),
    settle: async () => {
      for (const settle of settling) await settle()
    },
    atEnd: (end) => void ends.push(end),
    close: async () => {
      // In reverse order of creation: servers end before their database.
      for (const end of ends.reverse()) await end().catch((error: unknown) => console.error(String(error)))
    },
  }
}

/** A maker whose value is made once a run and shared by its rows, such as a database or prepared users. */
export function oncePerRun<T>(make: (bench: Bench) => Promise<T>): (bench: Bench) => Promise<T> {
  const made = new WeakMap<Bench, Promise<T>>()
  return (bench) => {
    const value = made.get(bench) ?? make(bench)
    made.set(bench, value)
    return value
  }
}

/** A plan with the run's settings filled in, run, as a measurement of requests per second. */
export async function measureLoad(
  bench: Bench,
  plan: Pick<LoadPlan, 'baseUrl' | 'requests'> & Partial<LoadPlan>,
): Promise<Measurement> {
  const { connections, seconds } = bench
  return toMeasurement(await runLoad({ connections, seconds, headers: {}, mode: 'cycle', ...plan }))
}

/** What a generator's run says about its server, in requests per second. */
export function toMeasurement(result: LoadResult): Measurement {
  const { ratePerSecond, p50Ms, p99Ms } = result
  return { value: ratePerSecond, p50Ms, p99Ms, problems: describeFailures(result) }
}
