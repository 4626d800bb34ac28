import { inspect } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { ConnectionError, UnexpectedResponseError, Watchword, WatchwordError } from '../src/index.ts'
import { problem, startFailingServer, type Treatment } from './failing-server.ts'

// What a developer sees of a call that fails.

let treatments: Treatment[] = []
const server = await startFailingServer(() => treatments)
beforeEach(() => {
  server.seen.length = 0
})
const watchword = new Watchword({ url: server.url, apiKey: 'ww_live_x', maxRetries: 0 })
const refused: Treatment = { status: 409, body: problem(409, 'email_exists') }

async function errorOf(call: () => Promise<unknown>): Promise<Error> {
  try {
    await call()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('The call succeeded')
}

describe('the stack of an error shows where the application called', () => {
  async function addUserOfShop() {
    await new Promise(setImmediate)
    return watchword.users.create({ email: 'a@b.test' })
  }
  async function listUsersOfShop() {
    for await (const user of watchword.users.list()) return user
    return null
  }
  async function exportOfShop() {
    return watchword.audit.export()
  }

  test.each([
    ['a refusal', refused, addUserOfShop, 'WatchwordError: users.create: It is email_exists.'],
    ['a refusal of an iteration', refused, listUsersOfShop, 'WatchwordError: users.list: It is email_exists.'],
    ['a refusal of a download', refused, exportOfShop, 'WatchwordError: audit.export: It is email_exists.'],
    ['a closed connection', 'close' as const, addUserOfShop, 'ConnectionError: POST /v1/users could not be sent'],
  ])('after %s', async (_, treatment, call, head) => {
    treatments = [treatment]
    const { stack = '' } = await errorOf(call)
    expect(stack.startsWith(head)).toBe(true)
    expect(stack).toContain(call.name)
    expect(stack).not.toContain('transport.ts')
  })

  test('and the error names the method', async () => {
    treatments = [refused]
    expect(await errorOf(addUserOfShop)).toMatchObject({ operation: 'users.create', problem: { code: 'email_exists' } })
  })
})

test('a printed error is short: its response is there, and not printed', async () => {
  treatments = [refused, { status: 502, body: '<h1>Bad Gateway</h1>' }]
  for (const kind of [WatchwordError, UnexpectedResponseError]) {
    const error = await errorOf(() => watchword.users.create({ email: 'a@b.test' }))
    if (!(error instanceof kind)) throw error
    expect((error as WatchwordError).response.headers.get('content-type')).toBe('application/json')
    expect(inspect(error)).not.toContain('Headers')
    expect(JSON.stringify(error)).not.toContain('response')
  }
})

test('a response that is not of Watchword is described with the URL, also if it is empty', async () => {
  treatments = [{ status: 404, body: ' ' }]
  const error = await errorOf(() => watchword.users.list({ query: 'secret' } as never))
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error.message).toBe(`GET ${server.url}/v1/users: HTTP 404, not from Watchword: (an empty body)`)
})

test('a client whose key is empty says so at its first call, and still serves users', async () => {
  treatments = [{ status: 200, body: {} }]
  for (const apiKey of [undefined, '']) {
    const client = new Watchword({ url: server.url, apiKey })
    await expect(client.users.list()).rejects.toThrow('`apiKey` of the client is empty')
    expect(server.seen).toEqual([])
    await client.forUser('token').me.get()
    await new Watchword({ url: server.url }).health.getVersion()
    expect(server.seen.splice(0)).toHaveLength(2)
  }
})

test('an IPv4 address that Node has written as IPv6 is sent as IPv4', async () => {
  treatments = [{ status: 200, body: {} }]
  for (const [given, sent] of [
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8::ffff:1', '2001:db8::ffff:1'],
  ] as const) {
    await watchword.forRequest({ headers: {}, socket: { remoteAddress: given } }).users.get('id')
    expect(server.seen.at(-1)?.headers['x-end-user-ip']).toBe(sent)
  }
})
