import pg from 'pg'

const CONNECT_MS = 5000
const ANSWER_MS = 10_000
const END_MS = 1000

/**
 * Detects within half a minute that the machine of an idle connection's peer is gone. A process that hangs still
 * answers these probes, so statements have their own deadline.
 */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/**
 * Opens a connection outside the pools. Connecting may take 5 s, and each statement 10 s (`query_timeout`; 0 means no
 * limit). The caller ends the connection with `endClient`.
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
  // When the connection is lost, its statements fail too. An 'error' event without a listener would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Ends the connection, and does not wait if the server does not close it. */
export async function endClient(client: pg.ClientBase): Promise<void> {
  if (!(client instanceof pg.Client)) return
  const late = setTimeout(() => breakClient(client), END_MS)
  await client.end().finally(() => clearTimeout(late))
}

/** Closes the connection at once, so that its statements fail. */
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
