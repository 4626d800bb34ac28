import { type RawBuilder, sql } from 'kysely'
import { httpErrors } from '../errors.ts'
import type { Platform } from '../platform.ts'
import type { Principal } from './authenticate.ts'
import type { Directory } from './directory.ts'

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
}

/**
 * Counts one act against limits that protect people, in the database, so that every process counts alike and a
 * refused request still counts. `identity` is a keyed hash of the normalised target, never text of the caller's
 * choosing (ASVS 6.3.1). Throws `rate_limited` when a limit was used up before this act.
 */
export async function countAct(
  platform: Platform,
  directory: Directory,
  identity: Buffer,
  limits: RateLimit[],
): Promise<RateState> {
  const rows = limits.map(
    (limit): RawBuilder<unknown> =>
      sql`(${directory.id}::uuid, ${limit.bucket}, ${identity}::bytea, clock_now(), 1, ${limit.windowSeconds}::int)`,
  )
  // Ordered, so that two statements never wait for each other's rows crosswise.
  const { rows: counters } = await sql<{ bucket: string; count: number; reset: number }>`
    with asked (directory_id, bucket, identity, window_started_at, count, window_seconds) as (values ${sql.join(rows)}),
    counted as (
      insert into rate_counters as c (directory_id, bucket, identity, window_started_at, count)
      select directory_id, bucket, identity, window_started_at, count from asked order by bucket
      on conflict (directory_id, bucket, identity) do update set
        count = case when c.window_started_at <= clock_now() - make_interval(secs => (
          select window_seconds from asked where asked.bucket = c.bucket)) then 1 else c.count + 1 end,
        window_started_at = case when c.window_started_at <= clock_now() - make_interval(secs => (
          select window_seconds from asked where asked.bucket = c.bucket)) then clock_now() else c.window_started_at end
      returning c.bucket, c.count, c.window_started_at)
    select bucket, counted.count, ceil(extract(epoch from
      counted.window_started_at + make_interval(secs => asked.window_seconds) - clock_now()))::int as reset
    from counted join asked using (bucket)`.execute(platform.db)
  const states = limits.map((limit): RateState & { over: boolean } => {
    const counter = counters.find((row) => row.bucket === limit.bucket) ?? { count: 0, reset: limit.windowSeconds }
    const { windowSeconds } = limit
    const remaining = Math.max(0, limit.limit - counter.count)
    return {
      limit: limit.limit,
      remaining,
      resetSeconds: counter.reset,
      windowSeconds,
      over: counter.count > limit.limit,
    }
  })
  const tightest = states.sort((a, b) => Number(b.over) - Number(a.over) || a.remaining - b.remaining)[0]
  if (!tightest) throw new Error('countAct needs at least one limit')
  if (tightest.over) throw rateLimited(tightest)
  return tightest
}

function rateLimited(state: RateState) {
  const seconds = Math.max(1, state.resetSeconds)
  return httpErrors.rateLimited({
    detail: `Too many requests: try again in ${seconds} s.`,
    headers: { ...rateHeaders(state), 'retry-after': String(seconds) },
    extra: { retry_after: seconds },
  })
}

/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11), and the older names. */
export function rateHeaders(state: RateState): Record<string, string> {
  return {
    'ratelimit-policy': `"default";q=${state.limit};w=${state.windowSeconds}`,
    ratelimit: `"default";r=${state.remaining};t=${state.resetSeconds}`,
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-reset': String(state.resetSeconds),
  }
}

/**
 * A ceiling on the requests of each API key, in process: it protects the service, and is off unless the deployment or
 * the key sets it.
 */
export function keyLimiter(defaultPerSecond: number | null): (principal: Principal, nowMs: number) => RateState | null {
  let second = 0
  let counts = new Map<string, number>()
  return (principal, nowMs) => {
    const limit = principal.requestsPerSecond ?? defaultPerSecond
    if (limit === null) return null
    const current = Math.floor(nowMs / 1000)
    if (current !== second) {
      second = current
      counts = new Map()
    }
    const count = (counts.get(principal.apiKeyId) ?? 0) + 1
    counts.set(principal.apiKeyId, count)
    const state = { limit, remaining: Math.max(0, limit - count), resetSeconds: 1, windowSeconds: 1 }
    if (count > limit) throw rateLimited(state)
    return state
  }
}
