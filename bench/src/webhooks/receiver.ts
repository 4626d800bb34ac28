import { createServer } from 'node:http'
import { percentile } from '../statistics.ts'

// A server of somebody else that events are sent to: `/ok` answers at once, `/slow` after 14 s, `/dead` never. GET tells
// what arrived since it was last asked; `/keep` does not begin anew.
const SLOW_MS = 14_000

let lags: number[] = []
let [received, firstAt, lastAt] = [0, 0, 0]

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.method === 'GET') {
      lags.sort((a, b) => a - b)
      const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(lags, share))
      response.end(JSON.stringify({ received, seconds: (lastAt - firstAt) / 1000, p50, p99, max }))
      if (request.url === '/keep') return
      lags = []
      received = 0
      return
    }
    if (request.url === '/dead') return
    if (request.url === '/slow') return void setTimeout(() => response.end(), SLOW_MS).unref()
    lastAt = performance.now()
    if (received++ === 0) firstAt = lastAt
    const { timestamp } = JSON.parse(Buffer.concat(chunks).toString())
    lags.push(Date.now() - Date.parse(timestamp))
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address ? address.port : 0)
})
// Ends with the bench, however that ends.
process.stdin.resume().once('end', () => process.exit(0))
