import { findEvents } from '../../platform/event-places.ts'
import { systemOrigin } from '../../platform/events.ts'
import { type Directory, findDirectory } from '../../platform/http/directory.ts'
import type { Platform } from '../../platform/platform.ts'
import { isServiceEnabled } from '../../platform/services.ts'
import { attempt, type Outcome, type Target } from '../../platform/webhooks/attempt.ts'
import { FAILING_SECONDS, nextDelay } from '../../platform/webhooks/schedule.ts'
import { type DeliveryRow, type Result, saveResults } from './delivery-store.ts'
import { disableWebhook } from './disable.ts'
import { CONCURRENCY } from './limits.ts'
import { type HeldQueue, noteHealth, readQueue, releaseQueue, type Work } from './queue-store.ts'
import { openSecret } from './secret.ts'

// With the longest attempt and its statements far below the lease.
const HOLD_MS = 5000
// An answer that takes longer makes an endpoint one in trouble.
const SLOW_MS = 3000
const KEPT_ATTEMPTS = 20

/** The work of a queue: the endpoint is read anew before each few attempts, and what became of them written after. */
export async function serveQueue(platform: Platform, queue: HeldQueue): Promise<void> {
  const directory = await findDirectory(platform, queue.directoryId)
  if (!directory) return
  const startedMs = performance.now()
  const isOn = await isServiceEnabled({ platform, directory }, 'webhooks')
  for (;;) {
    const work = await readQueue(platform.db, directory, queue, CONCURRENCY)
    if (!work) return
    const isOver = work.deliveries.length === 0 || performance.now() - startedMs > HOLD_MS
    const rests = !work.enabled ? 'until woken' : isOn ? 'until due' : 'a minute'
    if (isOver || rests !== 'until due') {
      if (await releaseQueue(platform.db, directory, queue, { wakes: work.wakes, rests })) return
      if (rests !== 'until due' || performance.now() - startedMs > 2 * HOLD_MS) return
      continue
    }
    if (!(await serveRound({ platform, directory }, queue, work))) return
  }
}

interface Tenant {
  platform: Platform
  directory: Directory
}

/** A few attempts at the same time. Returns whether to go on. */
async function serveRound({ platform, directory }: Tenant, queue: HeldQueue, work: Work): Promise<boolean> {
  const target = await targetOf({ platform, directory }, queue.webhookId, work)
  // One that fails is asked by one request at a time.
  const taken = work.deliveries.slice(0, work.consecutive_failures > 0 ? 1 : CONCURRENCY)
  const done = await attemptAll(platform, target, taken)
  await saveResults(
    platform.db,
    directory,
    done.map(({ result }) => result),
  )
  const outcomes = done.flatMap(({ outcome }) => outcome ?? [])
  if (outcomes.length === 0) return true
  const isGone = outcomes.some((outcome) => outcome.isGone)
  const failingSeconds = await noteHealth(platform.db, directory, queue, {
    failures: outcomes.filter(({ ok }) => !ok).length,
    isWell: outcomes.some(({ ok }) => ok) && !isGone,
    isSlow: outcomes.some(({ durationMs }) => durationMs > SLOW_MS),
  })
  if (!isGone && failingSeconds < FAILING_SECONDS) return true
  const system = { platform, directory, origin: systemOrigin(), db: platform.db }
  await disableWebhook(system, queue.webhookId, isGone ? 'gone' : 'failing')
  return true
}

interface Sealed {
  url: string
  secret_sealed: string
  previous_secret_sealed: string | null
}

/** Where to, with its secrets opened. */
export async function targetOf({ platform, directory }: Tenant, id: string, sealed: Sealed): Promise<Target> {
  const texts = [sealed.secret_sealed, sealed.previous_secret_sealed].filter((text) => text !== null)
  const owner = { accountId: directory.accountId, id }
  return { url: sealed.url, secrets: await Promise.all(texts.map((text) => openSecret(platform, owner, text))) }
}

type Waiting = Pick<DeliveryRow, 'id' | 'event_directory_id' | 'event_id' | 'attempt' | 'tries' | 'attempts'>

/** Sends each once; one whose event is no longer kept has failed without an outcome. */
export async function attemptAll(
  platform: Platform,
  target: Target,
  rows: readonly Waiting[],
): Promise<{ result: Result; outcome: Outcome | null }[]> {
  const refs = rows.map((row) => ({ directoryId: row.event_directory_id, id: row.event_id }))
  const events = new Map((await findEvents(platform.db, refs)).map((event) => [event.id, event]))
  return Promise.all(
    rows.map(async (row) => {
      const event = events.get(row.event_id)
      const outcome = event ? await attempt(platform, target, event) : null
      return { result: resultOf(row, target, outcome), outcome }
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
