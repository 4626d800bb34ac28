import { createHash, randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { hasPassed } from '../clock.ts'
import { skipLocked } from '../db/distributed.ts'
import { forEachDirectory } from '../jobs/due-rows.ts'
import type { JobHandler } from '../jobs/queue.ts'
import { type Platform, perPlatform } from '../platform.ts'
import { findDirectory } from '../tenancy/directory.ts'
import type { Work } from '../work.ts'
import { type EventInput, eventCatalogue, eventRow, record, systemOrigin } from './events.ts'

/** The number of failures that a process records individually in an hour, for a directory and for one address in it. */
export const TOLD_AN_HOUR = { ofDirectory: 500, ofAddress: 20 }

/** Members of the data of an event that stands for several failures. */
export const countedMembers = {
  count: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Number of similar failures that the event stands for. Absent for a single failure.',
    }),
  ),
  first_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'With `count`: time of the first failure.' }),
  ),
  last_at: Type.Optional(Type.String({ format: 'date-time', description: 'With `count`: time of the last failure.' })),
}

// The number of rows in which failures without a target are counted. The failures at one address use one row, as those
// of a user do, and rarely share it with another address. So concurrent requests wait equally long for known and
// unknown addresses.
const SLOTS = 256

const HOUR_MS = 3_600_000

const told = perPlatform(() => ({ since: 0, counts: new Map<string, number>() }))

/**
 * Records a failure that anyone can cause any number of times. Up to a limit failures are recorded individually, and
 * beyond it only counted, so that an attacker cannot fill the disk. `identity` is the keyed hash of the address,
 * whether or not a user has it, so that known and unknown addresses cost the same. `own` is data that is unique to
 * each failure. Only individual events have it, because counting by it would create a row for each failure.
 */
export async function recordFailure(
  work: Pick<Work, 'platform' | 'directory' | 'origin' | 'db'>,
  identity: Buffer | null,
  failure: EventInput,
  own: object = {},
): Promise<void> {
  work.platform.metrics.failures.inc({ type: failure.definition.type })
  if (isTold(work, identity)) return record(work, { ...failure, data: { ...Object(failure.data), ...own } })
  const { directory_id, type, target_type, target_id, data } = eventRow(work, failure)
  const slot = target_id === null ? (identity?.readUInt8() ?? randomInt(SLOTS)) : 0
  const key = createHash('sha256')
    .update(JSON.stringify([type, target_id, data, slot]))
    .digest()
  await sql`
    insert into event_counts as c (directory_id, key, type, target_type, target_id, data)
    values (${directory_id}, ${key}, ${type}, ${target_type}, ${target_id}, ${data}::jsonb)
    on conflict (directory_id, key) do update set count = c.count + 1, last_at = excluded.last_at`.execute(work.db)
}

function isTold({ platform, directory }: Pick<Work, 'platform' | 'directory'>, identity: Buffer | null): boolean {
  // Process clock: how many failures of the last hour this process has recorded individually.
  const now = platform.clock.now().getTime()
  const state = told(platform)
  if (hasPassed(HOUR_MS, state.since, now)) Object.assign(state, { since: now, counts: new Map() })
  const { counts } = state
  const ofDirectory = counts.get(directory.id) ?? 0
  if (ofDirectory >= TOLD_AN_HOUR.ofDirectory) return false
  if (identity) {
    const address = `${directory.id}/${identity.toString('base64')}`
    const ofAddress = counts.get(address) ?? 0
    if (ofAddress >= TOLD_AN_HOUR.ofAddress) return false
    counts.set(address, ofAddress + 1)
  }
  counts.set(directory.id, ofDirectory + 1)
  return true
}

interface CountRow {
  type: string
  target_type: string | null
  target_id: string | null
  data: object
  count: number
  first_at: Date
  last_at: Date
}

const isDue = sql`first_at < clock_now() - interval '5 minutes'`
// In primary key order, so that a directory's failures are together. They are recorded together.
const DUE = { table: 'event_counts', key: 'key', isDue, orderBy: 'directory_id', batch: 1000 } as const

/** Records how many failures were counted, in one event for each user, kind and reason. */
export const recordCountedFailures: JobHandler = {
  name: 'failures.record',
  cron: '*/5 * * * *',
  async handle(platform) {
    await forEachDirectory(platform.db, DUE, (directoryId, keys) => recordCounts(platform, directoryId, keys))
  },
}

async function recordCounts(platform: Platform, directoryId: string, keys: string[]): Promise<void> {
  const directory = await findDirectory(platform, directoryId)
  await platform.tx(async (db) => {
    const { rows } = await sql<CountRow>`
      delete from event_counts where directory_id = ${directoryId} and ${isDue} and key in (
        select key from event_counts
        where directory_id = ${directoryId} and key = any(${keys}::bytea[]) ${skipLocked(platform.database)})
      returning type, target_type, target_id, data, count, first_at, last_at`.execute(db)
    const alike = Map.groupBy(rows, ({ type, target_id, data }) => JSON.stringify([type, target_id, data]))
    const events = [...alike.values()].map(toEvent)
    if (directory) await record({ platform, directory, origin: systemOrigin(), db }, ...events)
  })
}

function toEvent(alike: CountRow[]): EventInput {
  const [row] = alike
  const definition = eventCatalogue().find(({ type }) => type === row?.type)
  if (!row || !definition) throw new Error(`Failures of a type that this release does not know: ${row?.type}`)
  const times = alike.flatMap(({ first_at, last_at }) => [first_at.getTime(), last_at.getTime()])
  const target =
    row.target_type === null || row.target_id === null ? null : { type: row.target_type, id: row.target_id }
  const data = {
    ...row.data,
    count: alike.reduce((sum, { count }) => sum + count, 0),
    first_at: new Date(Math.min(...times)).toISOString(),
    last_at: new Date(Math.max(...times)).toISOString(),
  }
  return { definition, target, data, previous: null }
}
