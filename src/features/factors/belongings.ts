import { sql } from 'kysely'
import {
  type Belonging,
  comesAlong,
  goes,
  isPending,
  type UserChange,
  type UserTable,
} from '../../platform/belongings.ts'
import type { TxWork } from '../../platform/work.ts'

/** Removes what is pending: it is not the user's yet. */
function pendingGoes(table: 'totp_enrollments' | 'mfa_phones') {
  return ({ directory }: TxWork, { user }: UserChange) => ({
    query: sql`
      delete from ${sql.table(table)}
      where directory_id = ${directory.id} and user_id = ${user.id} and confirmed_at is null`,
  })
}

function belonging(table: UserTable, fates: Pick<Belonging, 'cutOff' | 'move'>): Belonging {
  // The first proof takes all of them or none, so that none is left to sum up.
  const remove = goes(table, { mfa_enrolled: false })
  const proof: Belonging['proof'] = (work, change) => (change.keepsFactors ? null : remove(work, change))
  return { table, proof, removal: remove, ...fates, isAbsent: isPending }
}

const confirmed = { only: sql`confirmed_at is not null` }

/** What a user has of second factors. */
export const factorBelongings: Belonging[] = [
  belonging('totp_enrollments', {
    cutOff: pendingGoes('totp_enrollments'),
    move: comesAlong(
      'totp_enrollments',
      {
        user_id: true,
        id: true,
        secret_sealed: true,
        last_step: true,
        attempts: true,
        confirmed_at: true,
        expires_at: true,
        created_at: true,
      },
      confirmed,
    ),
  }),
  belonging('mfa_phones', {
    cutOff: pendingGoes('mfa_phones'),
    move: comesAlong(
      'mfa_phones',
      {
        user_id: true,
        id: true,
        phone: true,
        code_hash: true,
        attempts: true,
        confirmed_at: true,
        expires_at: true,
        created_at: true,
      },
      confirmed,
    ),
  }),
  {
    ...belonging('backup_codes', {
      cutOff: { stays: 'They are factors of the user, as the app is that they came with.' },
      move: comesAlong('backup_codes', { user_id: true, slot: true, hash: true, created_at: true }),
    }),
    // They come and go with an app.
    isAbsent: (user) => !user.mfa_enrolled,
  },
]
