import { sql } from 'kysely'
import { type Belonging, comesAlong, goes, isPending } from '../../platform/belongings.ts'

/** What a user has of policies: the time to enroll a factor. */
export const graceBelongings: Belonging[] = [
  {
    table: 'mfa_grace',
    proof: { stays: 'Nobody gains time by proving the mailbox.' },
    cutOff: { stays: 'Nobody gains time by being cut off.' },
    removal: goes('mfa_grace'),
    // Where the user has been there before, what ends first counts.
    move: comesAlong(
      'mfa_grace',
      { user_id: true, ends_at: true, created_at: true },
      {
        onConflict: sql`
          on conflict (directory_id, user_id) do update set ends_at = least(put.ends_at, excluded.ends_at)`,
      },
    ),
    isAbsent: isPending,
  },
]
