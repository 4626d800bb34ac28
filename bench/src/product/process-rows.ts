import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bench, type Measurement, oncePerRun, type Row, toFigure } from '../bench.ts'
import { getPostgres } from '../postgres.ts'
import { makeMasterKey, startWatchword } from '../watchword.ts'

/** How soon the process serves. */
export const processRows: Row[] = [
  row('start-embedded', 'start to ready, fresh embedded database', 3000, measureFreshStart),
  row('start', 'start to ready, existing database', 1500, measureStart),
]

function row(id: string, title: string, figure: number, measure: Row['measure']): Row {
  const targets: Row['targets'] = [{ of: null, on: 'value', bound: 'at most', figure }]
  return { id, title, kind: 'watchword', unit: 'ms', targets, measure }
}

async function measureFreshStart(): Promise<Measurement> {
  const dataDir = await mkdtemp(join(tmpdir(), 'watchword-start-'))
  try {
    const watchword = await startWatchword({ WATCHWORD_DATA_DIR: join(dataDir, 'data') })
    await watchword.stop()
    return toFigure(watchword.readyAfterMs)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Settings of a deployment that has been started before: its database is migrated and seeded. */
export const getExisting = oncePerRun(async (bench) => {
  const postgres = await getPostgres(bench)
  const settings = {
    DATABASE_URL: await postgres.createDatabase('start'),
    WATCHWORD_MASTER_KEY: makeMasterKey(),
    WATCHWORD_BOOTSTRAP_API_KEY: makeMasterKey(),
  }
  const first = await startWatchword(settings)
  await first.stop()
  return settings
})

async function measureStart(bench: Bench): Promise<Measurement> {
  const watchword = await startWatchword(await getExisting(bench))
  await watchword.stop()
  return toFigure(watchword.readyAfterMs)
}
