import { type Platform, perPlatform } from '../../platform/platform.ts'
import { type KeyUse, stampKeyUses } from './store.ts'

const FLUSH_MS = 10_000

const pending = perPlatform((): { uses: Map<string, KeyUse>; timer: NodeJS.Timeout | undefined } => ({
  uses: new Map(),
  timer: undefined,
}))

/** Remembers the last use of a key, to be written within 10 s together with those of other keys. */
export function noteKeyUse(platform: Platform, apiKeyId: string, ip: string | null): void {
  const state = pending(platform)
  const at = platform.clock.now()
  const known = state.uses.get(apiKeyId)
  state.uses.set(apiKeyId, { id: apiKeyId, at, ip: ip ?? known?.ip ?? null })
  if (state.timer) return
  state.timer = setTimeout(() => {
    flushKeyUses(platform).catch((error: unknown) =>
      platform.log.warn({ error }, 'The last uses of API keys were not saved'),
    )
  }, FLUSH_MS)
  // The timer must not keep the process alive.
  state.timer.unref()
}

/** Writes what is remembered. Called by the timer, and before the process ends. */
export async function flushKeyUses(platform: Platform): Promise<void> {
  const state = pending(platform)
  clearTimeout(state.timer)
  state.timer = undefined
  const uses = [...state.uses.values()]
  state.uses.clear()
  if (uses.length) await stampKeyUses(platform.db, uses)
}
