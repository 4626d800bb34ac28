import type { EmailAddress } from '../mail/address.ts'
import type { Platform } from '../platform.ts'
import { hashPurpose } from './keyring.ts'
import { keyedHash } from './tokens.ts'

const identities = hashPurpose('identity')

/**
 * The identity under which counters, codes and links are stored. It is the same for all spellings of an address
 * (`EmailAddress.norm`).
 */
export function hashIdentity({ keyring }: Pick<Platform, 'keyring'>, emailNorm: string): Buffer {
  return keyedHash(keyring.hashKey(identities), emailNorm)
}

/** An address, and the keyed hash under which its codes, links and counters are stored. */
export interface Identity {
  address: EmailAddress
  hash: Buffer
}

export function identify(platform: Pick<Platform, 'keyring'>, address: EmailAddress): Identity {
  return { address, hash: hashIdentity(platform, address.norm) }
}

/**
 * The identity under which wrong codes of a user's second factor are counted. It differs from the address's, because a
 * right password resets the failures of the address: someone who knows the password could otherwise guess codes
 * forever.
 */
export function hashFactorIdentity({ keyring }: Pick<Platform, 'keyring'>, userId: string): Buffer {
  return keyedHash(keyring.hashKey(identities), 'second-factor', userId)
}
