import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { keyedHash, sameHash } from '../../../platform/crypto/tokens.ts'
import type { Platform } from '../../../platform/platform.ts'

const erasures = hashPurpose('organization-erasure')

/**
 * A scheduled erasure. It includes `archived_at`, so that the seal of a cancelled schedule is void when the
 * organization is archived again.
 */
export interface Schedule {
  id: string
  erase_at: Date
  archived_at: Date
}

/**
 * A keyed hash of a schedule: write access to the database alone cannot create a valid schedule. It does not protect
 * against putting back an old row with its seal.
 */
export function sealSchedule({ keyring }: Pick<Platform, 'keyring'>, { id, erase_at, archived_at }: Schedule): Buffer {
  return keyedHash(keyring.hashKey(erasures), id, erase_at.toISOString(), archived_at.toISOString())
}

export function isSealed(platform: Pick<Platform, 'keyring'>, schedule: Schedule, seal: Buffer | null): boolean {
  return sameHash(sealSchedule(platform, schedule), seal)
}
