import pg from 'pg'

const CONNECT_MS = 5000
const ANSWER_MS = 10_000
const END_MS = 1000

/**
 * Finds a peer whose machine is gone within half a minute while no data is under way. A process that stands still keeps
 * answering these probes, so statements have a deadline of their own.
 */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/**
 * Opens a connection outside the pools. It takes 5 s at most, and each statement 10 s (`query_timeout`; 0 is no limit). The
 * caller ends it with `endClient`.
 */
export async function openClient(url: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  // Own connection: this is where connections outside the pools are opened, with deadlines.
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    ...keptAlive,
    ...config,
  })
  // Loss of the connection also rejects its statements; an 'error' without a listener would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Ends the connection, without waiting for a server that does not close it. */
export async function endClient(client: pg.ClientBase): Promise<void> {
  if (!(client instanceof pg.Client)) return
  const late = setTimeout(() => breakClient(client), END_MS)
  await client.end().finally(() => clearTimeout(late))
}

/** Closes the connection at once: its statements fail. */
export function breakClient(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy()
}

/** Runs `work` on a connection outside the pools. */
export async function withClient<T>(
  url: string,
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await openClient(url, config)
  try {
    return await work(client)
  } finally {
    await endClient(client)
  }
}
