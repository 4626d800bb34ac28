import { sql } from 'kysely'
import type { ClientBase } from 'pg'
import { Type } from 'typebox'
import type { Cache } from '../db/cache.ts'
import { withClient } from '../db/client.ts'
import { fromDatabase } from '../db/failure.ts'
import type { Db, Tx } from '../db/pool.ts'
import { sessionParameters } from '../db/session-settings.ts'
import { beginEpochOnce } from '../events/event-epoch.ts'
import { defineEvents } from '../events/events.ts'
import type { JobHandler } from '../jobs/queue.ts'
import type { Log } from '../observability/log.ts'
import { type Platform, perPlatform } from '../platform.ts'

/** Why outgoing messages are held: the database is a copy, it was recovered, or the operator requested it. */
export type HoldReason = 'copied' | 'recovered' | 'requested'

/** The identity of the database, and whether outgoing messages are held. */
export interface DeploymentState {
  /** Set while mails, text messages and webhooks wait for the operator to release them. */
  hold: { since: Date; because: HoldReason } | null
  /** The latest run of `watchword recover`. */
  recoveredAt: Date | null
  /** Whether the database is a copy of the one with which the service last started. */
  isCopy: boolean
  /** Whether this is another database, or another timeline, than the one in which the event stream's epoch began. */
  isMoved: boolean
}

export const deploymentEvents = defineEvents({
  recovered: [
    'deployment.recovered',
    'The operator ran `watchword recover` after a restore or a failover that lost transactions. All sessions ended, and earlier codes, links and other one-time secrets are refused.',
    Type.Object({ recoveredAt: Type.String({ format: 'date-time', description: 'When the recovery started.' }) }),
  ],
})

const COPIED =
  'The database is a restored backup or a copy: its system identifier or its oid has changed. Mails, text messages and ' +
  'webhooks are held. After a restore, or if the database lost transactions, run `npx watchword recover`. Then send what ' +
  'waits with `npx watchword outgoing release`.'

/** Logged about a hold at the start of a process and every hour. */
const HELD_LINE =
  'Mails, text messages and webhooks are held. `npx watchword outgoing` shows what waits, and ' +
  '`npx watchword outgoing release` sends it.'

export async function readDeployment(db: Db): Promise<DeploymentState> {
  const { rows } = await sql<{
    since: Date | null
    because: HoldReason | null
    recoveredAt: Date | null
    isCopy: boolean
    isMoved: boolean
  }>`
    select outgoing_held_since as since, outgoing_held_because as because, recovered_at as "recoveredAt",
      database_was_copied() as "isCopy",
      coalesce((select cluster <> event_cluster() from event_stream), false) as "isMoved"
    from deployment`.execute(db)
  const [row] = rows
  if (!row) throw new Error('The table deployment has no row')
  const { since, because, ...others } = row
  return { hold: since && because ? { since, because } : null, ...others }
}

const KEY = 'state'

const stateOf = perPlatform(
  (platform): Cache<DeploymentState> =>
    platform.caches.define('deployment', async () => {
      const state = await readDeployment(platform.db)
      // A standby was promoted while the process was running.
      if (state.isMoved) await beginEpochOnce(platform)
      if (!state.isCopy) return state
      // The database was replaced while the process was running.
      await checkDatabaseIdentity(platform.database.directUrl, platform.log)
      return readDeployment(platform.db)
    }),
)

/** Whether mails, text messages and webhooks wait for the operator. The answer may be 5 seconds old. */
export async function isOutgoingHeld(platform: Platform): Promise<boolean> {
  const { hold } = await stateOf(platform).get(KEY)
  return hold !== null
}

/**
 * Whether the database still knows what was used at `time`, which is true if it is after the last recovery. Secrets
 * from before may have been used in transactions that were lost. The answer may be 5 seconds old.
 */
export async function isAfterRecovery(platform: Platform, time: Date): Promise<boolean> {
  const { recoveredAt } = await stateOf(platform).get(KEY)
  return recoveredAt === null || time > recoveredAt
}

/** Updates the gauge that shows whether messages are held. */
export async function measureHold(platform: Platform): Promise<void> {
  platform.metrics.outgoingHeld.set((await isOutgoingHeld(platform)) ? 1 : 0)
}

