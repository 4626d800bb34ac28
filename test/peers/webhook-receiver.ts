import { createServer, type IncomingHttpHeaders } from 'node:http'
import { afterAll } from 'vitest'

export interface Received {
  headers: IncomingHttpHeaders
  body: string
  path: string
}

export interface WebhookReceiver {
  url: string
  received: Received[]
  /** What the next requests are answered with, and after what; without it 200. A handler that returns null never answers. */
  answer: (
    received: Received,
  ) => { status: number; headers?: Record<string, string>; body?: string; after?: Promise<unknown> } | null
}

/** A server of somebody else that events are sent to. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const received = { headers: request.headers, body: Buffer.concat(chunks).toString(), path: request.url ?? '' }
      receiver.received.push(received)
      const answer = receiver.answer(received)
      await answer?.after
      if (answer) response.writeHead(answer.status, answer.headers).end(answer.body)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const receiver: WebhookReceiver = { url: `http://127.0.0.1:${port}`, received: [], answer: () => ({ status: 200 }) }
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}
