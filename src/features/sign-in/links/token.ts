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

// Looked up without a tag to vouch for them, for as long as such links are about: what a deployment that has just been
// upgraded may see of them, and a trifle for the database.
const UNTAGGED = { perSecond: 100, burst: 200 }

/** A link's token: its directory, 256 random bits, and a tag, without which no text is looked up. */
export function makeLinkToken({ keyring }: Platform, directory: Directory): string {
  const body = packId(directory.id) + randomBase62()
  return body + tagOf(keyring.hashKey(links), body)
}

/** What is stored of a token. */
export function hashLinkToken({ keyring }: Platform, directory: Directory, token: string): Buffer {
  return keyedHash(keyring.hashKey(links), directory.id, token)
}

/**
 * Whether a token may be one of ours: by its tag, without asking the database. Tokens of links from before there were
 * tags pass until the last of these has expired. Throws `unavailable` when too many of them come.
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

/** Where a token says that it belongs. */
export interface TokenDirectory {
  directory: Directory
  /** False for a made-up token. */
  isOurs: boolean
}

/**
 * The directory that a token names; null if there is none. That of a made-up token is not looked up: it is told if this
 * process knows it, so that the refusal has its brand.
 */
export async function findTokenDirectory(platform: Platform, token: string): Promise<TokenDirectory | null> {
  const directoryId = isWellFormed(token) ? unpackId(token.slice(0, ID_LENGTH)) : null
  if (directoryId === null) return null
  const isOurs = await isLinkToken(platform, token)
  const directory = isOurs ? await findDirectory(platform, directoryId) : knownDirectory(platform, directoryId)
  return directory && { directory, isOurs }
}

/**
 * The directory of the organization that a token identifies, within the environment of the caller. Refuses every other token
 * as made up, without a lookup if it is. Throws `token_invalid`, and `unavailable` as `isLinkToken` does.
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
