import { keyedHash, randomBase62, SECRET_LENGTH } from '../../../platform/crypto/tokens.ts'
import { networkOf } from '../../../platform/http/client-address.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import { mfaHashes } from '../../access/mfa/mfa.ts'

/** What a token is for: one that was made for one is never accepted for the other (ASVS 6.6.2). */
const PREFIXES = { challenge: 'mfa_', 'step-up': 'sup_' }
export type TokenUse = keyof typeof PREFIXES

/** What is stored of a token and the network that it was given to. */
export interface HashedToken {
  hash: Buffer
  /** Null where the client's address is unknown. */
  network: Buffer | null
}

/**
 * A fresh token for the client of this request, of the network that the application's backend has told. Who comes back
 * from a provider shows an address of their own, of which the backend may tell nothing later, or one of the other family.
 */
export function makeToken(work: Work, use: TokenUse = 'challenge'): HashedToken & { token: string } {
  const token = PREFIXES[use] + randomBase62()
  const { hash, network } = hashed(work, use, token)
  return { token, hash, network: work.origin.actor.type === 'api_key' ? network : null }
}

/** What a client presents; null when it cannot be a token. */
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

/** IP addresses are personal data: only a keyed hash is stored. */
function hashNetwork(platform: Platform, ip: string): Buffer {
  return keyedHash(platform.keyring.hashKey(mfaHashes), 'network', networkOf(ip))
}