/** Logs every hour, in one process, that outgoing messages wait. */
export const remindOfHold: JobHandler = {
  name: 'outgoing.remind',
  cron: '37 * * * *',
  async handle(platform) {
    if (await isOutgoingHeld(platform)) platform.log.warn({}, HELD_LINE)
  },
}

/**
 * Holds outgoing messages in every process. An existing hold keeps its start time, and `recovered` replaces its
 * reason.
 */
export async function holdOutgoing(platform: Platform, tx: Tx, because: HoldReason): Promise<void> {
  await sql`
    update deployment set outgoing_held_since = coalesce(outgoing_held_since, clock.at),
      outgoing_held_because = case when ${because}::text = 'recovered' then 'recovered'
        else coalesce(outgoing_held_because, ${because}::text) end
    from (select clock_now() as at) clock`.execute(tx)
  await stateOf(platform).invalidate(tx, KEY)
}

/**
 * Ends the hold in every process. In a copy, records the copy's identity, so that the next start does not hold
 * messages again.
 */
export async function endHold(platform: Platform, tx: Tx): Promise<void> {
  await sql`update deployment set outgoing_held_since = null, outgoing_held_because = null, ${sql.raw(PRESENT_IDENTITY)}`.execute(
    tx,
  )
  await stateOf(platform).invalidate(tx, KEY)
}

/** Records a run of `watchword recover`, and the identity of the recovered database. Returns the time of the run. */
export async function noteRecovery(platform: Platform, tx: Tx): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    update deployment set recovered_at = clock_now(), ${sql.raw(PRESENT_IDENTITY)}
    returning recovered_at as at`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('The table deployment has no row')
  await stateOf(platform).invalidate(tx, KEY)
  return row.at
}

const PRESENT_SYSTEM = 'coalesce(database_system_identifier(), system_identifier)'
const PRESENT_OID = '(select oid from pg_database where datname = current_database())'
const PRESENT_IDENTITY = `system_identifier = ${PRESENT_SYSTEM}, database_oid = ${PRESENT_OID}`

/** Whether the identity must be recorded. */
const IDENTITY_STATE = `
  select outgoing_held_since is not null as held,
    (system_identifier, database_oid) is distinct from (${PRESENT_SYSTEM}, ${PRESENT_OID}) as due
  from deployment`

/** Holds outgoing messages if the database is a copy. Records the identity, so that the hold is set only once. */
const CHECK_IDENTITY = `
  update deployment set
    outgoing_held_since = case when found.copied then coalesce(outgoing_held_since, found.at) else outgoing_held_since end,
    outgoing_held_because = case when found.copied then coalesce(outgoing_held_because, 'copied') else outgoing_held_because end,
    ${PRESENT_IDENTITY}
  from (select clock_now() as at, database_was_copied() as copied) found
  returning found.copied, outgoing_held_since is not null as held`

/**
 * Compares the database with the one of the last start. Runs at each start after the migration. In a copy it holds
 * outgoing messages: a copy for staging must not mail real people, and messages in a backup may have been sent
 * already. The first start of a new database only records the identity. Logs a copy or a hold with the command to run.
 * Writes only if the identity has changed, because a commit may hang.
 */
export async function checkDatabaseIdentity(url: string, log: Log): Promise<void> {
  await fromDatabase(() =>
    withClient(url, { application_name: 'watchword-migrate', ...sessionParameters }, async (client) => {
      const { rows } = await client.query<{ held: boolean; due: boolean }>(IDENTITY_STATE)
      if (rows[0]?.due) await recordIdentity(client, log)
      else if (rows[0]?.held) log.warn({}, HELD_LINE)
    }),
  )
}

async function recordIdentity(client: ClientBase, log: Log): Promise<void> {
  await client.query('begin isolation level read committed')
  // The comparison needs a snapshot taken after waiting for a release in progress.
  await client.query('select from deployment for update')
  const { rows } = await client.query<{ copied: boolean; held: boolean }>(CHECK_IDENTITY)
  const { copied = false, held = false } = rows[0] ?? {}
  // Logged before the commit, whose result may be lost: the next start would find nothing to report.
  if (copied) log.warn({}, COPIED)
  else if (held) log.warn({}, HELD_LINE)
  await client.query('commit')
}
