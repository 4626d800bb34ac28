import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { readErrorField } from '../errors.ts'
import { endClient, openClient, withClient } from './client.ts'
import { DatabaseError, nameDatabase } from './reach.ts'
import { SESSION_SETTINGS, sessionParameters } from './session-settings.ts'

/**
 * A pooler in front of the database, such as PgBouncer, that assigns a connection for one transaction at a time. The
 * connection's next client therefore inherits session state: parameters, prepared statements, LISTEN.
 */
export interface Pooler {
  /** The address of the database itself, for migrations, the job queue and listening connections. */
  directUrl: string
  /** Whether the pooler prepares a named statement again on a connection that lacks it (PgBouncer from 1.21). */
  keepsStatements: boolean
}

const NAME = 'WATCHWORD_DATABASE_DIRECT_URL'
const START = { application_name: 'watchword-start', query_timeout: 5000 }
// More connections than a pooler usually opens for one database and user.
const MAX_HOLDERS = 24

/**
 * Returns whether `url` leads to a pooler and of which kind, or null if it leads to the database itself. For a pooler,
 * stores the parameters of our sessions with the role for this database, because poolers accept none. Throws
 * DatabaseError if `directUrl` is missing or is not the same database.
 */
export async function findPooler(url: string, directUrl: string | null): Promise<Pooler | null> {
  if (await keepsParameters(url)) return null
  const name = nameDatabase(url)
  if (directUrl === null)
    throw new DatabaseError(
      `${name} is a connection pooler: set ${NAME} to the address of the database itself, for what a pooler cannot carry.`,
    )
  if (!(await keepsParameters(directUrl)))
    throw new DatabaseError(`${NAME} leads to a connection pooler, too: set it to the address of the database itself.`)
  if ((await identify(url)) !== (await identify(directUrl)))
    throw new DatabaseError(`${NAME} is another database than the one behind ${name}: correct it.`)
  await storeParameters(directUrl)
  return { directUrl, keepsStatements: await keepsStatements(url) }
}

/**
 * Whether a session keeps a parameter that it was started with. A pooler refuses or ignores the parameter. The test
 * uses a parameter of our own, because others may be stored with the role.
 */
async function keepsParameters(url: string): Promise<boolean> {
  const asked = randomUUID()
  try {
    return await withClient(url, { ...START, options: `-c watchword.probe=${asked}` }, async (client) => {
      const { rows } = await client.query<{ value: string }>(`select current_setting('watchword.probe', true) as value`)
      return rows[0]?.value === asked
    })
  } catch (error) {
    // "unsupported startup parameter"
    if (readErrorField(error, 'code') === '08P01') return false
    throw error
  }
}

/** Identifies one database of one server. */
async function identify(url: string): Promise<string | undefined> {
  return withClient(url, START, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `select oid || '/' || pg_postmaster_start_time() as id from pg_database where datname = current_database()`,
    )
    return rows[0]?.id
  })
}

/**
 * Applies to connections that the pooler opens later. Existing ones keep their parameters until the pooler closes
 * them.
 */
async function storeParameters(directUrl: string): Promise<void> {
  await withClient(directUrl, { ...START, ...sessionParameters }, async (client) => {
    const { rows } = await client.query<{ stored: string[] }>(
      `select setconfig as stored from pg_db_role_setting
        where setrole = current_user::regrole
          and setdatabase = (select oid from pg_database where datname = current_database())`,
    )
    const stored = new Set(rows[0]?.stored)
    const place = await client.query<{ text: string }>(
      `select format('alter role %I in database %I', current_user, current_database()) as text`,
    )
    for (const [name, value] of Object.entries(SESSION_SETTINGS))
      if (!stored.has(`${name}=${value}`)) await client.query(`${place.rows[0]?.text} set ${name} = '${value}'`)
  })
}

/**
 * Whether a statement prepared on one connection of the database can be run on another. To find out, other clients
 * occupy the pooler's connections until one of them gets the connection with the prepared statement. Returns false if
 * this cannot be determined.
 */
async function keepsStatements(url: string): Promise<boolean> {
  // A name that no other process can have used on these connections.
  const name = `watchword_probe_${randomUUID()}`
  const probe = { name, text: 'select pg_backend_pid() as pid, $1::int', values: [1] }
  const holders: pg.Client[] = []
  return withClient(url, START, async (client) => {
    try {
      const { rows } = await client.query<{ pid: number }>(probe)
      for (let held: number | undefined; held !== rows[0]?.pid && holders.length < MAX_HOLDERS; ) {
        const holder = await openClient(url, START)
        holders.push(holder)
        await holder.query('begin')
        held = (await holder.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
      }
      const again = await client.query<{ pid: number }>(probe)
      return again.rows[0]?.pid !== rows[0]?.pid
    } catch {
      // The statement does not exist on that connection, or no connection is left.
      return false
    } finally {
      await Promise.all(holders.map((holder) => endClient(holder).catch(() => undefined)))
    }
  })
}
