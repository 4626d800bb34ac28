import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { keyedHash, sameHash } from '../../../platform/crypto/tokens.ts'
import type { Platform } from '../../../platform/platform.ts'

const erasures = hashPurpose('organization-erasure')

/** A scheduled erasure. `archived_at` voids the seal of a cancelled schedule once the organization is archived again. */
export interface Schedule {
  id: string
  erase_at: Date
  archived_at: Date
}

/**
 * A keyed hash of a schedule, so that a schedule cannot be made by write access to the database alone. An old row that is put
 * back whole, with its seal, is valid again.
 */
export function sealSchedule({ keyring }: Pick<Platform, 'keyring'>, { id, erase_at, archived_at }: Schedule): Buffer {
  return keyedHash(keyring.hashKey(erasures), id, erase_at.toISOString(), archived_at.toISOString())
}

export function isSealed(platform: Pick<Platform, 'keyring'>, schedule: Schedule, seal: Buffer | null): boolean {
  return sameHash(sealSchedule(platform, schedule), seal)
}
