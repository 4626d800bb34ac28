import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

/**
 * A proxy in front of a database. `silence` stops every connection that is open: nothing goes through it in either
 * direction, and nothing closes it, as when the server freezes or its machine is gone. Later connections go through.
 */
export async function startSilentProxy(serverUrl: string) {
  const { user, database, password } = new pg.Client({ connectionString: serverUrl })
  let place: ReturnType<typeof addressOf> | null = addressOf(serverUrl)
  const open = new Map<Socket, Socket | null>()
  const silenced = new Set<Socket>()
  let isRefusing = false
  const server = createServer((near) => {
    near.on('error', () => undefined)
    near.on('close', () => open.delete(near))
    if (isRefusing) return void near.destroy()
    const far = place && connect(place)
    open.set(near, far)
    if (far) join(near, far, silenced)
    else near.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  const account = [user ?? '', password ?? ''].map(encodeURIComponent).join(':')
  const cut = () => {
    for (const near of open.keys()) near.destroy()
  }
  const silence = () => {
    for (const [near, far] of open) {
      near.unpipe().resume()
      if (far) silenced.add(far.unpipe().resume())
    }
  }
  return {
    url: `postgres://${account}@127.0.0.1:${address.port}/${database}`,
    /** How many connections are open. */
    connections: () => open.size,
    /**
     * What arrives is taken and dropped, as by the kernel of a server whose process stands still. The server does not learn
     * that a client has closed such a connection.
     */
    silence,
    /** Silences every connection that is open once the server has sent something more. */
    async silenceAfterAnswer(): Promise<void> {
      await Promise.race([...open.values()].flatMap((far) => (far ? [once(far, 'data')] : [])))
      silence()
    },
    /** Closes every connection that is open, and, until it is called with false, every later one. */
    refuse(is = true): void {
      isRefusing = is
      if (is) cut()
    },
    /** Later connections lead to this server; without one they are taken and not answered. */
    lead(url: string | null): void {
      place = url === null ? null : addressOf(url)
    },
    /** Closes every connection. */
    cut,
    async close(): Promise<void> {
      cut()
      for (const far of silenced) far.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function addressOf(url: string) {
  const { host, port } = new pg.Client({ connectionString: url })
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

function join(near: Socket, far: Socket, silenced: Set<Socket>): void {
  far.on('error', () => undefined)
  near.pipe(far).pipe(near)
  near.on('close', () => {
    if (!silenced.has(far)) far.destroy()
  })
  far.on('close', () => {
    if (!silenced.has(far)) near.destroy()
  })
}
