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

/** The hash by which a device of a user is known. The same user has the same wherever they are moved. */
export function hashDevice({ keyring }: Platform, userId: string, { ip, userAgent }: Device): Buffer {
  const family = userAgent === null ? '' : readAgent(userAgent).family
  return keyedHash(keyring.hashKey(deviceHashes), userId, family, ip === null ? '' : wideNetworkOf(ip))
}

/** What a provider hands out to one household or office over time: the /24 of an IPv4 address, the /48 of an IPv6 one. */
export function wideNetworkOf(ip: string): string {
  const network = networkOf(ip)
  return network.includes(':')
    ? `${network.split(':').slice(0, 3).join(':')}::/48`
    : `${network.split('.').slice(0, 3).join('.')}.0/24`
}
