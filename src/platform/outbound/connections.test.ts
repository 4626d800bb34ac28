import { once } from 'node:events'
import http from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { OutboundFailure, openOutbound } from './http.ts'

/** For each request, the address that it reached and the port of its connection. */
const seen: { host: string; port: number | undefined }[] = []
let answer: (response: http.ServerResponse) => void = (response) => response.end('ok')

async function listen(host: string, port = 0): Promise<number> {
  const server = http.createServer((request, response) => {
    seen.push({ host, port: request.socket.remotePort })
    request.resume().on('end', () => answer(response))
  })
  await once(server.listen(port, host), 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const port = await listen('127.0.0.1')
await listen('127.0.0.2', port)

/** An HTTP client for which the name resolves to these addresses, one for each request. */
function wayOut(...led: string[]) {
  let asked = 0
  const resolve = async () => [{ address: led[Math.min(asked++, led.length - 1)] ?? '', family: 4 }]
  const send = openOutbound({ outboundAllow: ['127.0.0.1', '127.0.0.2'] }, resolve)
  return (keepsFor?: string) =>
    send(`http://hooks.example:${port}/`, {
      method: 'POST',
      body: '{}',
      timeoutMs: 5000,
      maxBytes: 4096,
      cutsBody: true,
      ...(keepsFor ? { keepsFor } : {}),
    })
}

const connections = () => new Set(seen.map((each) => `${each.host} ${each.port}`)).size

test('requests of one owner to one address share a connection; those of another, or of nobody, have their own', async () => {
  const send = wayOut('127.0.0.1')
  seen.length = 0
  for (let n = 0; n < 5; n++) expect((await send('one')).status).toBe(200)
  expect([seen.length, connections()]).toEqual([5, 1])
  await send('two')
  expect(connections()).toBe(2)
  await send()
  await send()
  expect(connections()).toBe(4)
})

test('an open connection is of no use once the name leads elsewhere', async () => {
  const send = wayOut('127.0.0.1', '127.0.0.2', '127.0.0.3')
  seen.length = 0
  await send('one')
  await send('one')
  expect(seen.map(({ host }) => host)).toEqual(['127.0.0.1', '127.0.0.2'])
  await expect(send('one')).rejects.toMatchObject({ reason: 'not_allowed' })
  expect(seen).toHaveLength(2)
})

test('a connection that the server closed meanwhile is no failure', async () => {
  const send = wayOut('127.0.0.1')
  await send('one')
  answer = (response) => {
    answer = (response) => response.end('again')
    response.socket?.destroy()
  }
  expect((await send('one')).body.toString()).toBe('again')
  answer = (response) => response.socket?.destroy()
  await expect(send('two')).rejects.toBeInstanceOf(OutboundFailure)
  answer = (response) => response.end('ok')
})

test('of an answer without end the beginning is read, and its connection is given up', async () => {
  const send = wayOut('127.0.0.1')
  seen.length = 0
  answer = (response) => {
    const timer = setInterval(() => response.write(Buffer.alloc(1024)), 1)
    response.on('close', () => clearInterval(timer))
  }
  expect((await send('one')).body).toHaveLength(4096)
  answer = (response) => response.end('ok')
  expect((await send('one')).body.toString()).toBe('ok')
  expect(connections()).toBe(2)
})
