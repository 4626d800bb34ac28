import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { send } from '../../../test/send.ts'
import { appParts } from '../../wiring/app.ts'
import { buildServer } from './server.ts'

const app = await startApp()
const tenant = await app.tenant()
const { port } = new URL(app.baseUrl)

/** Opens a connection that keeps sending after the other side has ended it. Collects what it receives. */
async function dial(to: number) {
  const socket = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true })
  const heard: string[] = []
  socket.on('data', (data) => heard.push(data.toString()))
  // These tests expect the connection to be cut off.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return { socket, heard: () => heard.join('') }
}

const HEAD = `POST /v1/otp/generate HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${tenant.key}\r\n`
const slow: [string, string, number][] = [
  ['headers', 'POST /v1/otp/generate HTTP/1.1\r\nhost: localhost\r\nx-slow: ', 0],
  ['a body', `${HEAD}content-type: application/json\r\ncontent-length: 100000\r\n\r\n{`, 0],
  [
    'a body of a request that was refused',
    'GET /v1/users HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9999\r\n\r\n',
    401,
  ],
]

test.each(slow)('who sends %s byte by byte is cut off', { timeout: 20_000 }, async (_, beginning) => {
  const patience = { headersMs: 150, requestMs: 300, checkMs: 50 }
  const server = buildServer({ ...appParts(app.app.platform), patience })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const address = server.server.address()
  const { socket, heard } = await dial(typeof address === 'object' && address ? address.port : 0)
  socket.write(beginning)
  const drip = setInterval(() => socket.write('x'), 20)
  const open = () =>
    new Promise<number>((resolve, reject) =>
      server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
  await until(async () => (await open()) === 1)
  await until(async () => (await open()) === 0)
  clearInterval(drip)
  socket.destroy()
  expect(heard()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  await server.close()
})

test('the service itself looks every two seconds', () => {
  expect(app.app.server.server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 2000,
  })
})

test.each([
  ['twice', 'host: localhost\r\nhost: localhost\r\n'],
  ['twice, in different spellings', 'host: localhost\r\nHOST: evil.example\r\n'],
  ['not at all', ''],
])('a request that names the host %s is 400', async (_, hosts) => {
  const { socket, heard } = await dial(Number(port))
  socket.write(`GET /v1/environments HTTP/1.1\r\n${hosts}x-api-key: ${tenant.key}\r\nconnection: close\r\n\r\n`)
  await once(socket, 'end')
  socket.destroy()
  expect(heard()).toMatch(/^HTTP\/1\.1 400 /)
  expect(heard()).not.toContain('"environments"')
})

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

test.each(['/nowhere', '/dev/mail/0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce', '/dev/mail/none', '/docs/nothing', '/%zz'])(
  'a browser at %s, where there is nothing, gets a page, and a program a problem',
  async (path) => {
    const page = await send(app.baseUrl + path, { headers: { accept: BROWSER } })
    expect([page.status, page.type]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.text).toContain('<h1>Not found</h1>')
    for (const accept of [
      '*/*',
      'application/json',
      'application/json, text/plain, */*',
      'text/html, application/json',
    ]) {
      const problem = await send(app.baseUrl + path, { headers: { accept } })
      expect([problem.status, problem.type, JSON.parse(problem.text).code]).toEqual([
        404,
        'application/problem+json',
        'not_found',
      ])
    }
  },
)
