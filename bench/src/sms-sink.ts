import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A provider of text messages that takes every one, and counts them. */
export interface SmsSink {
  /** For WATCHWORD_SMS_URL. */
  url: string
  /** Whether so many have come within `timeoutSeconds`. */
  receives(count: number, timeoutSeconds: number): Promise<boolean>
  stop(): Promise<void>
}

/** Starts the sink on a free port of 127.0.0.1. */
export async function startSmsSink(): Promise<SmsSink> {
  let received = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      received++
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"status":"queued"}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://bench:bench@127.0.0.1:${port}/Messages.json?From=%2B15005550006`,
    async receives(count, timeoutSeconds) {
      const deadline = performance.now() + timeoutSeconds * 1000
      while (received < count && performance.now() < deadline) await sleep(50)
      return received >= count
    },
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
