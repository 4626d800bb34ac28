import { sql } from 'kysely'
import {
  type Belonging,
  deletes,
  exportsColumns,
  isPending,
  movesAlong,
} from '../../../platform/lifecycle/belongings.ts'

const removeDevices = deletes('trusted_devices')

/** A user's grace period to enroll a factor, and the devices that replace a second factor. */
export const mfaBelongings: Belonging[] = [
  {
    table: 'mfa_grace',
    proof: { kept: 'A proof of the mailbox extends no grace period.' },
    cutOff: { kept: 'A cut-off extends no grace period.' },
    removal: { kept: 'Deleting and restoring a user extends no grace period.' },
    purged: true,
    // If the user was in that directory before, the earlier end counts.
    move: movesAlong(
      'mfa_grace',
      { user_id: true, ends_at: true, began_at: true, created_at: true },
      {
        onConflict: sql`
          on conflict (directory_id, user_id) do update set ends_at = least(put.ends_at, excluded.ends_at)`,
      },
    ),
    exports: exportsColumns('mfa_grace', 'created_at', 'ends_at began_at created_at', ''),
    isAbsent: isPending,
  },
  {
    table: 'trusted_devices',
    proof: (work, change) => (change.keepsFactors ? null : removeDevices(work, change)),
    cutOff: (work, change) => (change.keepsSessions && !change.devices ? null : removeDevices(work, change)),
    removal: removeDevices,
    // The organization that the user leaves decided to trust these devices.
    move: removeDevices,
    exports: exportsColumns(
      'trusted_devices',
      'created_at',
      'id user_agent created_at last_used_at expires_at',
      'token_hash',
    ),
    isAbsent: isPending,
  },
]
