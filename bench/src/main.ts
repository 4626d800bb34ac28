import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createBench, ownRoot, type Row } from './bench.ts'
import { getPostgres } from './postgres.ts'
import { measureRows } from './rounds.ts'
import { rows } from './rows.ts'
import { describeMachine, formatJson, formatTable } from './table.ts'

const USAGE = `Usage: npm run bench -- [part of a row's id] [options]

  --list          the rows, without measuring
  --rounds n      rounds of which the median counts (3)
  --seconds n     length of one measurement (3)
  --connections n callers at once (64)
  --base dir      a checkout of another release, installed, to compare the CPU time of requests with
  --load n        seconds of one load of the row growth (600)
  --json          JSON instead of the table

BENCH_DATABASE_URL: a PostgreSQL to measure on, whose user may create databases and checkpoints; without it an embedded one.`

/** Measures what the arguments ask for and prints it. */
export async function runBench(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      list: { type: 'boolean' },
      help: { type: 'boolean' },
      json: { type: 'boolean' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
      base: { type: 'string' },
      load: { type: 'string', default: '600' },
    },
  })
  const isRow = (part: string) => rows.some(({ id }) => id === part)
  const selected = rows.filter(
    ({ id }) =>
      positionals.length === 0 || positionals.some((part) => id === part || (!isRow(part) && id.includes(part))),
  )
  if (values.help) return console.log(USAGE)
  if (values.list || selected.length === 0) return console.log(describeRows(values.list ? selected : rows))
  const measuring = {
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    loadSeconds: Number(values.load),
  }
  const bench = createBench({ ...measuring, root: ownRoot })
  const base = values.base === undefined ? null : createBench({ ...measuring, root: resolve(values.base) })
  const close = async () => {
    await base?.close()
    await bench.close()
  }
  const interrupt = () => void close().then(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const { version } = await getPostgres(bench)
    const settings = { rounds: Number(values.rounds), base, onProgress: (text: string) => console.error(text) }
    const outcomes = await measureRows(bench, selected, rows, settings)
    const machine = describeMachine(version)
    const note = `Median of ${values.rounds} rounds of ${values.seconds} s, ${values.connections} connections.`
    console.log(values.json ? formatJson(outcomes, machine) : `${machine}.\n${note}\n\n${formatTable(outcomes)}`)
  } finally {
    await close()
  }
}

function describeRows(list: Row[]): string {
  return list.map(({ id, title }) => `${id.padEnd(28)} ${title}`).join('\n')
}
