import { fileURLToPath } from 'node:url'
import { type Server, startServer } from './child.ts'
import { describeFailures, type LoadPlan, type LoadResult, runLoad } from './load.ts'
import { cpuSecondsOf } from './process-stat.ts'

/** One figure of one round. */
export interface Measurement {
  value: number
  p50Ms: number | null
  p99Ms: number | null
  /** CPU time of the service's process per request, in microseconds. */
  cpuUs: number | null
  /** What went wrong while measuring, in words. */
  problems: string[]
}

/** The name under which targets refer to the same row of the other release that `--base` names. */
export const BASE = 'base'

/** What a row is compared with: another row of the same run, the same row of another release, or an absolute figure. */
export interface Target {
  /** Id of the row to divide by, or `BASE`; null for the absolute figure. */
  of: string | null
  on: 'value' | 'p50Ms' | 'p99Ms' | 'cpuUs'
  bound: 'at least' | 'at most'
  /** Null when the ratio is only shown. */
  figure: number | null
}

/** The bound on the CPU time of sign-ins and refreshes. */
export const cpuTarget: Target = { of: BASE, on: 'cpuUs', bound: 'at most', figure: 1.05 }

export interface Row {
  id: string
  title: string
  kind: 'reference' | 'peer' | 'watchword'
  unit: '/s' | 'ms' | 'MiB'
  targets: Target[]
  /** How often it is measured, whatever `--rounds` says. */
  rounds?: number
  /** Whether to run it once before the first round and discard the result: V8 compiles code while the first requests wait. */
  warmsUp?: boolean
  measure(bench: Bench): Promise<Measurement>
}

export interface BenchSettings {
  /** Length of one measurement. */
  seconds: number
  /** How many callers send requests at once. */
  connections: number
  /** Length of one load of the row `growth`. */
  loadSeconds: number
  /** The checkout whose service is measured. */
  root: string
}

/** This checkout. */
export const ownRoot = fileURLToPath(new URL('../../', import.meta.url))

/** What rows measure with. Servers are started when first asked for, and ended together. */
export interface Bench extends BenchSettings {
  server(script: URL, env?: Record<string, string>): Promise<Server>
  /** What to do before each measurement, so that what the last one left weighs on none. */
  beforeEach(settle: () => Promise<void>): void
  settle(): Promise<void>
  atEnd(end: () => Promise<void>): void
  close(): Promise<void>
}

/** Makes what the rows of one checkout measure with. */
export function createBench(settings: BenchSettings): Bench {
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

/** A plan with the run's settings filled in, run, as a measurement of requests per second. `pid` is the service's process. */
export async function measureLoad(
  bench: Bench,
  plan: Pick<LoadPlan, 'baseUrl' | 'requests'> & Partial<LoadPlan>,
  pid?: number,
): Promise<Measurement> {
  const { connections, seconds } = bench
  const before = pid === undefined ? 0 : cpuSecondsOf(pid)
  const result = await runLoad({ connections, seconds, headers: {}, mode: 'cycle', ...plan })
  const cpuSeconds = pid === undefined ? null : cpuSecondsOf(pid) - before
  return toMeasurement(result, cpuSeconds)
}

/** The result of the load generator as a measurement of requests per second. */
export function toMeasurement(result: LoadResult, cpuSeconds: number | null = null): Measurement {
  const { ratePerSecond, p50Ms, p99Ms, completed } = result
  const cpuUs = cpuSeconds === null || completed === 0 ? null : (cpuSeconds * 1e6) / completed
  return { value: ratePerSecond, p50Ms, p99Ms, cpuUs, problems: describeFailures(result) }
}

/** A measurement that is one figure. */
export function toFigure(value: number, problems: string[] = []): Measurement {
  return { value, p50Ms: null, p99Ms: null, cpuUs: null, problems }
}
