import { hashPurpose, type Keyring } from '../../../platform/crypto/keyring.ts'
import { checksum, keyedHash, randomBase62 } from '../../../platform/crypto/tokens.ts'
import type { Tx } from '../../../platform/db/pool.ts'
import { type ErrorDetails, httpErrors } from '../../../platform/errors.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { bearerToken } from '../../../platform/tenancy/authenticate.ts'
import type { Authenticator, ScimCaller } from '../../../platform/tenancy/caller.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { findTokenRow, type TokenRow } from './store.ts'

const tokens = hashPurpose('scim-token')

const CHECKSUM_LENGTH = 6
const FORM = /^scim_[0-9A-Za-z]{49}$/
const SHOWN = 4

/** Makes a new token: `scim_<256 random bits><checksum>`. Only its row says which organization it belongs to. */
export function makeToken(): string {
  const body = `scim_${randomBase62()}`
  return body + checksum(body)
}

/** The part of a token that people see. */
export const hintOf = (token: string) => `scim_…${token.slice(-SHOWN)}`

export function hashToken(keyring: Keyring, token: string): Buffer {
  return keyedHash(keyring.hashKey(tokens), token)
}

function isWellFormed(token: string): boolean {
  return FORM.test(token) && checksum(token.slice(0, -CHECKSUM_LENGTH)) === token.slice(-CHECKSUM_LENGTH)
}

// Looked up by a hash whose key only the deployment has, so the time of a lookup does not reveal how much of a guess
// is right.
const known = perPlatform((platform) =>
  platform.caches.define<TokenRow | null>('scim_tokens', async (hash) => {
    return (await findTokenRow(platform.db, Buffer.from(hash, 'hex'))) ?? null
  }),
)

/** Makes every process look up a token again, once the transaction has committed. */
export async function forgetToken(platform: Platform, tx: Tx, hash: Buffer): Promise<void> {
  await known(platform).invalidate(tx, hash.toString('hex'))
}

/**
 * The authenticator of provisioning clients, which accepts only their token as a Bearer token (RFC 7644 §2). Throws
 * `scim_token_missing`, `scim_token_invalid`.
 */
export function scimAuthenticator(platform: Platform): Authenticator<ScimCaller> {
  return async ({ headers, lookUp }, now) => {
    const token = bearerToken(headers)
    if (token === null) throw httpErrors.scimTokenMissing({ headers: challenge() })
    if (!isWellFormed(token)) throw httpErrors.scimTokenInvalid(invalidToken)
    const cache = known(platform)
    const hash = hashToken(platform.keyring, token).toString('hex')
    const find = async () => cache.get(hash)
    const row = await (cache.has(hash) ? find() : lookUp(find))
    if (!row || (row.expires_at && row.expires_at <= now)) throw httpErrors.scimTokenInvalid(invalidToken)
    if (row.lifetime_ends_at && row.lifetime_ends_at <= now) throw httpErrors.scimTokenInvalid(expiredToken)
    const directory = await findDirectory(platform, row.directory_id)
    if (!directory) throw httpErrors.scimTokenInvalid(invalidToken)
    const { accountId, environmentId, environmentSlug, organizationId } = directory
    const place = { accountId, environmentId, environmentSlug, organizationId }
    return { kind: 'scim', actor: { type: 'scim', id: row.id }, ...place, directory }
  }
}

/** RFC 6750 §3: no error code if no token was sent. */
function challenge(error?: string): Record<string, string> {
  return { 'www-authenticate': `Bearer realm="watchword"${error ? `, error="${error}"` : ''}` }
}

/** The details of the refusal of an invalid token. */
export const invalidToken: ErrorDetails = { headers: challenge('invalid_token') }
const expiredToken: ErrorDetails = {
  ...invalidToken,
  detail:
    'The SCIM token has expired. Create a new token with POST /v1/scim/config, and enter it in the organization’s directory.',
}
