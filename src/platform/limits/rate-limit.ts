import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { httpErrors } from '../errors.ts'
import type { Platform } from '../platform.ts'
import { credentialOf, type ManagerCaller } from '../tenancy/caller.ts'
import type { Directory } from '../tenancy/directory.ts'
import type { Work } from '../work.ts'
import type { SteadyRate } from './steady-rate.ts'

/** At most `limit` actions of one identity within `windowSeconds`. */
export interface RateLimit {
  /** The name of the counter. Limits with the same bucket share a counter. */
  bucket: string
  limit: number
  windowSeconds: number
}

export interface RateState {
  limit: number
  remaining: number
  /** Seconds until the window ends. */
  resetSeconds: number
  windowSeconds: number
  /** The owner of the limit, if it is not the target itself. */
  policy?: SharedPolicy
}

export type SharedPolicy = 'account' | 'organization' | 'key' | 'user' | 'network'

/** A limit of one identity in one directory. In one call, each limit must have a different bucket. */
export interface Counted extends RateLimit {
  directory: Directory
  identity: Buffer
  policy?: SharedPolicy
  /** 0 for an action that uses nothing up, but is refused if nothing is left. */
  takes?: 0
}

/**
 * Counts one action against limits that protect people. The database counts, so all processes share the limit, and a
 * refused request is counted too. `identity` is a keyed hash of the normalised target, never text that the caller
 * chooses (ASVS 6.3.1). Throws `rate_limited` if a limit was already used up.
 */
export async function countAct(
  { platform, directory }: Work,
  identity: Buffer,
  limits: RateLimit[],
): Promise<RateState> {
  return count(
    platform,
    limits.map((limit) => ({ ...limit, directory, identity })),
    [],
  )
}

/**
 * Uses one of a directory's actions if any is left. This is for limits that withhold something instead of refusing the
 * request. Withheld actions are not counted, so a raised limit takes effect immediately. Other actions also count
 * against `shared` limits. If `takes` is false, only reports whether any is left.
 */
export async function claimAct(
  { platform, directory }: Work,
  limit: RateLimit,
  shared: Counted[] = [],
  takes = true,
): Promise<boolean> {
  if (limit.limit <= 0) return false
  const elapsed = windowElapsed(sql`${limit.windowSeconds}::int`)
  const sharedToo = sql`, ${askedRows(shared)} ${countShared(shared, sql`exists (select from claimed)`)}`
  const { rows } = await sql`
    with claimed as (
      insert into rate_counters as c (directory_id, bucket, identity, window_started_at, count)
      values (${directory.id}, ${limit.bucket}, ${idBytes(directory.id)}, clock_now(), ${Number(takes)}::int)
      on conflict (directory_id, bucket, identity) do update set
        count = case when ${elapsed} then excluded.count else c.count + excluded.count end,
        window_started_at = case when ${elapsed} then excluded.window_started_at else c.window_started_at end
      where ${elapsed} or c.count < ${limit.limit}::int
      returning 1)${shared.length ? sharedToo : sql``}
    select from claimed`.execute(platform.db)
  return rows.length > 0
}

/** A counter further ahead than this is ahead because the clock was set back, not because of another process. */
const MAX_LEAD_SECONDS = 10

/**
 * Uses one of a directory's actions at a steady rate if any is left, counted for all processes (`spendOne` counts for
 * one process). Refused actions use nothing. The counter stores the microseconds until the whole burst is available
 * again.
 */
export async function claimSteadily(
  db: Db,
  directory: Directory,
  { bucket, perSecond, burst }: SteadyRate & { bucket: string },
): Promise<boolean> {
  const oneUs = Math.ceil(1_000_000 / perSecond)
  const passedUs = sql`extract(epoch from excluded.window_started_at - c.window_started_at) * 1000000`
  const used = sql`(greatest(0, c.count - greatest(0, ${passedUs})) + excluded.count)`
  // Another process may have counted a moment later and written first.
  const isAhead = sql`c.window_started_at > excluded.window_started_at
    and c.window_started_at - excluded.window_started_at < make_interval(secs => ${MAX_LEAD_SECONDS})`
  const { rows } = await sql`
    insert into rate_counters as c (directory_id, bucket, identity, window_started_at, count)
    values (${directory.id}, ${bucket}, ${idBytes(directory.id)}, clock_now(), ${oneUs}::int)
    on conflict (directory_id, bucket, identity) do update set
      count = ${used}::int,
      window_started_at = case when ${isAhead} then c.window_started_at else excluded.window_started_at end
    where ${used} <= ${oneUs * burst}::int
    returning 1`.execute(db)
  return rows.length > 0
}

