import { boundedMap } from '../../../platform/bounded-map.ts'
import { claimSteadily, rateLimited } from '../../../platform/limits/rate-limit.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { BURST_SECONDS, provisioningSettings } from './settings.ts'

const bucket = 'scim.requests'

// Until when nothing is left, in milliseconds: a flood of refusals asks the database no more often than the rate.
const refused = perPlatform(() => boundedMap<number>(10_000))

/** Counts a request of a provisioning client, of whatever size. Throws `rate_limited` beyond the rate of its organization. */
export async function limitRequests(platform: Platform, directory: Directory): Promise<void> {
  const { scim_requests_per_second: perSecond } = await provisioningSettings.effective({ platform, directory })
  const burst = perSecond * BURST_SECONDS
  const oneMs = 1000 / perSecond
  // Process clock: how long ago this process was told that nothing is left.
  const nowMs = platform.clock.now().getTime()
  const leftMs = (refused(platform).get(directory.id) ?? 0) - nowMs
  // Longer only by a clock that was set back, or another rate.
  const isRefused = leftMs > 0 && leftMs <= oneMs
  if (!isRefused && (await claimSteadily(platform.db, directory, { bucket, perSecond, burst }))) return
  if (!isRefused) refused(platform).set(directory.id, nowMs + oneMs)
  const state = { limit: burst, remaining: 0, resetSeconds: 1, windowSeconds: BURST_SECONDS }
  throw rateLimited(state, bucket)
}
