import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import { networkOf } from '../../../platform/http/client-address.ts'
import type { Platform } from '../../../platform/platform.ts'
import { readAgent } from './agent.ts'

const deviceHashes = hashPurpose('known-device')

/** The device of a sign-in, as reported by the caller. */
export interface Device {
  ip: string | null
  userAgent: string | null
}

/**
 * Hashes a device of a user. The hash does not depend on the directory, so it stays the same when the user is moved.
 */
export function hashDevice({ keyring }: Platform, userId: string, { ip, userAgent }: Device): Buffer {
  const family = userAgent === null ? '' : readAgent(userAgent).family
  return keyedHash(keyring.hashKey(deviceHashes), userId, family, ip === null ? '' : wideNetworkOf(ip))
}

/**
 * The range in which a provider changes the address of one household or office: the /24 of an IPv4 or the /48 of an
 * IPv6 address.
 */
export function wideNetworkOf(ip: string): string {
  const network = networkOf(ip)
  return network.includes(':')
    ? `${network.split(':').slice(0, 3).join(':')}::/48`
    : `${network.split('.').slice(0, 3).join('.')}.0/24`
}
