import type { LookupAddress } from 'node:dns'

// Idle connections of all owners, idle connections of one owner to one server, and how long a connection stays idle.
const [MAX_IDLE, MAX_IDLE_OF_ONE, IDLE_MS] = [512, 4, 2000]

/** Sends requests over one connection. */
export interface Connection {
  destroy(): Promise<void>
}

/** Idle connections, kept for the next request of the same owner to the same checked addresses. */
export interface Connections<C extends Connection> {
  /** Takes a connection that was used before, or null. */
  take(key: string): C | null
  give(key: string, client: C): void
}

/** A connection may serve another request only if these are equal, because its address was checked for them. */
export function connectionKey(owner: string, origin: string, addresses: LookupAddress[]): string {
  return [owner, origin, ...addresses.map(({ address }) => address).sort()].join(' ')
}

export function keepConnections<C extends Connection>(): Connections<C> {
  const idle = new Map<string, { client: C; timer: NodeJS.Timeout }[]>()
  let count = 0
  const take = (key: string) => {
    const own = idle.get(key)
    const found = own?.pop()
    if (own?.length === 0) idle.delete(key)
    if (!found) return null
    clearTimeout(found.timer)
    count--
    return found.client
  }
  return {
    take,
    give(key, client) {
      const own = idle.get(key) ?? []
      if (count >= MAX_IDLE || own.length >= MAX_IDLE_OF_ONE) return end(client)
      const timer = setTimeout(() => {
        const rest = (idle.get(key) ?? []).filter((each) => each.client !== client)
        if (rest.length) idle.set(key, rest)
        else idle.delete(key)
        count--
        end(client)
      }, IDLE_MS)
      timer.unref()
      own.push({ client, timer })
      idle.set(key, own)
      count++
    },
  }
}

/** Not awaited, because a peer that does not close must not delay the caller. */
export function end(client: Connection): void {
  client.destroy().catch(() => undefined)
}
