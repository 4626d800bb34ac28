import { type Platform, perPlatform } from '../../platform/platform.ts'
import { ownHost } from './relying-party.ts'
import { listRelatedOriginRows } from './store.ts'

/**
 * The related origins of every relying party that has some. One entry for all, so that a host that somebody makes up
 * costs nothing.
 */
export const relatedOrigins = perPlatform((platform) =>
  platform.caches.define<Map<string, string[]>>('related_origins', async () => {
    const own = ownHost(platform)
    const rows = await listRelatedOriginRows(platform.db)
    const spoken = rows.filter((row) => {
      // The service's own host is everybody's by default, so that of it the operator's account alone may speak.
      if (row.rp_id === null || row.rp_id === own) return row.home
      // Nobody has proved that a host is theirs: what two accounts claim belongs to neither.
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

/** The pages of other sites that may use the passkeys of a host (WebAuthn L3 §5.11). */
export async function relatedOriginsOf(platform: Platform, host: string): Promise<string[]> {
  const all = await relatedOrigins(platform).get('')
  return all.get(host.toLowerCase()) ?? []
}
