import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { send } from '../../../test/send.ts'

// In development, mails contain sign-in links, so only this machine may read /dev/mail, whatever proxy is in front of
// it.

const app = await startApp()
const proxied = await startApp({ env: { WATCHWORD_TRUST_PROXY: '127.0.0.0/8' } })
const { server } = app.app
const { port } = new URL(app.baseUrl)
const look = (headers: Record<string, string>, to = app.baseUrl) => send(`${to}/dev/mail`, { headers })

test.each([`localhost:${port}`, `127.0.0.1:${port}`, '[::1]', 'LOCALHOST'])(
  'this machine sees it as %s',
  async (host) => {
    expect((await look({ host })).status).toBe(200)
  },
)

test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '192.168.0.7', `evil.example:${port}`])(
  'a page of another site that came by the name %s does not',
  async (host) => {
    expect((await look({ host })).status).toBe(404)
  },
)

test.each(['203.0.113.9', '192.168.0.7', '::ffff:203.0.113.9', '2001:db8::1'])(
  'nor does another machine, %s, by the right name',
  async (remoteAddress) => {
    const ask = (from: string) =>
      server.inject({ url: '/dev/mail', headers: { host: 'localhost' }, remoteAddress: from })
    expect((await ask('127.0.0.1')).statusCode).toBe(200)
    expect((await ask(remoteAddress)).statusCode).toBe(404)
  },
)

const forwarding = {
  Forwarded: 'for=203.0.113.9',
  Via: '1.1 proxy',
  'X-Forwarded-For': '127.0.0.1',
  'X-Forwarded-Host': 'localhost',
  'X-Forwarded-Proto': 'http',
  'X-Forwarded-Port': '80',
  'X-Forwarded-Server': 'proxy',
  'X-Real-IP': '127.0.0.1',
  'X-Original-Host': 'auth.example.com',
  'X-Client-IP': '127.0.0.1',
  'True-Client-IP': '127.0.0.1',
  'CF-Connecting-IP': '127.0.0.1',
  'X-Envoy-External-Address': '127.0.0.1',
  'X-Azure-ClientIP': '127.0.0.1',
  'Fastly-Client-IP': '127.0.0.1',
  'Client-IP': '127.0.0.1',
  'X-Cluster-Client-IP': '127.0.0.1',
  'X-Amzn-Trace-Id': 'Root=1-67891233-abcdef012345678912345678',
  'CDN-Loop': 'cdn.example',
  'X-Host': 'localhost',
}

test.each(Object.entries(forwarding))('nor does whom a proxy on this machine speaks for: %s', async (name, value) => {
  for (const to of [app.baseUrl, proxied.baseUrl]) expect((await look({ [name]: value }, to)).status).toBe(404)
})

test.each([
  ['1.0', 404],
  ['1.1', 200],
])('a request of HTTP/%s, without a word of a proxy, is answered with %s', async (version, status) => {
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET /dev/mail HTTP/${version}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
  expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
})

test('compose.yaml publishes ports on this machine alone', () => {
  const compose = readFileSync(new URL('../../../compose.yaml', import.meta.url), 'utf8')
  const published = [...compose.matchAll(/ports:\s*\[([^\]]*)\]/g)].flatMap(([, list = '']) => list.split(','))
  expect(published.map((each) => each.trim())).toEqual([
    '"127.0.0.1:4000:4000"',
    '"127.0.0.1:4001:4001"',
    '"127.0.0.1:8025:8025"',
  ])
  expect(compose.match(/\bports:/g)).toHaveLength(2)
})
