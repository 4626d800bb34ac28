import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { oncePerRun } from './bench.ts'

export interface Postgres {
  version: string
  /** Makes an empty database and returns its URL. It is dropped at the end. */
  createDatabase(name: string): Promise<string>
  stop(): Promise<void>
}

/** The run's PostgreSQL. */
export const getPostgres = oncePerRun(async (bench) => {
  const postgres = await startPostgres()
  bench.atEnd(postgres.stop)
  return postgres
})

/** The PostgreSQL of `BENCH_DATABASE_URL` (its user must be able to create databases), or an embedded one. */
async function startPostgres(): Promise<Postgres> {
  const given = process.env['BENCH_DATABASE_URL']
  if (given) return await usePostgres(given, async () => {})
  const { startEmbedded } = await import('../../src/platform/embedded/embedded.ts')
  const dataDir = await mkdtemp(join(tmpdir(), 'watchword-bench-'))
  const embedded = await startEmbedded({ dataDir, log: (line) => console.error(line) })
  return await usePostgres(embedded.url, async () => {
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
}

async function usePostgres(url: string, end: () => Promise<void>): Promise<Postgres> {
  const made: string[] = []
  const version = await query(url, 'show server_version')
  return {
    version,
    createDatabase: async (name) => {
      const database = `bench_${name}_${randomBytes(4).toString('hex')}`
      await query(url, `create database ${database}`)
      made.push(database)
      return withDatabase(url, database)
    },
    stop: async () => {
      for (const database of made) await query(url, `drop database if exists ${database} with (force)`)
      await end()
    },
  }
}

/** Runs one statement on a connection of its own; returns the first column of the first row as text. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<unknown[]>({ text, values, rowMode: 'array' })
    return String(rows[0]?.[0] ?? '')
  } finally {
    await client.end()
  }
}

// By text: the form for a unix socket, postgresql://user:password@/name?host=/path, is not a WHATWG URL.
function withDatabase(url: string, database: string): string {
  return url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${database}`)
}
