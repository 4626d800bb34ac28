import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { keyedHash, sameHash } from '../../../platform/crypto/tokens.ts'
import type { Platform } from '../../../platform/platform.ts'

const erasures = hashPurpose('organization-erasure')

/** What an erasure is scheduled by. Both moments: a schedule that was cancelled is void after another archiving. */
export interface Schedule {
  id: string
  erase_at: Date
  archived_at: Date
}

/** A keyed hash of a schedule, so that write access to the database alone does not have an organization erased. */
export function sealSchedule({ keyring }: Pick<Platform, 'keyring'>, { id, erase_at, archived_at }: Schedule): Buffer {
  return keyedHash(keyring.hashKey(erasures), id, erase_at.toISOString(), archived_at.toISOString())
}

export function isSealed(platform: Pick<Platform, 'keyring'>, schedule: Schedule, seal: Buffer | null): boolean {
  return sameHash(sealSchedule(platform, schedule), seal)
}
