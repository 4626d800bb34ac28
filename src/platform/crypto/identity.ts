import type { Platform } from '../platform.ts'
import { keyedHash } from './tokens.ts'

/** What counters, codes and links are filed under: all spellings of an address (`EmailAddress.norm`) share it. */
export function hashIdentity({ keyring }: Pick<Platform, 'keyring'>, emailNorm: string): Buffer {
  return keyedHash(keyring.hashKey('identity'), emailNorm)
}