/** An id in the form of a counter's identity. */
export function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

/**
 * Whether the window of the counter `c` has ended. Used in an insert's conflict clause, where `excluded` has the
 * current time.
 */
function windowElapsed(windowSeconds: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(excluded.window_started_at - c.window_started_at >= make_interval(secs => ${windowSeconds}))`
}

/**
 * Counts in one statement: first the target's own limits and then, unless one of those is exceeded, the shared ones.
 * Returns the tightest of the target's own limits. In a transaction, a rollback also undoes the count, and others wait
 * for the counters until the transaction ends. Throws `rate_limited`.
 */
export async function count({ db }: Pick<Platform, 'db'>, own: Counted[], shared: Counted[]): Promise<RateState> {
  const { tightest, over } = await countAndJudge(db, own, shared)
  if (over) throw rateLimited(over, over.bucket)
  return tightest
}

/**
 * Counts in the same way, for actions that are withheld instead of refused. Returns the limit that was used up, or
 * null.
 */
export async function findLimitUsedUp(
  platform: Platform,
  own: Counted[],
  shared: Counted[],
): Promise<RateState | null> {
  return (await countAndJudge(platform.db, own, shared)).over
}

async function countAndJudge(db: Db, own: Counted[], shared: Counted[]) {
  const isLeft = sql`not exists (select from own join asked using (bucket) where own.count > asked.most)`
  const { rows: counters } = await sql<{ bucket: string; count: number; reset: number }>`
    with ${askedRows([...own, ...shared])},
    own as (${countRows(own, sql`true`)}) ${countShared(shared, isLeft)}
    select bucket, counted.count, ceil(extract(epoch from
      counted.window_started_at + make_interval(secs => asked.window_seconds) - clock_now()))::int as reset
    from (select * from own ${sql.join(
      shared.map((_, i) => sql`union all select * from ${sharedTable(i)}`),
      sql` `,
    )}) counted
    join asked using (bucket)`.execute(db)
  const stateOf = (counter: Counted) =>
    toState(
      counter,
      counters.find(({ bucket }) => bucket === counter.bucket),
    )
  const [ofTarget, ofOthers] = [own.filter(({ policy }) => !policy), own.filter(({ policy }) => policy)]
  const tightest = ofTarget.map(stateOf).sort(byTightness)[0]
  if (!tightest) throw new Error('A count needs at least one limit')
  return { tightest, over: [tightest, ...[...ofOthers, ...shared].map(stateOf)].find((state) => state.over) ?? null }
}

/** The counters as the table `asked`. */
function askedRows(counters: Counted[]): RawBuilder<unknown> {
  const rows = counters.map(
    ({ directory, bucket, identity, limit, windowSeconds, takes = 1 }) =>
      sql`(${directory.id}::uuid, ${bucket}, ${identity}::bytea, ${limit}::int, ${windowSeconds}::int, ${takes}::int)`,
  )
  return sql`asked (directory_id, bucket, identity, most, window_seconds, taken) as (values ${sql.join(rows)})`
}

/**
 * Ordered by bucket, a fixed lock order that prevents deadlocks. `isFull` says whether the counter `c` stops counting.
 */
function countRows(
  counters: Counted[],
  condition: RawBuilder<unknown>,
  isFull: RawBuilder<unknown> = sql`false`,
): RawBuilder<unknown> {
  const elapsed = windowElapsed(each(counters, ({ windowSeconds }) => windowSeconds))
  return sql`
    insert into rate_counters as c (directory_id, bucket, identity, window_started_at, count)
    select directory_id, bucket, identity, clock_now(), taken from asked
    where bucket = any(${counters.map(({ bucket }) => bucket)}::text[]) and ${condition} order by bucket
    on conflict (directory_id, bucket, identity) do update set
      count = case when ${elapsed} then excluded.count when ${isFull} then c.count else c.count + excluded.count end,
      window_started_at = case when ${elapsed} then excluded.window_started_at else c.window_started_at end
    returning c.bucket, c.count, c.window_started_at`
}

/**
 * Counts shared counters one after another, so that an action refused by one does not use up the next. Of the refused
 * actions only the first is counted, so that a raised limit takes effect.
 */
function countShared(shared: Counted[], condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const parts = shared.map((counter, i) => {
    const before = sql`exists (select from ${sharedTable(i - 1)} before join asked of_it using (bucket)
      where before.count + 1 - of_it.taken <= of_it.most)`
    const counting = countRows([counter], i === 0 ? condition : before, sql`c.count > ${counter.limit}::int`)
    return sql`, ${sharedTable(i)} as (${counting})`
  })
  return sql.join(parts, sql` `)
}

const sharedTable = (i: number) => sql.ref(`shared_${i}`)

/** A value that depends on the bucket of the counter `c`. */
function each(counters: Counted[], value: (counter: Counted) => number): RawBuilder<unknown> {
  const cases = counters.map((counter) => sql`when ${counter.bucket} then ${value(counter)}::int`)
  return sql`case c.bucket ${sql.join(cases, sql` `)} end`
}

type BucketState = RateState & { over: boolean; bucket: string }

function toState(counter: Counted, counted: { count: number; reset: number } | undefined): BucketState {
  const { bucket, limit, windowSeconds, policy, takes = 1 } = counter
  const { count, reset } = counted ?? { count: 0, reset: windowSeconds }
  // If the action uses nothing, the limit is checked as if it used one.
  const used = counted ? count + 1 - takes : 0
  const remaining = Math.max(0, limit - used)
  const state = { limit, remaining, resetSeconds: reset, windowSeconds, ...(policy ? { policy } : {}) }
  return { ...state, bucket, over: used > limit }
}

function byTightness(a: BucketState, b: BucketState): number {
  return Number(b.over) - Number(a.over) || a.remaining - b.remaining
}

const TOO_MANY = {
  account: 'This account has invited too many members',
  organization: 'This organization has sent too many messages',
  key: 'This API key has sent too many messages',
  user: 'This user has sent too many messages',
  network: 'Too much was asked for from this network',
  default: 'Too many requests',
}

/** The error for an action beyond a limit, which metrics name by `bucket`. */
export function rateLimited(state: RateState, bucket: string) {
  const seconds = Math.max(1, state.resetSeconds)
  return httpErrors.rateLimited({
    detail: `${TOO_MANY[state.policy ?? 'default']}: try again in ${seconds} s.`,
    headers: { ...rateHeaders(state), 'retry-after': String(seconds) },
    limit: bucket,
    extra: { retry_after: seconds },
  })
}

/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11), and the older names. */
export function rateHeaders(state: RateState): Record<string, string> {
  const policy = state.policy ?? 'default'
  return {
    'ratelimit-policy': `"${policy}";q=${state.limit};w=${state.windowSeconds}`,
    ratelimit: `"${policy}";r=${state.remaining};t=${state.resetSeconds}`,
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-reset': String(state.resetSeconds),
  }
}

/** Adds the state of the limit that a rule counted to the response's headers. Returns the rule's result unchanged. */
export function showRate<T extends { rate: RateState }>(work: { headers: Record<string, string> }, answer: T): T {
  Object.assign(work.headers, rateHeaders(answer.rate))
  return answer
}

/** A key shares one rate with its previous secrets. Each membership has its own rate. */
function rateIdOf(caller: ManagerCaller): string {
  const { kind, credentialId } = caller
  return credentialOf({ kind, credentialId: (kind === 'key' ? caller.rateKeyId : null) ?? credentialId })
}

/**
 * Limits the requests of each API key and each membership per second and process. Returns the state of the caller's
 * limit, or null if neither the deployment nor the key sets one. The returned function throws `rate_limited`.
 */
export function keyLimiter(
  defaultPerSecond: number | null,
): (caller: ManagerCaller, nowMs: number) => RateState | null {
  let second = 0
  let counts = new Map<string, number>()
  return (caller, nowMs) => {
    const limit = caller.bounds.requestsPerSecond ?? defaultPerSecond
    if (limit === null) return null
    const current = Math.floor(nowMs / 1000)
    if (current !== second) {
      second = current
      counts = new Map()
    }
    const id = rateIdOf(caller)
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    const state = { limit, remaining: Math.max(0, limit - count), resetSeconds: 1, windowSeconds: 1 }
    if (count > limit) throw rateLimited(state, 'key.requests')
    return state
  }
}
