import { systemOrigin } from '../../../platform/events/events.ts'
import { isOutgoingHeld } from '../../../platform/lifecycle/deployment.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type Directory, findDirectory } from '../../../platform/tenancy/directory.ts'
import { attempt, type Outcome, type Target } from './attempt.ts'
import type { DeliveryRow } from './delivery-store.ts'
import { endpointKeeper } from './keeper.ts'
import { CONCURRENCY } from './limits.ts'
import { type Result, saveOutcomes } from './outcome-store.ts'
import { claimQueues, type HeldQueue, readQueue, readQueues, releaseQueue, type Work } from './queue-store.ts'
import { FAILING_SECONDS, nextDelay } from './schedule.ts'
import { findSendable } from './sendable.ts'

// How long a process serves one queue. Together with the longest attempt and its statements, this stays within the
// lease; it is short so that other queues get their turn.
const HOLD_MS = 1000
// An endpoint that takes longer to respond counts as troubled.
const SLOW_MS = 3000
const KEPT_ATTEMPTS = 20

/** A queue that this process has claimed, with its due deliveries. */
export interface Taken {
  queue: HeldQueue
  work: Work
}

/** Claims due queues and reads their due deliveries. Claims none while outgoing messages are on hold. */
export async function takeQueues(platform: Platform, given: Parameters<typeof claimQueues>[1]): Promise<Taken[]> {
  if (await isOutgoingHeld(platform)) return []
  const queues = await claimQueues(platform, given)
  if (queues.length === 0) return []
  const works = new Map((await readQueues(platform.db, queues, CONCURRENCY)).map((work) => [work.webhookId, work]))
  return queues.flatMap((queue) => {
    const work = works.get(queue.webhookId)
    return work ? [{ queue, work }] : []
  })
}

/**
 * Serves a queue: reads the endpoint again before each round of attempts, and writes the results afterwards. If
 * messages are put on hold meanwhile, only attempts that have begun go on, and the queue is released.
 */
export async function serveQueue(platform: Platform, { queue, work: first }: Taken): Promise<void> {
  const directory = await findDirectory(platform, queue.directoryId)
  if (!directory) return
  const startedMs = performance.now()
  const isOn = await endpointKeeper.of(platform).isOn(platform, directory)
  const open = rememberSecrets({ platform, directory }, queue.webhookId)
  const read = () => readQueue(platform.db, directory, queue, CONCURRENCY)
  for (let work: Work | null = first; work; work = await read()) {
    const rests = !work.enabled ? 'until woken' : isOn ? 'until due' : 'a minute'
    if (work.deliveries.length === 0 || rests !== 'until due' || (await isOutgoingHeld(platform)))
      return releaseQueue(platform.db, directory, queue, { wakes: work.wakes, rests })
    const target = { id: queue.webhookId, url: work.url, secrets: await open(work) }
    const isLast = work.deliveries.length < CONCURRENCY || performance.now() - startedMs > HOLD_MS
    await serveRound({ platform, directory }, { queue, work, target, isLast })
    if (isLast) return
  }
}

interface Tenant {
  platform: Platform
  directory: Directory
}

/** Makes a few attempts at the same time. After the last round, the queue is released. */
async function serveRound(
  { platform, directory }: Tenant,
  { queue, work, target, isLast }: Taken & { target: Target; isLast: boolean },
): Promise<void> {
  // An endpoint that fails gets only one request at a time.
  const rows = work.deliveries.slice(0, work.consecutive_failures > 0 ? 1 : CONCURRENCY)
  let count = 0
  const save = inTurn(async (done: readonly Attempted[]) => {
    count += done.length
    const outcomes = done.flatMap(({ outcome }) => outcome ?? [])
    const isGone = outcomes.some((outcome) => outcome.isGone)
    const failingSeconds = await saveOutcomes(platform.db, directory, queue, {
      results: done.map(({ result }) => result),
      health: {
        failures: outcomes.filter(({ ok }) => !ok).length,
        isWell: outcomes.some(({ ok }) => ok) && !isGone,
        isSlow: outcomes.some(({ durationMs }) => durationMs > SLOW_MS),
      },
      wakes: isLast && count === rows.length ? work.wakes : null,
    })
    if (!isGone && failingSeconds < FAILING_SECONDS) return
    const system = { platform, directory, origin: systemOrigin(), db: platform.db }
    await endpointKeeper.of(platform).disable(system, queue.webhookId, isGone ? 'gone' : 'failing')
  })
  await attemptAll(platform, { target, rows, onDone: save })
}

