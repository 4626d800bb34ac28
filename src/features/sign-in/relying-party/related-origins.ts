import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { ownHost } from './origins.ts'
import { listRelatedOriginRows, listRpIdClaims, type RelatedOriginRow, type RpIdClaimRow } from './store.ts'

// Browsers support at least this many sites (WebAuthn L3 §5.11.1).
const MAX_OF_GUEST = 5

/**
 * The related origins of every relying party that has any. They are one cache entry, so that requests for made-up
 * hosts cost no query.
 */
export const relatedOrigins = perPlatform((platform) =>
  platform.caches.define<Map<string, string[]>>('related_origins', async () => {
    const own = ownHost(platform)
    const byHost = Map.groupBy(await listRelatedOriginRows(platform.db), (row) => row.rp_id ?? own)
    const namings = await listRpIdClaims(platform.db, [...byHost.keys()])
    const byRpId = Map.groupBy(namings, (row) => row.rp_id)
    const entries = [...byHost].map(([host, rows]): [string, string[]] => {
      // The service's own host is the default of every account, so only the operator's account may list origins for
      // it.
      if (host === own)
        return [
          host,
          originsOf(
            rows.filter((row) => row.home),
            null,
          ),
        ]
      const speaker = speakerOf(byRpId.get(host) ?? [])
      return [
        host,
        speaker
          ? originsOf(
              rows.filter((row) => speaksFor(speaker, row)),
              speaker.organizationId,
            )
          : [],
      ]
    })
    return new Map(entries)
  }),
)

/** The account, or the organization of an account, that decides which origins a host lists. */
interface Speaker {
  accountId: string
  organizationId: string | null
}

/**
 * Hosts are named without proof of ownership. A host therefore belongs to the account or organization that named it
 * first, and others that name it later do not change its list. An account takes precedence over its organizations.
 */
function speakerOf(namings: RpIdClaimRow[]): Speaker | null {
  const [first] = namings
  if (!first) return null
  const isOfAccount = namings.some((row) => row.account_id === first.account_id && row.organization_id === null)
  return { accountId: first.account_id, organizationId: isOfAccount ? null : first.organization_id }
}

function speaksFor({ accountId, organizationId }: Speaker, row: RelatedOriginRow): boolean {
  return row.account_id === accountId && (organizationId === null || row.organization_id === organizationId)
}

/**
 * Orders the origins of a host. All origins of the host's owner come first, then the first origin of each organization
 * that shares the host, then the second of each, and so on. Browsers read only the start of a long list, so no
 * organization may fill it.
 */
function originsOf(rows: RelatedOriginRow[], ownerId: string | null): string[] {
  const shared = Map.groupBy(rows, (row) => row.organization_id)
  const listed = (id: string | null) => new Set(shared.get(id)?.flatMap((row) => row.origins))
  const owned = listed(ownerId)
  const guests = [...shared.keys()].filter((id) => id !== ownerId)
  const lists = guests.map((id) => [...listed(id).difference(owned)])
  const rounds = Array.from({ length: MAX_OF_GUEST }, (_, round) =>
    lists.flatMap((list) => list.slice(round, round + 1)),
  )
  return [...new Set([...owned, ...rounds.flat()])]
}

/** The origins of other sites that may use the passkeys of a host (WebAuthn L3 §5.11). */
export async function relatedOriginsOf(platform: Platform, host: string): Promise<string[]> {
  const all = await relatedOrigins(platform).get('')
  return all.get(host.toLowerCase()) ?? []
}
