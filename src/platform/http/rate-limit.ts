import { type RawBuilder, sql } from 'kysely'
import { httpErrors } from '../errors.ts'
import type { Platform } from '../platform.ts'
import type { Work } from '../work.ts'
import type { KeyCaller } from './caller.ts'
import { accountDirectory, type Directory } from './directory.ts'

/** At most `limit` acts of one identity within `windowSeconds`. */
export interface RateLimit {
  /** Names the counter; limits of one bucket share it. */
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
  /** Whose limit it is, if not the target's own. */
  policy?: SharedPolicy
}

type SharedPolicy = 'organization' | 'key'

/** A limit of one identity in one directory. Within one call each has its own bucket. */
interface Counted extends RateLimit {
  directory: Directory
  identity: Buffer
  policy?: SharedPolicy
}

/**
 * Counts one act against limits that protect people. Counting happens in the database, so all processes share it and a
 * refused request still counts. `identity` is a keyed hash of the normalised target, never text of the caller's
 * choosing (ASVS 6.3.1). Throws `rate_limited` when a limit was already used up.
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

/** Messages per hour, whatever their recipients. */
export interface SendCeilings {
  /** From a directory. */
  perOrganizationHour: number
  /** From an API key, over all directories it sends from. */
  perKeyHour: number
}

/**
 * Counts one message to a target as countAct does, and also against what its organization and the API key may send in
 * an hour, so that a stolen key cannot send spam or run up a bill. What the target's own limits refuse does not count
 * against the shared ones. Returns the state of the target's limits. Throws `rate_limited`, which says whose it is.
 */
export async function countSend(
  { platform, directory, origin }: Work,
  target: Buffer,
  limits: RateLimit[],
  ceilings: SendCeilings,
): Promise<RateState> {
  const hour = { windowSeconds: 3600 }
  const organization = {
    bucket: 'send.organization',
    limit: ceilings.perOrganizationHour,
    policy: 'organization',
  } as const
  const shared: Counted[] = [{ ...hour, ...organization, directory, identity: idBytes(directory.id) }]
  const { type, id: keyId } = origin.actor
  if (type === 'api_key' && keyId !== null) {
    const account = await accountDirectory(platform, directory)
    const key = { bucket: 'send.key', limit: ceilings.perKeyHour, policy: 'key' } as const
    shared.push({ ...hour, ...key, directory: account, identity: idBytes(keyId) })
  }
  return count(
    platform,
    limits.map((limit) => ({ ...limit, directory, identity: target })),
    shared,
  )
}

/**
 * Takes one of a directory's acts if any is left: for a ceiling that withholds something instead of refusing the
 * request. What is withheld does not count, so a raised ceiling takes effect immediately.
 */
export async function claimAct({ platform, directory }: Work, limit: RateLimit): Promise<boolean> {
  if (limit.limit <= 0) return false
  const elapsed = windowElapsed(sql`${limit.windowSeconds}::int`)
  const { rows } = await sql`
    insert into rate_counters as c (directory_id, bucket, identity, window_started_at, count)
    values (${directory.id}, ${limit.bucket}, ${idBytes(directory.id)}, clock_now(), 1)
    on conflict (directory_id, bucket, identity) do update set
      count = case when ${elapsed} then 1 else c.count + 1 end,
      window_started_at = case when ${elapsed} then excluded.window_started_at else c.window_started_at end
    where ${elapsed} or c.count < ${limit.limit}::int
    returning 1`.execute(platform.db)
  return rows.length > 0
}

/** An id as a counter's identity. */
function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

