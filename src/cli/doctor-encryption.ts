import { TLSSocket } from 'node:tls'
import pg from 'pg'
import type { Config } from '../platform/config/config.ts'
import { withClient } from '../platform/db/client.ts'

/** Names and addresses of this machine. Connections to them do not leave it. */
const LOCAL = /^(\/.*|localhost|127(\.\d+){3}|\[?::1\]?)$/

/**
 * For each database address on another machine, reports whether the connection can be read or forged on the network.
 */
export async function findOpenConnections({ databaseUrl, databaseDirectUrl }: Config): Promise<string[]> {
  const addresses = { DATABASE_URL: databaseUrl, WATCHWORD_DATABASE_DIRECT_URL: databaseDirectUrl }
  const found: string[] = []
  for (const [name, url] of Object.entries(addresses)) {
    if (url === null || LOCAL.test(new pg.Client({ connectionString: url }).host)) continue
    const socket = await withClient(url, {}, async (client) => client.connection.stream)
    const cure = `Add ?sslmode=verify-full to ${name}, and sslrootcert=<file> if its CA is your own.`
    if (!(socket instanceof TLSSocket)) found.push(`The connection of ${name} is not encrypted. ${cure}`)
    else if (!socket.authorized) found.push(`The certificate of the server in ${name} is not verified. ${cure}`)
  }
  return found
}
