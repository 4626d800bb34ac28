import { checksum, keyedHash, randomBase62, SECRET_LENGTH, sameHash } from '../../platform/crypto/tokens.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { FindApiKey, Principal } from '../../platform/http/authenticate.ts'
import { newId } from '../../platform/ids.ts'
import { type Platform, perPlatform } from '../../platform/platform.ts'
import { type ApiKeyRow, findApiKeyRowsByStart, insertApiKeyRow } from './store.ts'

const START_LENGTH = 12
const CHECKSUM_LENGTH = 6

export interface NewApiKey {
  accountId: string
  environmentId: string
  environmentSlug: string
  organizationId: string | null
  name: string
  scopes: string[]
  expiresAt: Date | null
  requestsPerSecond: number | null
  createdBy: string
}

/** The text of a fresh key: `ww_<environment>_<256 random bits><checksum>`. */
export function makeKey(environmentSlug: string): string {
  const short = { production: 'live', staging: 'stg' }[environmentSlug] ?? environmentSlug
  const body = `ww_${short}_${randomBase62(SECRET_LENGTH)}`
  return body + checksum(body)
}

/** Stores a key and returns its text, which is shown this once. `given`: a key of the operator's own making. */
export async function createApiKey(platform: Platform, db: Db, spec: NewApiKey, given?: string) {
  const key = given ?? makeKey(spec.environmentSlug)
  const row = await insertApiKeyRow(db, {
    id: newId(),
    account_id: spec.accountId,
    environment_id: spec.environmentId,
    organization_id: spec.organizationId,
    name: spec.name,
    start: key.slice(0, START_LENGTH),
    key_hash: hashKey(platform, key),
    scopes: spec.scopes,
    requests_per_second: spec.requestsPerSecond,
    expires_at: spec.expiresAt,
    created_by: spec.createdBy,
  })
  return { key, row }
}

/** Looks presented keys up, through a cache that a revocation empties at once here and by notice elsewhere. */
export function findApiKey(platform: Platform): FindApiKey {
  const cache = apiKeyCache(platform)
  return async (presented) => {
    if (presented.length > 200 || isMistyped(presented)) return null
    return cache.get(cacheKey(presented.slice(0, START_LENGTH), hashKey(platform, presented)))
  }
}

export const apiKeyCache = perPlatform((platform) =>
  platform.caches.define<Principal | null>('api_keys', async (key) => {
    const at = key.lastIndexOf('/')
    const presentedHash = Buffer.from(key.slice(at + 1), 'hex')
    const rows = await findApiKeyRowsByStart(platform.db, key.slice(0, at))
    // Compared in constant time; a start that nobody has compares as well.
    const candidates = rows.length ? rows : [{ key_hash: Buffer.alloc(presentedHash.length) }]
    const matching = candidates.filter((row) => sameHash(row.key_hash, presentedHash))
    const row = rows.find((candidate) => matching.includes(candidate))
    return row ? toPrincipal(row) : null
  }),
)

export function cacheKey(start: string, hash: Buffer): string {
  return `${start}/${hash.toString('hex')}`
}

function toPrincipal(row: ApiKeyRow): Principal {
  return {
    apiKeyId: row.id,
    accountId: row.account_id,
    environmentId: row.environment_id,
    environmentSlug: row.environment_slug,
    organizationId: row.organization_id,
    scopes: row.scopes,
    requestsPerSecond: row.requests_per_second,
    expiresAt: row.expires_at,
  }
}

function hashKey(platform: Platform, key: string): Buffer {
  return keyedHash(platform.keyring.hashKey('api-key'), key)
}

/** A key of our own form whose checksum is wrong needs no look-up. Keys of the operator's own making have no form. */
function isMistyped(presented: string): boolean {
  const form = /^ww_[a-z0-9-]+_[0-9A-Za-z]{49}$/
  return form.test(presented) && checksum(presented.slice(0, -CHECKSUM_LENGTH)) !== presented.slice(-CHECKSUM_LENGTH)
}
