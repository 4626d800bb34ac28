import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { breakClient, endClient, openClient } from './client.ts'
import { isConnectionUnusable } from './failure.ts'

const BEAT_MS = 250
const ANSWER_MS = 10_000
const MAX_UNREACHABLE = 3

/** The process that has a lock for which a migration waits. */
export interface Blocker {
  /** Null if the lock is not on a table. */
  table: string | null
  /** A description of the connection, such as `process 4711 (psql, idle in transaction for 12 s)`. */
  process: string
}

export interface Watch {
  /** Connections to close if the server no longer responds, so that their statements fail. */
  guarded: Set<pg.ClientBase>
  /** The server process of the watched connection. */
  pid: number
  onBlocked(blocker: Blocker): void
  /** In tests: how long the server may take to respond, in milliseconds. */
  answerMs?: number
}

/**
 * Watches a migration from another connection while `work` runs. A migration has no time limit, so only another
 * connection can show whether it waits for a lock or the server no longer responds.
 */
export async function watchMigration<T>(url: string, watch: Watch, work: () => Promise<T>): Promise<T> {
  const done = new AbortController()
  const watching = keepWatching(url, watch, done.signal)
  try {
    return await work()
  } finally {
    done.abort()
    await watching
  }
}

async function keepWatching(
  url: string,
  { guarded, pid, onBlocked, answerMs = ANSWER_MS }: Watch,
  done: AbortSignal,
): Promise<void> {
  let watcher: pg.Client | null = null
  for (let unreachable = 0; !done.aborted; ) {
    await delay(BEAT_MS, undefined, { signal: done }).catch(() => undefined)
    if (done.aborted) break
    try {
      watcher ??= await openClient(url, { application_name: 'watchword-migrate', query_timeout: answerMs })
      const blocker = await findBlocker(watcher, pid)
      unreachable = 0
      if (blocker) onBlocked(blocker)
    } catch (error) {
      // After a reconnect, the connection may reach another server, which knows nothing about the migration.
      const isSilent = isSilence(error) && (watcher !== null || ++unreachable >= MAX_UNREACHABLE)
      if (watcher) breakClient(watcher)
      watcher = null
      if (isSilent) for (const client of guarded) breakClient(client)
    }
  }
  if (watcher) await endClient(watcher).catch(() => undefined)
}

/** Any other error, such as no free connection, shows that the server responds. */
function isSilence(error: unknown): boolean {
  return error instanceof Error && (isConnectionUnusable(error) || /timeout/i.test(error.message))
}

async function findBlocker(client: pg.Client, pid: number): Promise<Blocker | null> {
  const { rows } = await client.query<{
    pid: number
    table: string | null
    name: string | null
    state: string | null
    seconds: number | null
  }>(
    `select blocker.pid, waiting.relation::regclass::text as "table",
       activity.application_name as name, activity.state,
       extract(epoch from clock_timestamp() - activity.xact_start)::int as seconds
     from unnest(pg_blocking_pids($1)) as blocker (pid)
     left join pg_stat_activity activity on activity.pid = blocker.pid
     left join pg_locks waiting on waiting.pid = $1 and not waiting.granted
     where blocker.pid <> pg_backend_pid()
     limit 1`,
    [pid],
  )
  const [row] = rows
  if (!row) return null
  const doing = row.state === null || row.seconds === null ? [] : [`${row.state} for ${row.seconds} s`]
  const words = [...(row.name ? [row.name] : []), ...doing].join(', ')
  return {
    table: row.table,
    process: `process ${row.pid}${words ? ` (${words})` : ''}`,
  }
}
