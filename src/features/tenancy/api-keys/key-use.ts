import { boundedMap } from '../../../platform/bounded-map.ts'
import { hasPassed } from '../../../platform/clock.ts'
import { withoutDeadline } from '../../../platform/db/lanes.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { type KeyUse, stampKeyUses } from './store.ts'

const FLUSH_MS = 10_000

const pending = perPlatform((): { uses: Map<string, KeyUse>; timer: NodeJS.Timeout | undefined } => ({
  uses: new Map(),
  timer: undefined,
}))

/** Notes the last use of a key. It is written within 10 s, together with the uses of other keys. */
export function noteKeyUse(platform: Platform, apiKeyId: string, ip: string | null, at: Date): void {
  const state = pending(platform)
  const known = state.uses.get(apiKeyId)
  if (known) {
    known.at = at
    known.ip = ip ?? known.ip
  } else state.uses.set(apiKeyId, { id: apiKeyId, at, ip })
  if (state.timer) return
  const flush = () =>
    flushKeyUses(platform).catch((error: unknown) =>
      platform.log.warn({ error }, 'The last uses of API keys were not saved'),
    )
  // Without the request's deadline, since the timer also writes the uses from other requests.
  state.timer = withoutDeadline(() => setTimeout(flush, FLUSH_MS))
  // The timer must not keep the process alive.
  state.timer.unref()
}

const REFUSALS_EVERY_MS = 60_000
const MAX_REFUSED = 10_000

const refused = perPlatform(() => boundedMap<number>(MAX_REFUSED))

/** Logs that a key was used from an address that is not allowed, at most once a minute for each key and process. */
export function noteKeyRefusal(platform: Platform, apiKeyId: string): void {
  const known = refused(platform)
  // Process clock: limits how often this process logs a refusal.
  const now = platform.clock.now().getTime()
  if (!hasPassed(REFUSALS_EVERY_MS, known.get(apiKeyId) ?? 0, now)) return
  known.set(apiKeyId, now)
  platform.log.warn({ apiKeyId }, 'An API key was used from an address outside its allowedIps')
}

/** Writes the noted uses. Called by the timer, and before the process ends. */
export async function flushKeyUses(platform: Platform): Promise<void> {
  const state = pending(platform)
  clearTimeout(state.timer)
  state.timer = undefined
  const uses = [...state.uses.values()]
  state.uses.clear()
  if (uses.length) await stampKeyUses(platform.db, uses)
}
