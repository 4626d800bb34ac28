import { availableParallelism } from 'node:os'
import { json } from 'node:stream/consumers'
import { hash, verify } from '@node-rs/argon2'
import { readField } from '../json-field.ts'
import { percentile } from '../statistics.ts'
import { COST, PASSWORD } from './hash-cost.ts'

const input = await json(process.stdin)
const seconds = Number(readField(input, 'seconds'))
const stored = await hash(PASSWORD, COST)
const latenciesMs: number[] = []
const startedAt = performance.now()
const endAt = startedAt + seconds * 1000

async function verifyUntilEnd(): Promise<void> {
  while (performance.now() < endAt) {
    const from = performance.now()
    await verify(stored, PASSWORD)
    latenciesMs.push(performance.now() - from)
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, verifyUntilEnd))
const elapsedSeconds = (performance.now() - startedAt) / 1000
latenciesMs.sort((a, b) => a - b)
console.log(
  JSON.stringify({
    ratePerSecond: latenciesMs.length / elapsedSeconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  }),
)
