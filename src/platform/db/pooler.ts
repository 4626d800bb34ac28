import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { readErrorField } from '../errors.ts'
import { endClient, openClient, withClient } from './client.ts'
import { DatabaseError, nameDatabase } from './reach.ts'
import { SESSION_SETTINGS, sessionParameters } from './session-settings.ts'

/**
 * A pooler in front of the database, such as PgBouncer, that assigns a connection for one transaction at a time. Session
 * state (parameters, prepared statements, LISTEN) is therefore shared with the next client of the connection.
 */
export interface Pooler {
  /** Where the database itself answers: for migrations, the job queue and what listens. */
  directUrl: string
  /** Whether it prepares a named statement again where it is missing (PgBouncer from 1.21 on). */
  keepsStatements: boolean
}

const NAME = 'WATCHWORD_DATABASE_DIRECT_URL'
const START = { application_name: 'watchword-start', query_timeout: 5000 }
// More than the connections that a pooler usually has open for one database and user.
const MAX_HOLDERS = 24

/**
 * Whether `url` leads to a pooler, and of what kind; null if to the database itself. Where it does, the parameters of our
 * sessions are stored with the role, for this database, since a pooler takes none. Throws DatabaseError if `directUrl` is
 * missing, or is not the same database.
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
 * Whether a session has a parameter that it was begun with: of our own, since others may be stored with the role. A pooler
 * refuses or ignores it.
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

/** What tells one database of one server from every other. */
async function identify(url: string): Promise<string | undefined> {
  return withClient(url, START, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `select oid || '/' || pg_postmaster_start_time() as id from pg_database where datname = current_database()`,
    )
    return rows[0]?.id
  })
}

/** For the connections that the pooler opens from now on. Others last as long as it keeps them. */
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
 * Whether a statement that was prepared on one connection of the database can be run on another. Others hold what the
 * pooler has open until one of them has that very connection. Not known: no.
 */
async function keepsStatements(url: string): Promise<boolean> {
  // Of a name that no other process that starts now, or has started before, has left there.
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
      // The statement does not exist there, or no connection is left.
      return false
    } finally {
      await Promise.all(holders.map((holder) => endClient(holder).catch(() => undefined)))
    }
  })
}
