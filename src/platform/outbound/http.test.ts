import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { makeCertificate, trust } from '../../../test/peers/smtp-peer.ts'
import { OutboundFailure, type OutboundRequest, openOutbound, type Resolve } from './http.ts'

const SECRET = 'canary-51bd'
const seen: { host: string | undefined; url: string | undefined; headers: http.IncomingHttpHeaders; body: string }[] =
  []
let connections = 0

const handlers: Record<string, (response: http.ServerResponse) => void> = {
  '/ok': (response) => response.end('fine'),
  '/redirect': (response) => response.writeHead(302, { location: '/secret' }).end('moved'),
  '/drip': (response) => {
    const timer = setInterval(() => response.write('.'), 10)
    response.on('close', () => clearInterval(timer))
  },
  '/silent': () => undefined,
  '/flood': (response) => {
    const chunk = Buffer.alloc(16 * 1024)
    const pour = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', pour)
    pour()
  },
  '/big': (response) => response.end(Buffer.alloc(64 * 1024 + 1)),
  '/full': (response) => response.end(Buffer.alloc(64 * 1024)),
  '/headers': (response) => response.writeHead(200, { 'x-big': 'x'.repeat(20_000) }).end(),
  '/packed': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('as it came'),
}

const answer: http.RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { headers, url } = request
    seen.push({ host: headers.host, url, headers, body: Buffer.concat(chunks).toString() })
    const handler = handlers[url?.split('?')[0] ?? '']
    if (handler) handler(response)
    else response.writeHead(404).end()
  })
}

async function listen(server: net.Server, host: string, port = 0): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  server.on('connection', () => connections++)
  afterAll(() => {
    if (server instanceof http.Server) server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const port = await listen(http.createServer(answer), '127.0.0.1')
const certificate = await makeCertificate()
const tlsPort = await listen(https.createServer(certificate, answer), '127.0.0.1')

const resolveTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: net.isIP(address) }))

interface Try {
  allow?: string[]
  resolve?: Resolve
  request?: Partial<OutboundRequest>
}

async function go(url: string, { allow = ['127.0.0.1'], resolve, request }: Try = {}) {
  return openOutbound({ outboundAllow: allow }, resolve)(url, { method: 'GET', timeoutMs: 5000, ...request })
}

async function reasonOf(url: string, options?: Try): Promise<string> {
  try {
    return `answered ${(await go(url, options)).status}`
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return error.reason
  }
}

beforeEach(() => {
  seen.length = 0
  connections = 0
})

test('sends what it is given and answers what came', async () => {
  const request = { method: 'POST', headers: { authorization: `Basic ${SECRET}` }, body: 'a=1' } as const
  const { status, headers, body } = await go(`http://127.0.0.1:${port}/ok?x=%2B1`, { request })
  expect([status, headers['content-length'], body.toString()]).toEqual([200, '4', 'fine'])
  expect(seen).toMatchObject([{ url: '/ok?x=%2B1', body: 'a=1', headers: { authorization: `Basic ${SECRET}` } }])
  expect((await go(`http://127.0.0.1:${port}/nothing`)).status).toBe(404)
  expect((await go(`http://127.0.0.1:${port}/packed`)).body.toString()).toBe('as it came')
})

describe('reaches nothing private', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0x0.1',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '169.254.169.254',
    '0xa9fea9fe',
    '10.0.0.1',
    '100.100.100.200',
    'localhost',
    'LOCALHOST.',
  ])('%s', async (host) => {
    for (const [protocol, at] of [
      ['http', port],
      ['https', tlsPort],
    ])
      expect(await reasonOf(`${protocol}://${host}:${at}/ok`, { allow: [], request: { timeoutMs: 2000 } })).toBe(
        'not_allowed',
      )
    expect([connections, seen]).toEqual([0, []])
  })

  test.each([
    ['one private address among public ones', ['1.1.1.1', '127.0.0.1']],
    ['a private one first', ['10.0.0.1', '1.1.1.1']],
    ['one wrapped in IPv6', ['2606:4700::1', '::ffff:127.0.0.1']],
  ])('a name with %s', async (_, addresses) => {
    const resolve = resolveTo(...addresses)
    expect(await reasonOf(`https://hooks.example:${tlsPort}/ok`, { allow: [], resolve })).toBe('not_allowed')
    expect(connections).toBe(0)
  })

  test('a private name, alike whether or not it is there, and nobody is asked', async () => {
    const asked: string[] = []
    const resolve = async (name: string) => {
      asked.push(name)
      return []
    }
    for (const url of ['https://db.internal/', 'http://hooks.example/'])
      expect(await reasonOf(url, { allow: ['other.internal'], resolve })).toBe('not_allowed')
    expect(asked).toEqual([])
    expect(await reasonOf('https://db.internal/', { allow: ['10.0.0.0/8'], resolve })).toBe('unreachable')
    expect(asked).toEqual(['db.internal'])
  })

  test.each(['printer.local', 'metadata.google.internal', 'app.localhost'])(
    '%s, whatever it resolves to',
    async (host) => {
      expect(await reasonOf(`https://${host}/ok`, { allow: [], resolve: resolveTo('1.1.1.1') })).toBe('not_allowed')
    },
  )
})

