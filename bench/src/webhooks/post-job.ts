import { json } from 'node:stream/consumers'
import { Pool } from 'undici'
import { readField } from '../json-field.ts'
import { percentile } from '../statistics.ts'

// The least that a delivery can cost: a POST of its size over connections that stay open, by the client of the service.
const input: unknown = await json(process.stdin)
const [seconds, connections] = [Number(readField(input, 'seconds')), Number(readField(input, 'connections'))]
const pool = new Pool(String(readField(input, 'url')), { connections })
const body = JSON.stringify({ timestamp: new Date().toISOString(), data: 'x'.repeat(700) })
const latenciesMs: number[] = []
const endAt = performance.now() + seconds * 1000

async function send(): Promise<void> {
  for (let from = performance.now(); from < endAt; from = performance.now()) {
    const reply = await pool.request({ method: 'POST', path: '/ok', body })
    await reply.body.dump()
    latenciesMs.push(performance.now() - from)
  }
}

await Promise.all(Array.from({ length: connections }, send))
await pool.close()
latenciesMs.sort((a, b) => a - b)
console.log(
  JSON.stringify({
    ratePerSecond: latenciesMs.length / seconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  }),
)
