import { createServer, type Socket } from 'node:net'
import pg from 'pg'

/** How a pooler in transaction mode treats what belongs to a session. */
export interface PoolerKind {
  /** Names of startup parameters that it ignores; it refuses others, as PgBouncer does. */
  ignores: string[]
  /** Whether it prepares a named statement again where it is missing. */
  keepsStatements: boolean
  connections?: number
}

interface Backend {
  socket: Socket
  /** Names of statements that are prepared there. */
  prepared: Set<string>
  rest: Buffer
  client: Client | null
  /** Replies of `Parse` messages that the client did not send. */
  unasked: number
}

interface Client {
  socket: Socket
  rest: Buffer
  backend: Backend | null
  /** Messages that end in a `ReadyForQuery`. */
  open: number
  waiting: Buffer[]
  statements: Map<string, Buffer>
}

const KNOWN = ['user', 'database', 'client_encoding', 'application_name', 'DateStyle', 'TimeZone']

/**
 * A pooler in front of PostgreSQL that lends its connections for one transaction at a time, the one that was given back
 * last first. Speaks version 3.0 of the protocol as node-postgres does, without TLS and passwords.
 */
export async function startPooler(serverUrl: string, kind: PoolerKind) {
  const idle: Backend[] = []
  const queue: Client[] = []
  const sockets = new Set<Socket>()
  for (let i = 0; i < (kind.connections ?? 4); i++) idle.push(await openBackend(serverUrl))

  function lend(client: Client): void {
    const backend = idle.pop()
    if (!backend) return void queue.push(client)
    client.backend = backend
    backend.client = client
    for (const message of client.waiting.splice(0)) forward(client, backend, message)
  }

  function giveBack(backend: Backend): void {
    if (backend.client) backend.client.backend = null
    backend.client = null
    idle.push(backend)
    const next = queue.shift()
    if (next) lend(next)
  }

  function forward(client: Client, backend: Backend, message: Buffer): void {
    const type = String.fromCharCode(message[0] ?? 0)
    if (type === 'Q' || type === 'S') client.open++
    if (kind.keepsStatements && type === 'P') client.statements.set(nameIn(message, 5), message)
    const named = type === 'P' ? nameIn(message, 5) : type === 'B' ? nameIn(message, afterName(message, 5)) : ''
    const known = client.statements.get(named)
    if (known && named && !backend.prepared.has(named) && type === 'B') {
      backend.unasked++
      backend.prepared.add(named)
      backend.socket.write(known)
    }
    // Another client has prepared it there: the reply alone.
    if (known && named && type === 'P' && backend.prepared.has(named)) return void client.socket.write(PARSED)
    if (named && type === 'P') backend.prepared.add(named)
    backend.socket.write(message)
  }

  async function openBackend(url: string): Promise<Backend> {
    const opened = new pg.Client({ connectionString: url })
    await opened.connect()
    const socket: unknown = Reflect.get(Reflect.get(opened, 'connection'), 'stream')
    const backend: Backend = {
      socket: socket as Socket,
      prepared: new Set(),
      rest: Buffer.alloc(0),
      client: null,
      unasked: 0,
    }
    for (const event of ['data', 'end', 'close', 'error']) backend.socket.removeAllListeners(event)
    sockets.add(backend.socket)
    backend.socket.on('error', () => undefined)
    backend.socket.on('data', (chunk) => {
      const { messages, rest } = split(Buffer.concat([backend.rest, chunk]))
      backend.rest = rest
      for (const message of messages) answer(backend, message)
    })
    return backend
  }

  function answer(backend: Backend, message: Buffer): void {
    const type = String.fromCharCode(message[0] ?? 0)
    if (type === '1' && backend.unasked > 0) return void backend.unasked--
    const { client } = backend
    client?.socket.write(message)
    if (type !== 'Z') return
    if (client) client.open--
    if (message[5] === 'I'.charCodeAt(0) && (client?.open ?? 0) <= 0) giveBack(backend)
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    const client: Client = { socket, rest: Buffer.alloc(0), backend: null, open: 0, waiting: [], statements: new Map() }
    let begun = false
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const place = queue.indexOf(client)
      if (place >= 0) queue.splice(place, 1)
      // Lent until this is answered, and what the client left unanswered before it.
      if (client.backend) forward(client, client.backend, message('Q', 'rollback'))
    })
    socket.on('data', (chunk) => {
      client.rest = Buffer.concat([client.rest, chunk])
      if (!begun) {
        const length = client.rest.readInt32BE(0)
        if (client.rest.length < length) return
        const parameters = client.rest
          .subarray(8, length)
          .toString()
          .split('\0')
          .filter((_, i) => i % 2 === 0)
        client.rest = client.rest.subarray(length)
        const unknown = parameters.find((name) => name && ![...KNOWN, ...kind.ignores].includes(name))
        if (unknown) return void socket.end(refusal(`unsupported startup parameter: ${unknown}`))
        begun = true
        socket.write(Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]))
      }
      const { messages, rest } = split(client.rest)
      client.rest = rest
      for (const each of messages) {
        if (each[0] === 'X'.charCodeAt(0)) return void socket.end()
        if (client.backend) forward(client, client.backend, each)
        else {
          client.waiting.push(each)
          if (client.waiting.length === 1) lend(client)
        }
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const { pathname } = new URL(serverUrl.replace('@/', '@localhost/'))
  return {
    url: `postgres://watchword@127.0.0.1:${typeof address === 'object' ? address?.port : 0}${pathname}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const PARSED = message('1', Buffer.alloc(0))

function message(type: string, body: Buffer | string): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(`${body}\0`) : body
  const head = Buffer.alloc(5)
  head.write(type, 0)
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

function refusal(text: string): Buffer {
  return message('E', Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`))
}

function split(bytes: Buffer): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = []
  let at = 0
  while (bytes.length - at >= 5) {
    const length = bytes.readInt32BE(at + 1) + 1
    if (bytes.length - at < length) break
    messages.push(bytes.subarray(at, at + length))
    at += length
  }
  return { messages, rest: bytes.subarray(at) }
}

function afterName(bytes: Buffer, at: number): number {
  return bytes.indexOf(0, at) + 1
}

function nameIn(bytes: Buffer, at: number): string {
  return bytes.toString('utf8', at, afterName(bytes, at) - 1)
}
