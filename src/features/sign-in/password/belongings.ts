import { sql } from 'kysely'
import { parseImportedHash } from '../../../platform/crypto/password-cost.ts'
import { type HashedPassword, importedHashTypes } from '../../../platform/crypto/password-format.ts'
import {
  type Belonging,
  deletes,
  deletesSince,
  exportsColumns,
  isPending,
  movesAlong,
  type Step,
  type UserChange,
} from '../../../platform/lifecycle/belongings.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { isNotSetByManager, mayKeepPassword, storeImportedHash } from './store.ts'

/** Removes the password at the first proof of the mailbox. */
function removeAtProof({ directory }: TxWork, { user, keepsPassword }: UserChange): Step | null {
  if (keepsPassword) return null
  const which = mayKeepPassword(user) ? sql`and ${isNotSetByManager(sql`${user.email_norm}::text`)}` : sql``
  return {
    query: sql`
      delete from password_credentials where directory_id = ${directory.id} and user_id = ${user.id} ${which}`,
    isSilent: true,
  }
}

function belonging(
  table: 'password_credentials' | 'password_history',
  setAt: 'updated_at' | 'created_at',
  { move, exports }: Pick<Belonging, 'move' | 'exports'>,
): Belonging {
  const remove = deletes(table)
  return {
    table,
    proof: (work, change) => (change.keepsPassword ? null : remove(work, change)),
    // Normally kept: a user who knows the password may sign in again if they are active.
    cutOff: deletesSince(table, setAt),
    removal: remove,
    move,
    exports,
    isAbsent: isPending,
  }
}

/** Reads the password hash of an imported user. Returns null if there is none, or the name of the invalid field. */
function readHash({ platform }: Pick<Work, 'platform'>, fields: object): HashedPassword | null | string {
  const [text, given] = [Reflect.get(fields, 'passwordHash'), Reflect.get(fields, 'passwordHashType')]
  if (!text) return text === '' || given ? 'passwordHash' : null
  const type = importedHashTypes.find((known) => known === given)
  if (!type) return 'passwordHashType'
  const limit = platform.config.passwordCostLimit
  return (typeof text === 'string' ? parseImportedHash(type, text, limit) : null) ?? 'passwordHash'
}

/** The passwords of a user. */
export const passwordBelongings: Belonging[] = [
  {
    ...belonging('password_credentials', 'updated_at', {
      move: movesAlong('password_credentials', {
        user_id: true,
        hash: true,
        format: true,
        must_change: true,
        manager_mark: true,
        revision: true,
        created_at: true,
        updated_at: true,
      }),
      exports: exportsColumns(
        'password_credentials',
        'updated_at',
        'format must_change created_at updated_at',
        'hash revision manager_mark',
      ),
    }),
    proof: removeAtProof,
    arrival: {
      read(work, fields) {
        const read = readHash(work, fields)
        return typeof read === 'string' ? { invalid: read } : read ? 'something' : 'nothing'
      },
      async store(work, arrivals) {
        const rows = arrivals.flatMap(({ userId, fields }) => {
          const read = readHash(work, fields)
          return read && typeof read !== 'string' ? [{ userId, ...read }] : []
        })
        await storeImportedHash(work.db, work.directory, rows)
        return []
      },
    },
  },
  belonging('password_history', 'created_at', {
    move: movesAlong('password_history', { user_id: true, id: true, hash: true, format: true, created_at: true }),
    exports: exportsColumns('password_history', 'created_at', 'format created_at', 'id hash'),
  }),
]
