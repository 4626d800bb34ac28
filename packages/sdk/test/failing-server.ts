import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** A request as the server got it. */
export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** How the server treats one request: with a status, headers and a body, by closing the connection, or by silence before, within or for a while in its body. */
export type Treatment =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | 'close'
  | 'hang'
  | 'stall'
  | 'slow'

/** A server that treats each request as the next treatment says, and the last one again and again. */
export async function startFailingServer(treatments: () => Treatment[]) {
  const seen: Seen[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const plan = treatments()
    const treatment = plan[Math.min(seen.length, plan.length - 1)]
    const { method = '', url = '', headers } = req
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    if (treatment === 'hang' || treatment === undefined) return
    if (treatment === 'stall') {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{')
      return
    }
    if (treatment === 'slow') {
      res.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"a":')
      setTimeout(() => res.end('1}\n'), 2000)
      return
    }
    if (treatment === 'close') {
      req.socket.destroy()
      return
    }
    const body = typeof treatment.body === 'string' ? treatment.body : JSON.stringify(treatment.body ?? {})
    res.writeHead(treatment.status, { 'content-type': 'application/json', ...treatment.headers }).end(body)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, seen }
}

/** A refusal as the service sends it. */
export const problem = (status: number, code: string, more: object = {}) => ({
  type: `https://x.test/docs/errors#${code}`,
  title: code,
  status,
  detail: `It is ${code}.`,
  code,
  request_id: 'req_1',
  ...more,
})
