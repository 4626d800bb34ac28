import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { startDnsPeer } from '../../../test/peers/dns-peer.ts'
import { lookUpAddresses } from './dns.ts'
import { OutboundFailure, openOutbound } from './http.ts'

const dns = await startDnsPeer()
const server = createServer((_, response) => response.end('fine'))
await once(server.listen(0, '127.0.0.1'), 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const listening = server.address()
const port = typeof listening === 'object' && listening ? listening.port : 0
const fetchOut = openOutbound({ outboundAllow: ['127.0.0.1'] }, (hostname) => lookUpAddresses(hostname, dns.address))

async function ask(name: string): Promise<string> {
  try {
    return (await fetchOut(`http://${name}:${port}/`, { method: 'GET', timeoutMs: 3000 })).body.toString()
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    return `${error.reason} ${error.code}`
  }
}

test('names whose name server is silent hold up no others', async () => {
  dns.answers.set('quick.example', { addresses: [['127.0.0.1']] })
  const names = Array.from({ length: 20 }, (_, n) => `silent-${n}.example`)
  for (const name of names) dns.answers.set(name, 'silence')
  let isOver = false
  const silent = Promise.all(names.map(ask)).finally(() => {
    isOver = true
  })
  for (let n = 0; n < 3; n++) expect(await ask('quick.example')).toBe('fine')
  expect(isOver).toBe(false)
  expect(new Set((await silent).map((said) => said.split(' ')[0]))).toEqual(new Set(['timeout']))
})

test('a name that does not exist, or that the DNS fails at, is told as such', async () => {
  dns.answers.set('broken.example', 'servfail')
  expect([await ask('none.example'), await ask('broken.example')]).toEqual([
    'unreachable ENOTFOUND',
    'unreachable ESERVFAIL',
  ])
})

/** Whether the system looks up the name, in one of the process's threads. */
async function takesThread(url: string, outboundAllow: string[]): Promise<boolean> {
  const kinds: string[] = []
  const hook = createHook({ init: (_, kind) => kinds.push(kind) }).enable()
  await openOutbound({ outboundAllow })(url, { method: 'GET', timeoutMs: 100 }).catch(() => null)
  hook.disable()
  return kinds.includes('GETADDRINFOREQWRAP')
}

test('only names that the operator has named are looked up by the system, which knows its own', async () => {
  expect(await takesThread('https://idp.example/', ['127.0.0.1'])).toBe(false)
  expect(await takesThread(`http://localhost:${port}/`, ['localhost'])).toBe(true)
})
