import { randomUUID } from 'node:crypto'
import { fastify } from 'fastify'
import { Pool } from 'pg'

const POOL_SIZE = 10
const MAX_BATCH = 500
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: POOL_SIZE })
await pool.query('create table if not exists bench_rows (id uuid primary key, code text not null, made_at timestamptz)')

interface Waiting {
  id: string
  code: string
  done(error: unknown): void
}

let waiting: Waiting[] = []
let writing = 0

/** Joins rows that arrive while earlier ones are written into one statement; ends with that statement's commit. */
function insertCoalesced(id: string, code: string): Promise<void> {
  return new Promise((resolve, reject) => {
    waiting.push({ id, code, done: (error) => (error ? reject(error) : resolve()) })
    // Two statements at once keep the database busy while the next batch gathers.
    if (writing < 2) void writeBatch()
  })
}

async function writeBatch(): Promise<void> {
  const batch = waiting.slice(0, MAX_BATCH)
  waiting = waiting.slice(MAX_BATCH)
  if (batch.length === 0) return
  writing++
  let failure: unknown = null
  try {
    await pool.query({
      name: 'coalesced',
      text: 'insert into bench_rows (id, code, made_at) select id, code, now() from unnest($1::uuid[], $2::text[]) as t (id, code)',
      values: [batch.map((row) => row.id), batch.map((row) => row.code)],
    })
  } catch (error) {
    failure = error
  }
  writing--
  for (const row of batch) row.done(failure)
  if (waiting.length > 0) void writeBatch()
}

const schema = {
  body: { type: 'object', required: ['code'], properties: { code: { type: 'string' } } },
  response: { 200: { type: 'object', properties: { id: { type: 'string' } } } },
}
const app = fastify()
app.post<{ Body: { code: string } }>('/single', { schema }, async (request) => {
  const id = randomUUID()
  await pool.query({
    name: 'single',
    text: 'insert into bench_rows (id, code, made_at) values ($1, $2, now())',
    values: [id, request.body.code],
  })
  return { id }
})
app.post<{ Body: { code: string } }>('/coalesced', { schema }, async (request) => {
  const id = randomUUID()
  await insertCoalesced(id, request.body.code)
  return { id }
})
console.log(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
// Ends with the bench, however that ends.
process.stdin.resume().once('end', () => process.exit(0))
