import type { ServerResponse } from 'node:http'

// Not imported, because an import reads every export, and reading `WebSocket` makes Node load its `fetch`.
const { createServer } = process.getBuiltinModule('node:http')

export const checkNames = ['database', 'migrations', 'queue', 'signing_key'] as const
/** The state of each part that requests depend on. */
export type Checks = Record<(typeof checkNames)[number], 'ok' | 'failed'>

export interface PrivateListener {
  port: number
  close(): Promise<void>
}

export interface PrivateListenerOptions {
  host: string
  port: number
  readMetrics(): Promise<string>
  /** @returns null while the process is starting or stopping. */
  readChecks(): Promise<Checks | null>
}

/**
 * Serves /metrics and /readyz on a private address, because both reveal internals and cause work without requiring a
 * key.
 */
export async function startPrivateListener(options: PrivateListenerOptions): Promise<PrivateListener> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    const answer = path === '/metrics' ? answerMetrics : path === '/readyz' ? answerReadiness : null
    if (request.method !== 'GET' || !answer) return void response.writeHead(404).end()
    answer(response, options).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function answerMetrics(response: ServerResponse, options: PrivateListenerOptions): Promise<void> {
  const text = await options.readMetrics()
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text)
}

async function answerReadiness(response: ServerResponse, options: PrivateListenerOptions): Promise<void> {
  const checks = await options.readChecks()
  const ready = checks !== null && checkNames.every((name) => checks[name] === 'ok')
  const body = { status: ready ? 'ok' : 'unavailable', checks: checks ?? {} }
  response
    .writeHead(ready ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body))
}
