import { type Platform, perPlatform } from '../../platform/platform.ts'
import { ownHost } from './origins.ts'
import { listRelatedOriginRows } from './store.ts'

/**
 * The related origins of every relying party that has some. A single cache entry, so that requests for made-up hosts
 * cost nothing.
 */
export const relatedOrigins = perPlatform((platform) =>
  platform.caches.define<Map<string, string[]>>('related_origins', async () => {
    const own = ownHost(platform)
    const rows = await listRelatedOriginRows(platform.db)
    const spoken = rows.filter((row) => {
      // The service's own host is the default of every account, so only the operator's account may name origins for it.
      if (row.rp_id === null || row.rp_id === own) return row.home
      // No account has proved that it owns a host: one that two accounts claim belongs to neither.
      return !row.disputed
    })
    const byHost = Map.groupBy(spoken, (row) => row.rp_id ?? own)
    const entries = [...byHost].map(([host, named]): [string, string[]] => [
      host,
      [...new Set(named.flatMap((row) => row.origins))].sort(),
    ])
    return new Map(entries)
  }),
)

/** The origins of other sites that may use the passkeys of a host (WebAuthn L3 §5.11). */
export async function relatedOriginsOf(platform: Platform, host: string): Promise<string[]> {
  const all = await relatedOrigins(platform).get('')
  return all.get(host.toLowerCase()) ?? []
}
