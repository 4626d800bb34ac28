import { isDamaged, isMistyped, MAX_KEY_LENGTH, makeKey, startOf } from '../../../platform/crypto/api-key.ts'
import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import { httpErrors } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { readNetworks } from '../../../platform/outbound/addresses.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { CHALLENGE, type Presenting } from '../../../platform/tenancy/authenticate.ts'
import type { KeyCaller } from '../../../platform/tenancy/caller.ts'
import { grantsOfKey } from '../../../platform/tenancy/grants.ts'
import { noteKeyRefusal, noteKeyUse } from './key-use.ts'
import {
  type ApiKeyRow,
  deleteKeyRows,
  findApiKeyRow,
  insertApiKeyRow,
  keyOfPreviousSecret,
  listApiKeyRows,
  listKeysOfOrganization,
} from './store.ts'

const apiKeys = hashPurpose('api-key')

export interface NewApiKey {
  accountId: string
  environmentId: string
  environmentSlug: string
  organizationId: string | null
  name: string
  scopes: string[]
  expiresAt: Date | null
  requestsPerSecond: number | null
  /** Addresses and CIDR ranges; absent or null: any address. */
  allowedIps?: readonly string[] | null
  createdBy: string
}

/**
 * Stores a key and returns its text, which is shown only once. Pass a key that the operator made as `given`. Throws
 * `invalid_request` for an environment of another account or organization.
 */
export async function createApiKey(
  platform: Platform,
  db: Db,
  spec: NewApiKey,
  given?: string,
): Promise<{ key: string; row: ApiKeyRow }> {
  const key = given ?? makeKey(spec.environmentSlug)
  const row = await insertApiKeyRow(db, {
    id: newId(),
    account_id: spec.accountId,
    environment_id: spec.environmentId,
    organization_id: spec.organizationId,
    name: spec.name,
    ...secretOf(platform, key),
    scopes: spec.scopes,
    requests_per_second: spec.requestsPerSecond,
    expires_at: spec.expiresAt,
    allowed_ips: spec.allowedIps ? [...spec.allowedIps] : null,
    created_by: spec.createdBy,
  })
  if (!row)
    throw httpErrors.invalidRequest({
      detail:
        spec.organizationId === null
          ? `The environment ${spec.environmentSlug} accepts only keys of the organization that it belongs to.`
          : `The organization does not exist in the environment ${spec.environmentSlug}.`,
    })
  return { key, row: { ...row, environment_slug: spec.environmentSlug } }
}

/**
 * The stored columns of a key: its public start, by which people recognize it, and the keyed hash that it is looked
 * up by.
 */
export function secretOf(platform: Platform, key: string): { start: string; key_hash: Buffer } {
  return { start: startOf(key), key_hash: hashKey(platform, key) }
}

/** All keys of an account, including revoked ones, oldest first. */
export async function listApiKeys(db: Db, accountId: string): Promise<ApiKeyRow[]> {
  return listApiKeyRows(db, { accountId, environmentId: null, organizationId: null })
}

/** The ids of the keys of an organization, in every environment, including revoked ones. */
export async function listKeyIdsOfOrganization(db: Db, organizationId: string): Promise<string[]> {
  return (await listKeysOfOrganization(db, organizationId)).map(({ id }) => id)
}

/**
 * Deletes an organization's keys. They stop working at once in this process, and in others when NOTIFY reaches them.
 */
export async function deleteKeysOfOrganization(platform: Platform, db: Tx, organizationId: string): Promise<void> {
  const keys = await listKeysOfOrganization(db, organizationId)
  const ids = keys.map(({ id }) => id)
  await deleteKeyRows(db, ids)
  for (const { key_hash } of keys) await apiKeyCache(platform).invalidate(db, cacheKey(key_hash))
}

/**
 * Looks up presented keys through a cache. A revocation invalidates the cache at once in this process, and by NOTIFY
 * in others. Records the use of live keys, with `ip` if it is known. Throws `api_key_ip_not_allowed`, and
 * `api_key_invalid` if the key is an access token or damaged, to say so.
 */
export function findApiKey(platform: Platform) {
  const cache = apiKeyCache(platform)
  return async (presented: string, { ip, lookUp, now }: Presenting): Promise<KeyCaller | null> => {
    const find = (known: string) => (cache.has(known) ? cache.get(known) : lookUp(() => cache.get(known)))
    const isKey = presented.length <= MAX_KEY_LENGTH && !isMistyped(presented)
    const caller = isKey ? await find(cacheKey(hashKey(platform, presented))) : null
    // Checked only if no key was found, since a key that the operator made may look like a token.
    if (!caller && isToken(presented)) throw httpErrors.apiKeyInvalid({ headers: CHALLENGE, detail: TOKEN_SENT })
    if (!caller && isDamaged(presented)) throw httpErrors.apiKeyInvalid({ headers: CHALLENGE, detail: DAMAGED })
    const lives = caller && !(caller.bounds.expiresAt && caller.bounds.expiresAt <= now)
    if (!lives) return caller
    assertAllowedFrom(platform, caller, ip)
    noteKeyUse(platform, caller.credentialId, ip, now)
    return { ...caller, ip }
  }
}

/** The caller in the cache, with its allowed networks parsed. */
interface CachedKey extends KeyCaller {
  /** Null: any address. */
  isAllowedFrom: ((address: string) => boolean) | null
}

function assertAllowedFrom(platform: Platform, { credentialId, isAllowedFrom }: CachedKey, ip: string | null): void {
  // The zone of an IPv6 address means something only on this machine (RFC 4007 §11.2).
  if (!isAllowedFrom || (ip !== null && isAllowedFrom(ip.replace(/%.*$/, '')))) return
  noteKeyRefusal(platform, credentialId)
  throw httpErrors.apiKeyIpNotAllowed()
}

const TOKEN_SENT = 'An access token was sent, but this route needs an API key: send one in the header X-API-Key.'

const DAMAGED = 'The key is mistyped or cut off: copy it whole.'

/** Whether the text looks like a JWT, as access tokens do. */
function isToken(presented: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(presented)
}

// Keys are looked up by a hash whose secret only the deployment has, so the time of a look-up does not reveal how
// much of a guess is right.
export const apiKeyCache = perPlatform((platform) =>
  platform.caches.define<CachedKey | null>('api_keys', async (address) => {
    const row = await findApiKeyRow(platform.db, Buffer.from(address, 'hex'))
    return row ? toCaller(row) : null
  }),
)

export function cacheKey(hash: Buffer): string {
  return hash.toString('hex')
}

function toCaller(row: ApiKeyRow): CachedKey {
  return {
    isAllowedFrom: row.allowed_ips && readNetworks(row.allowed_ips),
    kind: 'key',
    actor: { type: 'api_key', id: row.id },
    credentialId: row.id,
    accountId: row.account_id,
    environmentId: row.environment_id,
    environmentSlug: row.environment_slug,
    organizationId: row.organization_id,
    grants: grantsOfKey(row.scopes),
    bounds: { requestsPerSecond: row.requests_per_second, expiresAt: row.expires_at, allowedIps: row.allowed_ips },
    rateKeyId: keyOfPreviousSecret(row),
    ip: null,
  }
}

function hashKey(platform: Platform, key: string): Buffer {
  return keyedHash(platform.keyring.hashKey(apiKeys), key)
}
