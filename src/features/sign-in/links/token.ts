import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import {
  ID_LENGTH,
  isTagOf,
  keyedHash,
  packId,
  randomBase62,
  SECRET_LENGTH,
  TAG_LENGTH,
  tagOf,
  unpackId,
} from '../../../platform/crypto/tokens.ts'
import { busy } from '../../../platform/errors.ts'
import { spendOne } from '../../../platform/limits/steady-rate.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import {
  type Directory,
  type EnvironmentRef,
  findDirectory,
  findNamedDirectory,
  knownDirectory,
} from '../../../platform/tenancy/directory.ts'
import { linkErrors } from './errors.ts'
import { hasUntaggedLinks } from './store.ts'

const links = hashPurpose('link')

const BODY_LENGTH = ID_LENGTH + SECRET_LENGTH

// Limits lookups of tokens without a tag, which exist for a while after an upgrade. The limit is enough for those
// links and a small load for the database.
const UNTAGGED = { perSecond: 100, burst: 200 }

/**
 * Makes a link's token: its directory, 256 random bits, and a tag. Tokens without a right tag are refused without a
 * lookup.
 */
export function makeLinkToken({ keyring }: Platform, directory: Directory): string {
  const body = packId(directory.id) + randomBase62()
  return body + tagOf(keyring.hashKey(links), body)
}

/** The hash of a token that is stored. */
export function hashLinkToken({ keyring }: Platform, directory: Directory, token: string): Buffer {
  return keyedHash(keyring.hashKey(links), directory.id, token)
}

/**
 * Whether this service may have issued a token, judged by its tag without a query. Tokens from releases without tags
 * are accepted until the last of their links has expired. Throws `unavailable` when too many such tokens arrive.
 */
export async function isLinkToken(platform: Platform, token: string): Promise<boolean> {
  if (!isWellFormed(token)) return false
  if (token.length > BODY_LENGTH)
    return isTagOf(platform.keyring.hashKey(links), token.slice(0, BODY_LENGTH), token.slice(BODY_LENGTH))
  if (!(await untaggedLinks(platform).get(''))) return false
  const rate = untaggedRate(platform)
  const { fullAtMs, waitMs } = spendOne(UNTAGGED, rate.fullAtMs, performance.now())
  rate.fullAtMs = fullAtMs
  if (waitMs > 0) throw busy()
  return true
}

const untaggedLinks = perPlatform((platform) =>
  platform.caches.define<boolean>('untagged_links', () => hasUntaggedLinks(platform.db)),
)

const untaggedRate = perPlatform(() => ({ fullAtMs: 0 }))

/** The directory that a token names. */
export interface TokenDirectory {
  directory: Directory
  /** False for a made-up token. */
  isOurs: boolean
}

/**
 * Finds the directory that a token names, or null. For a made-up token there is no lookup: the directory is returned
 * only if this process has it in its cache, so that the refusal shows the right brand.
 */
export async function findTokenDirectory(platform: Platform, token: string): Promise<TokenDirectory | null> {
  const directoryId = isWellFormed(token) ? unpackId(token.slice(0, ID_LENGTH)) : null
  if (directoryId === null) return null
  const isOurs = await isLinkToken(platform, token)
  const directory = isOurs ? await findDirectory(platform, directoryId) : knownDirectory(platform, directoryId)
  return directory && { directory, isOurs }
}

/**
 * Finds the directory of the organization that a token identifies, within the caller's environment. Refuses every
 * other token as made up, and looks up nothing for a made-up one. Throws `token_invalid`, and `unavailable` as
 * `isLinkToken` does.
 */
export async function organizationOfLinkToken(
  platform: Platform,
  environment: EnvironmentRef,
  token: string,
): Promise<Directory> {
  const place = await findTokenDirectory(platform, token)
  const found = place?.isOurs ? await findNamedDirectory(platform, environment, place.directory.id) : null
  if (!found) throw linkErrors.tokenInvalid()
  return found
}

function isWellFormed(token: string): boolean {
  return (token.length === BODY_LENGTH || token.length === BODY_LENGTH + TAG_LENGTH) && /^[0-9A-Za-z]+$/.test(token)
}
