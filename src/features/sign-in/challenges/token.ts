import { keyedHash, randomBase62, SECRET_LENGTH } from '../../../platform/crypto/tokens.ts'
import { networkOf } from '../../../platform/http/client-address.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import { mfaHashes } from '../../access/mfa/mfa.ts'

/** The purpose of a token. A token made for one purpose is never accepted for the other (ASVS 6.6.2). */
const PREFIXES = { challenge: 'mfa_', 'step-up': 'sup_' }
export type TokenUse = keyof typeof PREFIXES

/** The hash of a token, and the hash of the network that received the token. */
export interface HashedToken {
  hash: Buffer
  /** Null where the client's address is unknown. */
  network: Buffer | null
}

/**
 * Makes a token that only works from the network of the end user, as the application's backend reports it. A sign-in
 * at a provider ends in the user's own browser. The backend may later report no address for it, or one of the other IP
 * family, so the token of such a sign-in is not bound to a network.
 */
export function makeToken(work: Work, use: TokenUse = 'challenge'): HashedToken & { token: string } {
  const token = PREFIXES[use] + randomBase62()
  const { hash, network } = hashed(work, use, token)
  return { token, hash, network: work.origin.actor.type === 'api_key' ? network : null }
}

/** Reads the token that a client presents. Returns null if it has the wrong form. */
export function readToken(work: Work, text: string, use: TokenUse = 'challenge'): HashedToken | null {
  const prefix = PREFIXES[use]
  const looksRight = text.startsWith(prefix) && text.length === prefix.length + SECRET_LENGTH
  return looksRight ? hashed(work, use, text) : null
}

function hashed({ platform, origin }: Work, use: TokenUse, token: string): HashedToken {
  const { ip } = origin.endUser
  return {
    hash: keyedHash(platform.keyring.hashKey(mfaHashes), use, token),
    network: ip === null ? null : hashNetwork(platform, ip),
  }
}

/** IP addresses are personal data, so only a keyed hash is stored. */
function hashNetwork(platform: Platform, ip: string): Buffer {
  return keyedHash(platform.keyring.hashKey(mfaHashes), 'network', networkOf(ip))
}
