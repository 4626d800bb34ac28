import { sql } from 'kysely'
import {
  type Belonging,
  deletes,
  exportsColumns,
  isPending,
  movesAlong,
  sinceOf,
} from '../../../platform/lifecycle/belongings.ts'

/** The known devices of a user. */
export const deviceBelongings: Belonging[] = [
  {
    table: 'known_devices',
    proof: { kept: 'None is noted before the mailbox is proved.' },
    cutOff: ({ directory }, { user, sinceSeconds }) =>
      sinceSeconds === undefined
        ? null
        : {
            query: sql`update known_devices set seen_at = 'epoch' where directory_id = ${directory.id} and user_id = ${user.id}
        and first_seen_at >= ${sinceOf(sinceSeconds)}`,
            isSilent: true,
          },
    removal: deletes('known_devices'),
    move: movesAlong(
      'known_devices',
      { user_id: true, device_hash: true, is_first: true, first_seen_at: true, seen_at: true },
      {
        onConflict: sql`on conflict (directory_id, user_id, device_hash)
          do update set seen_at = greatest(put.seen_at, excluded.seen_at)`,
      },
    ),
    exports: exportsColumns('known_devices', 'seen_at', 'is_first first_seen_at seen_at', 'device_hash'),
    isAbsent: isPending,
  },
]