test('speaks http only with what the operator names', async () => {
  const resolve = resolveTo('127.0.0.1')
  const url = `http://hooks.example:${port}/ok`
  expect(await reasonOf(url, { allow: [], resolve: resolveTo('1.1.1.1') })).toBe('not_allowed')
  expect(await reasonOf(url, { allow: ['other.example', '127.0.0.2'], resolve })).toBe('not_allowed')
  expect(connections).toBe(0)
  for (const allow of [['hooks.example'], ['HOOKS.example'], ['127.0.0.0/8']])
    expect(await reasonOf(url, { allow, resolve })).toBe('answered 200')
})

test('connects to the address it has checked, however the name changes', async () => {
  const inner = http.createServer((_, response) => response.end('inner'))
  await listen(inner, '127.0.0.2', port)
  const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2']
  const asked: string[] = []
  const resolve: Resolve = async (host) => {
    asked.push(host)
    return [{ address: answers.shift() ?? '127.0.0.2', family: 4 }]
  }
  const options = { allow: ['127.0.0.1/32'], resolve }
  expect((await go(`http://rebind.example:${port}/ok`, options)).body.toString()).toBe('fine')
  expect([asked, seen[0]?.host]).toEqual([['rebind.example'], `rebind.example:${port}`])
  expect(await reasonOf(`http://rebind.example:${port}/ok`, options)).toBe('not_allowed')
  expect([asked.length, connections]).toEqual([2, 1])
})

test('does not follow a redirect', async () => {
  const { status, headers, body } = await go(`http://127.0.0.1:${port}/redirect`)
  expect([status, headers['location'], body.toString()]).toEqual([302, '/secret', 'moved'])
  expect(seen.map(({ url }) => url)).toEqual(['/redirect'])
})

test.each([
  ['/drip', 'timeout'],
  ['/silent', 'timeout'],
  ['/flood', 'too_large'],
  ['/big', 'too_large'],
  ['/headers', 'too_large'],
  ['/full', 'answered 200'],
])('an answer like %s: %s', async (path, outcome) => {
  const timeoutMs = outcome === 'timeout' ? 300 : 10_000
  expect(await reasonOf(`http://127.0.0.1:${port}${path}`, { request: { timeoutMs } })).toBe(outcome)
})

test('gives up on a resolver that never answers', async () => {
  const resolve: Resolve = () => new Promise(() => undefined)
  expect(await reasonOf('https://slow.example/', { resolve, request: { timeoutMs: 100 } })).toBe('timeout')
})

test('tells what is wrong, and nothing of the request', async () => {
  const talker = net.createServer((socket) => socket.once('data', () => socket.end('220 not http\r\n')))
  const closed = await listen(net.createServer(), '127.0.0.1')
  const talking = await listen(talker, '127.0.0.1')
  const gone: Resolve = async () => {
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${SECRET}`), { code: 'ENOTFOUND' })
  }
  const cases: [string, Try, string][] = [
    [`http://127.0.0.1:${talking}/${SECRET}`, {}, 'bad_answer'],
    ['http://127.0.0.1:1/', {}, 'unreachable'],
    [`https://${SECRET}.example/`, { resolve: gone }, 'unreachable'],
    [`https://${SECRET}.example/`, { resolve: resolveTo() }, 'unreachable'],
    [`https://127.0.0.1:${tlsPort}/`, {}, 'tls'],
    [`https://user:${SECRET}@127.0.0.1:${closed}/`, {}, 'invalid_url'],
    [`ftp://127.0.0.1/${SECRET}`, {}, 'invalid_url'],
    [`file:///etc/${SECRET}`, {}, 'invalid_url'],
    [SECRET, {}, 'invalid_url'],
  ]
  for (const [url, options, reason] of cases) {
    const error: unknown = await go(url, options).catch((failure: unknown) => failure)
    if (!(error instanceof OutboundFailure)) throw new Error(`${url} did not fail as it should`)
    expect([url, error.reason]).toEqual([url, reason])
    expect(`${error.stack}${JSON.stringify(error)}${String(error.cause)}`).not.toContain(SECRET)
  }
})

test('a header with a line break is refused before anything is sent', async () => {
  const request = { headers: { 'x-a': `b\r\nx-injected: ${SECRET}` } }
  expect(await reasonOf(`http://127.0.0.1:${port}/ok`, { request })).toBe('invalid_url')
  expect(seen).toEqual([])
})

test('with a trusted certificate, shows the name it was given', async () => {
  trust(certificate)
  const resolve = resolveTo('127.0.0.1')
  expect((await go(`https://localhost:${tlsPort}/ok`, { resolve })).body.toString()).toBe('fine')
  expect(seen[0]?.host).toBe(`localhost:${tlsPort}`)
  // The certificate is for localhost, so another name at the same address is refused.
  expect(await reasonOf(`https://hooks.example:${tlsPort}/ok`, { resolve })).toBe('tls')
})
