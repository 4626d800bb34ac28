import { sql } from 'kysely'
import {
  type Belonging,
  deletes,
  deletesSince,
  exportsColumns,
  isPending,
  movesAlong,
  type Step,
  sinceOf,
  type UserChange,
} from '../../../platform/lifecycle/belongings.ts'
import type { TxWork } from '../../../platform/work.ts'
import { aboutUser, type MfaMethod } from '../../access/mfa/mfa.ts'
import { totpArrival } from './arrival.ts'
import { type Factor, removedMail } from './emails.ts'
import { factorEvents } from './events.ts'

type FactorTable = 'totp_enrollments' | 'mfa_phones'

// The first proof of the mailbox removes all factors or none, so there are no remaining factors to count.
const NONE = { mfa_enrolled: false }

/** Removes a pending factor, which does not belong to the user yet. */
function pendingGoes(table: FactorTable) {
  // Table by name: one of the two tables of `FactorTable`.
  return ({ directory }: TxWork, { user }: UserChange): Step => ({
    query: sql`
      delete from ${sql.table(table)}
      where directory_id = ${directory.id} and user_id = ${user.id} and confirmed_at is null`,
    isSilent: true,
  })
}

interface Removed {
  user_id: string
  was_confirmed: boolean
}

function belonging(
  table: FactorTable,
  { factor, method, move, exports }: Pick<Belonging, 'move' | 'exports'> & { factor: Factor; method: MfaMethod },
): Belonging<Removed> {
  const pending = pendingGoes(table)
  return {
    table,
    proof: (work, change) => (change.keepsFactors ? pending(work, change) : removeAndTell(table, work, change)),
    cutOff: (work, change) =>
      change.sinceSeconds === undefined ? pending(work, change) : removeSince(table, change.sinceSeconds)(work, change),
    // A restored user gets confirmed factors back: an administrator who may delete and restore users may not remove
    // factors.
    removal: pending,
    purged: true,
    move,
    exports,
    isAbsent: isPending,
    announce: {
      event: factorEvents.removed,
      of: ({ user_id, was_confirmed }) => (was_confirmed ? factorEvents.removed(aboutUser(user_id, { method })) : null),
      onProofAlone: true,
    },
    tell: (rows, { user, sinceSeconds }) =>
      rows.some((row) => row.was_confirmed)
        ? removedMail(user, factor, sinceSeconds === undefined ? 'proof' : 'act')
        : null,
  }
}

function removeAndTell(table: FactorTable, { directory }: TxWork, { user }: UserChange): Step {
  // Table by name: one of the two tables of `FactorTable`.
  return {
    query: sql`
      delete from ${sql.table(table)} where directory_id = ${directory.id} and user_id = ${user.id}
      returning user_id, confirmed_at is not null as was_confirmed`,
    columns: () => NONE,
  }
}

/** Removes pending factors, and those confirmed in the last `seconds`, which an intruder may have set up. */
function removeSince(table: FactorTable, seconds: number) {
  // Table by name: one of the two tables of `FactorTable`.
  return ({ directory }: TxWork, { user }: UserChange): Step => {
    const isOlder = (other: FactorTable) => sql`exists (
      select from ${sql.table(other)} as other where other.directory_id = ${directory.id} and other.user_id = ${user.id}
        and other.confirmed_at < ${sinceOf(seconds)})`
    return {
      query: sql`
        delete from ${sql.table(table)} where directory_id = ${directory.id} and user_id = ${user.id}
          and (confirmed_at is null or confirmed_at >= ${sinceOf(seconds)})
        returning user_id, confirmed_at is not null as was_confirmed`,
      columns: () => ({ mfa_enrolled: sql<boolean>`${isOlder('totp_enrollments')} or ${isOlder('mfa_phones')}` }),
    }
  }
}

const removeCodes = deletes('backup_codes', NONE)

const confirmed = { only: sql`confirmed_at is not null` }

/** The second factors of a user. */
export const factorBelongings: Belonging[] = [
  {
    ...belonging('totp_enrollments', {
      factor: 'app',
      method: 'totp',
      move: movesAlong(
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
      exports: exportsColumns(
        'totp_enrollments',
        'created_at',
        'id confirmed_at expires_at created_at',
        'secret_sealed last_step attempts',
      ),
    }),
    arrival: totpArrival,
  },
  belonging('mfa_phones', {
    factor: 'phone',
    method: 'sms',
    move: movesAlong(
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
    exports: exportsColumns(
      'mfa_phones',
      'created_at',
      'id phone confirmed_at expires_at created_at',
      'code_hash attempts',
    ),
  }),
  {
    table: 'backup_codes',
    proof: (work, change) => (change.keepsFactors ? null : removeCodes(work, change)),
    // Backup codes are factors of the user, as the app is with which they were issued.
    cutOff: deletesSince('backup_codes', 'created_at'),
    removal: { kept: 'They come back with the user, as the app does.' },
    purged: true,
    move: movesAlong('backup_codes', { user_id: true, slot: true, hash: true, created_at: true }),
    exports: exportsColumns('backup_codes', 'created_at', 'created_at', 'slot hash'),
    // Backup codes are issued and removed together with an app.
    isAbsent: (user) => !user.mfa_enrolled,
  },
]
