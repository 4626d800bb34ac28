import { hasPassed } from '../../../platform/clock.ts'
import { skipLocked } from '../../../platform/db/distributed.ts'
import { type EventPlace, readPlaces } from '../../../platform/events/event-places.ts'
import { matchesType } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { runParts } from '../../../platform/jobs/parts.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import {
  hasListener,
  type Listener,
  listCursorEnvironments,
  listListeners,
  lockCursor,
  moveCursor,
} from './cursor-store.ts'
import { type NewDelivery, putDeliveries, wakeQueues } from './delivery-store.ts'
import { TEST_TYPE } from './limits.ts'

// How many events one transaction takes, and how many deliveries one statement inserts.
const [EVENTS, ROWS] = [500, 2500]

// How long an environment pauses after a failure. The pause grows with each consecutive failure.
const PAUSE_MS = { first: 1000, longest: 30_000 }

interface Failing {
  /** Consecutive failures. */
  failures: number
  failedAtMs: number
}

const failing = perPlatform(() => new Map<string, Failing>())

/**
 * Creates deliveries for the new events of every environment, starting after the last event of the previous run. The
 * new position and the deliveries are written together, so a crash neither skips nor repeats an event.
 *
 * An environment that fails is logged at its first failure and tried again after a pause. Other environments
 * continue.
 *
 * @returns whether more events are waiting.
 */
export async function fanOut(platform: Platform): Promise<boolean> {
  const known = failing(platform)
  // Process clock: this process alone measures the pause after a failure.
  const nowMs = platform.clock.now().getTime()
  const environmentIds = await listCursorEnvironments(platform.db)
  for (const id of known.keys()) if (!environmentIds.includes(id)) known.delete(id)
  let isMore = false
  const due = environmentIds.filter((id) => isDue(known.get(id), nowMs))
  const failures = await runParts(due, String, async (environmentId) => {
    if (await fanOutEnvironment(platform, environmentId)) isMore = true
    known.delete(environmentId)
  })
  for (const { name: environmentId, error } of failures) {
    const before = known.get(environmentId)?.failures ?? 0
    if (before === 0)
      platform.log.warn(
        { error, environmentId },
        'Events of an environment cannot be handed to its webhooks: trying again',
      )
    known.set(environmentId, { failures: before + 1, failedAtMs: nowMs })
  }
  return isMore
}

function isDue(failing: Failing | undefined, nowMs: number): boolean {
  if (!failing) return true
  const pauseMs = Math.min(PAUSE_MS.first * 2 ** (failing.failures - 1), PAUSE_MS.longest)
  return hasPassed(pauseMs, failing.failedAtMs, nowMs)
}

async function fanOutEnvironment(platform: Platform, environmentId: string): Promise<boolean> {
  if (!(await hasListener(platform.db, environmentId))) return false
  return platform.tx(async (tx) => {
    const after = await lockCursor(tx, environmentId, skipLocked(platform.database))
    if (!after) return false
    const { places, end, hasMore } = await readPlaces(tx, { environmentId }, after, EVENTS)
    if (places.length) {
      const directoryIds = [...new Set(places.map((place) => place.directoryId))]
      const listeners = await listListeners(tx, environmentId, directoryIds)
      for (const [directoryId, own] of Map.groupBy(listeners, (listener) => listener.directory_id)) {
        const heard = places.filter((place) => own[0]?.is_wide || place.directoryId === directoryId)
        const deliveries = heard.flatMap((place) =>
          own.filter((each) => hears(each, place)).map((each) => toNewDelivery(each, place)),
        )
        for (let start = 0; start < deliveries.length; start += ROWS)
          await putDeliveries(tx, directoryId, deliveries.slice(start, start + ROWS))
        const woken = [...new Set(deliveries.map(({ webhookId }) => webhookId))].sort()
        if (woken.length) await wakeQueues(tx, directoryId, woken)
      }
    }
    await moveCursor(tx, environmentId, end)
    return hasMore
  })
}

function hears(listener: Listener, { type, createdAt }: EventPlace): boolean {
  return createdAt >= listener.listening_since && listensTo(listener, type)
}

/** Whether a webhook wants events of a type. A test event goes only to the webhook that is tested. */
export function listensTo({ events }: Pick<Listener, 'events'>, type: string): boolean {
  return type !== TEST_TYPE && events.some((pattern) => matchesType(pattern, type))
}

export function toNewDelivery({ id }: Pick<Listener, 'id'>, place: EventPlace): NewDelivery {
  const { directoryId: eventDirectoryId, id: eventId, type: eventType } = place
  return { id: newId(), webhookId: id, eventDirectoryId, eventId, eventType }
}
