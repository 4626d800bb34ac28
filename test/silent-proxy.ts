import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

/**
 * A proxy in front of a database. `silence` stops every connection that is open: nothing goes through it in either
 * direction, and nothing closes it, as when the server freezes or its machine is gone. Later connections go through.
 */
export async function startSilentProxy(serverUrl: string) {
  const { host, port, user, database, password } = new pg.Client({ connectionString: serverUrl })
  const place = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const open = new Map<Socket, Socket>()
  let isRefusing = false
  const server = createServer((near) => {
    if (isRefusing) return void near.destroy()
    const far = connect(place)
    open.set(near, far)
    for (const socket of [near, far]) socket.on('error', () => undefined)
    near.pipe(far).pipe(near)
    near.on('close', () => {
      open.delete(near)
      far.destroy()
    })
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  const account = [user ?? '', password ?? ''].map(encodeURIComponent).join(':')
  return {
    url: `postgres://${account}@127.0.0.1:${address.port}/${database}`,
    /** How many connections are open. */
    connections: () => open.size,
    /** What arrives is taken and dropped, as by the kernel of a server whose process stands still. */
    silence(): void {
      for (const [near, far] of open) for (const socket of [near, far]) socket.unpipe().resume()
    },
    /** Silences every connection that is open once the server has sent something more. */
    async silenceAfterAnswer(): Promise<void> {
      await Promise.race([...open.values()].map((far) => once(far, 'data')))
      for (const [near, far] of open) for (const socket of [near, far]) socket.unpipe().resume()
    },
    /** Closes every connection that is open, and, until it is called with false, every later one. */
    refuse(is = true): void {
      isRefusing = is
      if (is) for (const near of open.keys()) near.destroy()
    },
    async close(): Promise<void> {
      for (const near of open.keys()) near.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
