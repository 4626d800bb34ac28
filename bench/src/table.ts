import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { BASE, type Row, type Target } from './bench.ts'

/** A row after all rounds: medians, and what became of its targets. */
export interface Outcome {
  row: Row
  value: number | null
  p50Ms: number | null
  p99Ms: number | null
  cpuUs: number | null
  targets: TargetOutcome[]
  problems: string[]
}

export interface TargetOutcome {
  target: Target
  /** Median of the rounds' ratios, or the absolute figure where the target names no row. */
  reached: number | null
  met: boolean | null
}

/** What the figures were measured on. */
export function describeMachine(postgresVersion: string | null): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memoryGib = Math.round(totalmem() / 2 ** 30)
  const load = loadavg()[0]?.toFixed(1)
  const parts = [
    `${availableParallelism()} × ${model}`,
    `${memoryGib} GiB`,
    `${platform()} ${release()} ${arch()}`,
    `Node ${process.versions.node}`,
    postgresVersion ? `PostgreSQL ${postgresVersion}` : null,
    `load average ${load} at the end`,
  ]
  return `${parts.filter((part) => part !== null).join(', ')}; the load generator runs on the same cores`
}

/** The one table, as Markdown, with what went wrong below it. */
export function formatTable(outcomes: Outcome[]): string {
  const head = ['| Row | Value | p50 | p99 | CPU | Ratio | Target | Met |', '|---|---:|---:|---:|---:|---:|---|---|']
  const lines = outcomes.flatMap(formatOutcome)
  const problems = outcomes.flatMap(({ row, problems }) => problems.map((problem) => `- \`${row.id}\`: ${problem}`))
  const notes = problems.length > 0 ? ['', 'What went wrong:', ...problems] : []
  return [...head, ...lines, ...notes].join('\n')
}

function formatOutcome({ row, value, p50Ms, p99Ms, cpuUs, targets, problems }: Outcome): string[] {
  const mark = problems.length > 0 ? ' (!)' : ''
  const cpu = cpuUs === null ? '' : `${cpuUs.toFixed(0)} µs`
  const figures = `${formatValue(value, row.unit)} | ${formatMs(p50Ms)} | ${formatMs(p99Ms)} | ${cpu}`
  const first = `| \`${row.id}\` ${row.title}${mark} | ${figures}`
  // Without `--base` there is nothing to compare with.
  const shown = targets.filter(({ target, reached }) => target.of !== BASE || reached !== null)
  if (shown.length === 0) return [`${first} | | | |`]
  return shown.map((outcome, index) => `${index === 0 ? first : '| | | | | '} | ${formatTarget(outcome, row)} |`)
}

function formatTarget({ target, reached, met }: TargetOutcome, row: Row): string {
  const { of, bound, figure } = target
  const sign = bound === 'at least' ? '≥' : '≤'
  const ratio = reached === null ? '–' : of === null ? '' : reached.toFixed(2)
  const answer = met === null ? '' : met ? 'yes' : 'no'
  const names = { value: '', p50Ms: 'p50 ', p99Ms: 'p99 ', cpuUs: 'CPU ' }
  const percentile = names[target.on]
  const unit = target.on === 'value' ? row.unit : 'ms'
  if (figure === null) return `${ratio} | of \`${of}\` | ${answer}`
  if (of === null) return `${ratio} | ${percentile}${sign} ${formatValue(figure, unit)} | ${answer}`
  return `${ratio} | ${percentile}${sign} ${figure} × \`${of}\` | ${answer}`
}

function formatValue(value: number | null, unit: Row['unit']): string {
  if (value === null) return '–'
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  return unit === '/s' ? `${value.toFixed(digits)}/s` : `${value.toFixed(digits)} ${unit}`
}

function formatMs(ms: number | null): string {
  if (ms === null) return ''
  return `${ms.toFixed(ms < 10 ? 2 : 0)} ms`
}

/** The same as JSON, for machines. */
export function formatJson(outcomes: Outcome[], machine: string): string {
  const rows = outcomes.map(({ row, targets, ...figures }) => ({
    id: row.id,
    title: row.title,
    kind: row.kind,
    unit: row.unit,
    ...figures,
    targets: targets.map(({ target, reached, met }) => ({ ...target, reached, met })),
  }))
  return JSON.stringify({ machine, rows }, null, 2)
}
