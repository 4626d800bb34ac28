import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { startDnsPeer } from '../../../test/peers/dns-peer.ts'
import { OutboundFailure, openOutbound, type Resolve } from './http.ts'

// An attacker's name server, which returns a different address each time. 127.0.0.1 stands for an allowed address.
const dns = await startDnsPeer()
const resolver = new Resolver({ timeout: 1000, tries: 1 })
resolver.setServers([dns.address])
const resolve: Resolve = async (hostname) =>
  (await resolver.resolve4(hostname)).map((address) => ({ address, family: 4 }))

/** The address that each request reached. */
const reached: string[] = []

async function listen(host: string, port = 0): Promise<number> {
  const server = createServer((_, response) => response.end(host))
  server.on('connection', () => reached.push(host))
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

async function fetchFrom(name: string): Promise<string> {
  const fetchOut = openOutbound({ outboundAllow: ['127.0.0.1'] }, resolve)
  try {
    const url = `http://${name}:${port}/.well-known/openid-configuration`
    return (await fetchOut(url, { method: 'GET', timeoutMs: 3000 })).body.toString()
  } catch (error) {
    if (error instanceof OutboundFailure) return error.reason
    throw error
  }
}

test.each([
  ['loopback', '127.0.0.2'],
  ['a metadata service', '169.254.169.254'],
  ['a private network', '10.0.0.1'],
])('a name that leads to %s once it has been checked is connected to where it led before', async (_, inner) => {
  const name = `rebind-${inner.replaceAll('.', '-')}.example`
  dns.answers.set(name, { addresses: [['127.0.0.1'], [inner]] })
  reached.length = 0
  expect(await fetchFrom(name)).toBe('127.0.0.1')
  // Each request asks once, so there is no second answer to connect to.
  expect(dns.asked.udp.filter((asked) => asked === name)).toHaveLength(1)
  expect(await fetchFrom(name)).toBe('not_allowed')
  expect(reached).toEqual(['127.0.0.1'])
})

test('one private address among those that a name has is one too many', async () => {
  dns.answers.set('mixed.example', {
    addresses: [
      ['127.0.0.1', '127.0.0.2'],
      ['127.0.0.1', '169.254.169.254'],
    ],
  })
  reached.length = 0
  for (let n = 0; n < 3; n++) expect(await fetchFrom('mixed.example')).toBe('not_allowed')
  expect(reached).toEqual([])
})
