import { type Bench, type Measurement, measureLoad, oncePerRun, type Row } from '../bench.ts'
import { runJob } from '../child.ts'
import { getPostgres } from '../postgres.ts'

const httpServer = new URL('./http-server.ts', import.meta.url)
const insertServer = new URL('./insert-server.ts', import.meta.url)
const body = JSON.stringify({ code: 'amber falcon' })

/** Ceilings of the machine, which the other rows are divided by. */
export const referenceRows: Row[] = [
  reference('http-post', 'HTTP ceiling: bare Fastify, POST with a JSON body', async (bench) => {
    const { baseUrl } = await bench.server(httpServer)
    return await measureLoad(bench, { baseUrl, requests: [{ method: 'POST', path: '/post', body }] })
  }),
  reference('http-get', 'HTTP ceiling: bare Fastify, GET', async (bench) => {
    const { baseUrl } = await bench.server(httpServer)
    return await measureLoad(bench, { baseUrl, requests: [{ method: 'GET', path: '/get' }] })
  }),
  insert('insert-single', 'Durable insert, one row a request', '/single'),
  insert('insert-coalesced', 'Durable insert, concurrent rows joined', '/coalesced'),
  reference('hash', 'Hash ceiling: argon2id m=19456 t=2 p=1, one a core', (bench) => measureHashing(bench)),
  reference('sign-jose', 'Signature ceiling: ES256 JWT by jose, one core', (bench) =>
    measureJob('./signature-job.ts', { seconds: bench.seconds, library: 'jose' }),
  ),
  reference('sign-crypto', 'Signature ceiling: ES256 by node:crypto, one core', (bench) =>
    measureJob('./signature-job.ts', { seconds: bench.seconds, library: 'node:crypto' }),
  ),
  reference('verify-xml', 'XML signature of RSA-2048 verified by node-saml, a second of CPU', (bench) =>
    measureVerification(bench, 'saml'),
  ),
  reference('verify-id-token', 'ID token of RS256 verified by jose, a second of CPU', (bench) =>
    measureVerification(bench, 'id-token'),
  ),
]

async function measureVerification({ seconds }: Bench, what: 'saml' | 'id-token'): Promise<Measurement> {
  const job = new URL('./verify-job.ts', import.meta.url)
  const { perCpuSecond: value } = await runJob<{ perCpuSecond: number }>(job, { seconds, what })
  return { value, p50Ms: null, p99Ms: null, problems: [] }
}

function reference(id: string, title: string, measure: Row['measure']): Row {
  return { id, title, kind: 'reference', unit: '/s', targets: [], measure }
}

function insert(id: string, title: string, path: string): Row {
  const targets: Row['targets'] = [{ of: 'http-post', on: 'value', bound: 'at least', figure: null }]
  return { ...reference(id, title, (bench) => measureInsert(bench, path)), targets }
}

const startInsertServer = oncePerRun(async (bench) => {
  const postgres = await getPostgres(bench)
  return await bench.server(insertServer, { DATABASE_URL: await postgres.createDatabase('references') })
})

async function measureInsert(bench: Bench, path: string): Promise<Measurement> {
  const { baseUrl } = await startInsertServer(bench)
  return await measureLoad(bench, { baseUrl, requests: [{ method: 'POST', path, body }] })
}

/** Password verifications a second with every core at work, yielding to others by so much. */
export async function measureHashing(bench: Bench, niceness = 0): Promise<Measurement> {
  return await measureJob('./hash-job.ts', { seconds: bench.seconds, niceness })
}

async function measureJob(script: string, input: { seconds: number } & Record<string, unknown>): Promise<Measurement> {
  const result = await runJob<{ ratePerSecond: number; p50Ms: number; p99Ms: number }>(
    new URL(script, import.meta.url),
    input,
  )
  return { value: result.ratePerSecond, p50Ms: result.p50Ms, p99Ms: result.p99Ms, problems: [] }
}