/**
 * Serializes calls of `work`. Everything that arrives during a call is passed to the next call together, so results
 * are written soon.
 */
function inTurn<T>(work: (things: readonly T[]) => Promise<void>): (thing: T) => Promise<void> {
  let waiting: T[] = []
  let last: Promise<void> | null = null
  return (thing) => {
    waiting.push(thing)
    if (waiting.length > 1 && last) return last
    const before = last?.catch(() => undefined) ?? Promise.resolve()
    last = before.then(() => {
      const things = waiting
      waiting = []
      return work(things)
    })
    return last
  }
}

interface Sealed {
  secret_sealed: string
  previous_secret_sealed: string | null
}

/** Decrypts the secrets of a webhook. Secrets that have not changed are not decrypted again. */
export function rememberSecrets({ platform, directory }: Tenant, id: string) {
  const opened = new Map<string, string>()
  return async (sealed: Sealed): Promise<string[]> => {
    const texts = [sealed.secret_sealed, sealed.previous_secret_sealed].filter((text) => text !== null)
    const secrets: string[] = []
    for (const text of texts) {
      const secret =
        opened.get(text) ??
        (await endpointKeeper.of(platform).openSecret(platform, { accountId: directory.accountId, id }, text))
      opened.set(text, secret)
      secrets.push(secret)
    }
    return secrets
  }
}

type Waiting = Pick<DeliveryRow, 'id' | 'event_directory_id' | 'event_id' | 'attempt' | 'tries' | 'attempts'>

export interface Attempted {
  result: Result
  outcome: Outcome | null
}

/** Sends each delivery once. If its event is no longer kept, the delivery has failed, without an outcome. */
export async function attemptAll(
  platform: Platform,
  { target, rows, onDone }: { target: Target; rows: readonly Waiting[]; onDone(done: Attempted): Promise<void> },
): Promise<void> {
  const events = await findSendable(platform, rows)
  await Promise.all(
    rows.map(async (row) => {
      const event = events.get(row.event_id)
      const outcome = event ? await attempt(platform, target, event) : null
      const result = resultOf(row, target, outcome)
      platform.metrics.webhooks.attempts.inc({ result: result.status === 'pending' ? 'retried' : result.status })
      await onDone({ result, outcome })
    }),
  )
}

function resultOf(row: Waiting, { url }: Target, outcome: Outcome | null): Result {
  const tries = row.tries + 1
  const dueSeconds = !outcome || outcome.ok || outcome.isGone ? null : nextDelay(tries, outcome.retryAfterSeconds)
  const { at, responseStatus = null, error = 'event_not_kept', durationMs = 0 } = outcome ?? {}
  const before = Array.isArray(row.attempts) ? row.attempts.map((each) => Object(each)) : []
  const entry = at === undefined ? [] : [{ at, responseStatus, error, durationMs }]
  return {
    id: row.id,
    attempt: row.attempt,
    status: outcome?.ok ? 'succeeded' : dueSeconds === null ? 'failed' : 'pending',
    tries,
    dueSeconds,
    url,
    request_headers: outcome?.headers ?? {},
    response_status: responseStatus,
    response_body: outcome?.responseBody ?? null,
    error,
    duration_ms: durationMs,
    attempts: [...before, ...entry].slice(-KEPT_ATTEMPTS),
  }
}
