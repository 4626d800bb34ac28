import type { EmailAddress } from '../mail/address.ts'
import type { Platform } from '../platform.ts'
import { hashPurpose } from './keyring.ts'
import { keyedHash } from './tokens.ts'

const identities = hashPurpose('identity')

/** The key of counters, codes and links: the same for all spellings of an address (`EmailAddress.norm`). */
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
 * The key under which wrong codes of a user's second factor are counted. Not the address: a right password resets the
 * failures of the address, so someone who knows the password could guess codes forever.
 */
export function hashFactorIdentity({ keyring }: Pick<Platform, 'keyring'>, userId: string): Buffer {
  return keyedHash(keyring.hashKey(identities), 'second-factor', userId)
}
