import { type Platform, perPlatform } from '../platform.ts'

const INTERVAL_MS = 10_000

const noted = perPlatform(() => ({ count: 0, lastMs: Number.NEGATIVE_INFINITY }))

/** Logs that requests are refused because there are too many, at most one line in ten seconds. */
export function noteRefusedByLoad(platform: Platform, route: string): void {
  const state = noted(platform)
  state.count++
  const nowMs = performance.now()
  if (nowMs - state.lastMs < INTERVAL_MS) return
  platform.log.warn({ route, count: state.count }, 'The service is busy: requests are refused')
  Object.assign(state, { count: 0, lastMs: nowMs })
}