/** Whether the window of the counter `c` has ended, where an insert meets it: `excluded` brings the present time. */
function windowElapsed(windowSeconds: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(excluded.window_started_at - c.window_started_at >= make_interval(secs => ${windowSeconds}))`
}

/** In one statement: first the target's own counters, then, unless one of those is exceeded, the shared ones. */
async function count(platform: Platform, own: Counted[], shared: Counted[]): Promise<RateState> {
  const rows = [...own, ...shared].map(
    (counter): RawBuilder<unknown> =>
      sql`(${counter.directory.id}::uuid, ${counter.bucket}, ${counter.identity}::bytea, ${counter.limit}::int,
        ${counter.windowSeconds}::int, ${shared.includes(counter)}::boolean)`,
  )
  const sharedToo = sql`, shared as (${countRows(
    shared,
    sql`shared and not exists (select from own join asked using (bucket) where own.count > asked.most)`,
  )})`
  const { rows: counters } = await sql<{ bucket: string; count: number; reset: number }>`
    with asked (directory_id, bucket, identity, most, window_seconds, shared) as (values ${sql.join(rows)}),
    own as (${countRows(own, sql`not shared`)}) ${shared.length ? sharedToo : sql``}
    select bucket, counted.count, ceil(extract(epoch from
      counted.window_started_at + make_interval(secs => asked.window_seconds) - clock_now()))::int as reset
    from (select * from own ${shared.length ? sql`union all select * from shared` : sql``}) counted
    join asked using (bucket)`.execute(platform.db)
  const stateOf = (counter: Counted) =>
    toState(
      counter,
      counters.find(({ bucket }) => bucket === counter.bucket),
    )
  const tightest = [...own].map(stateOf).sort(byTightness)[0]
  if (!tightest) throw new Error('A count needs at least one limit')
  const over = [tightest, ...shared.map(stateOf)].find((state) => state.over)
  if (over) throw rateLimited(over)
  return tightest
}

/** Ordered by bucket, a fixed lock order that prevents deadlocks. */
function countRows(counters: Counted[], condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const windows = counters.map(({ bucket, windowSeconds }) => sql`when ${bucket} then ${windowSeconds}::int`)
  const elapsed = windowElapsed(sql`case c.bucket ${sql.join(windows, sql` `)} end`)
  return sql`
    insert into rate_counters as c (directory_id, bucket, identity, window_started_at, count)
    select directory_id, bucket, identity, clock_now(), 1 from asked where ${condition} order by bucket
    on conflict (directory_id, bucket, identity) do update set
      count = case when ${elapsed} then 1 else c.count + 1 end,
      window_started_at = case when ${elapsed} then excluded.window_started_at else c.window_started_at end
    returning c.bucket, c.count, c.window_started_at`
}

type Judged = RateState & { over: boolean }

function toState(counter: Counted, counted: { count: number; reset: number } | undefined): Judged {
  const { limit, windowSeconds, policy } = counter
  const { count, reset } = counted ?? { count: 0, reset: windowSeconds }
  const remaining = Math.max(0, limit - count)
  return { limit, remaining, resetSeconds: reset, windowSeconds, over: count > limit, ...(policy ? { policy } : {}) }
}

function byTightness(a: Judged, b: Judged): number {
  return Number(b.over) - Number(a.over) || a.remaining - b.remaining
}

const TOO_MANY = {
  organization: 'This organization has sent too many messages',
  key: 'This API key has sent too many messages',
  default: 'Too many requests',
}

/** The refusal of an act beyond a limit. */
export function rateLimited(state: RateState) {
  const seconds = Math.max(1, state.resetSeconds)
  return httpErrors.rateLimited({
    detail: `${TOO_MANY[state.policy ?? 'default']}: try again in ${seconds} s.`,
    headers: { ...rateHeaders(state), 'retry-after': String(seconds) },
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

/** Shows the caller the state of the limit that a rule counted against. Returns the rule's result unchanged. */
export function showRate<T extends { rate: RateState }>(work: { headers: Record<string, string> }, answer: T): T {
  Object.assign(work.headers, rateHeaders(answer.rate))
  return answer
}

/**
 * A per-process ceiling on the requests of each API key: it protects the service, and is off unless the deployment or
 * the key sets it.
 */
export function keyLimiter(defaultPerSecond: number | null): (caller: KeyCaller, nowMs: number) => RateState | null {
  let second = 0
  let counts = new Map<string, number>()
  return (caller, nowMs) => {
    const limit = caller.requestsPerSecond ?? defaultPerSecond
    if (limit === null) return null
    const current = Math.floor(nowMs / 1000)
    if (current !== second) {
      second = current
      counts = new Map()
    }
    const count = (counts.get(caller.apiKeyId) ?? 0) + 1
    counts.set(caller.apiKeyId, count)
    const state = { limit, remaining: Math.max(0, limit - count), resetSeconds: 1, windowSeconds: 1 }
    if (count > limit) throw rateLimited(state)
    return state
  }
}
