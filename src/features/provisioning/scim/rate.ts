import { boundedMap } from '../../../platform/bounded-map.ts'
import { claimSteadily, rateLimited } from '../../../platform/limits/rate-limit.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { BURST_SECONDS, provisioningSettings } from './settings.ts'

const bucket = 'scim.requests'

// The time, in milliseconds, until which each organization's limit is used up. During a flood, the database is asked
// no more often than the rate.
const refused = perPlatform(() => boundedMap<number>(10_000))

/** Counts a request of a provisioning client, of any size. Throws `rate_limited` beyond its organization's rate. */
export async function limitRequests(platform: Platform, directory: Directory): Promise<void> {
  const { scim_requests_per_second: perSecond } = await provisioningSettings.effective({ platform, directory })
  const burst = perSecond * BURST_SECONDS
  const oneMs = 1000 / perSecond
  // Process clock: how long ago this process learned that the limit is used up.
  const nowMs = platform.clock.now().getTime()
  const leftMs = (refused(platform).get(directory.id) ?? 0) - nowMs
  // It can only be longer if the clock was set back or the rate was changed.
  const isRefused = leftMs > 0 && leftMs <= oneMs
  if (!isRefused && (await claimSteadily(platform.db, directory, { bucket, perSecond, burst }))) return
  if (!isRefused) refused(platform).set(directory.id, nowMs + oneMs)
  const state = { limit: burst, remaining: 0, resetSeconds: 1, windowSeconds: BURST_SECONDS }
  throw rateLimited(state, bucket)
}
