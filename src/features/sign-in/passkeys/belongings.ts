import { sql } from 'kysely'
import {
  type Belonging,
  createdSince,
  exportsColumns,
  isPending,
  movesAlong,
  type Step,
  type UserChange,
} from '../../../platform/lifecycle/belongings.ts'
import type { TxWork } from '../../../platform/work.ts'
import { voidCeremonies } from './ceremony-store.ts'
import { passkeyDeletedMail } from './emails.ts'
import { passkeyEvents } from './events.ts'
import { toPasskey } from './schema.ts'

/** A passkey as JSON. */
type RemovedPasskey = Omit<Parameters<typeof toPasskey>[0], 'created_at' | 'last_used_at'> & {
  auth_account_id: string | null
  created_at: string
  last_used_at: string | null
}

function removeAndTell({ directory }: TxWork, change: UserChange): Step {
  return {
    query: sql`
      delete from passkeys where directory_id = ${directory.id} and user_id = ${change.user.id} ${createdSince(change)}
      returning id, user_id, credential_id, transports, device_type, backed_up, aaguid, device_name, rp_id, created_at,
        last_used_at, ${change.user.auth_account_id}::uuid as auth_account_id`,
    columns: (gone) => ({ passkey_count: sql<number>`users.passkey_count - (select count(*) from ${sql.ref(gone)})` }),
  }
}

function toRemoved({ created_at, last_used_at, ...row }: RemovedPasskey) {
  const lastUsedAt = last_used_at === null ? null : new Date(last_used_at)
  return toPasskey({ ...row, created_at: new Date(created_at), last_used_at: lastUsedAt }, row)
}

const voided = ({ db, directory }: TxWork, { user }: UserChange) => ({ query: voidCeremonies(db, directory, user.id) })

const endsAnyway = { proof: voided, cutOff: voided, removal: voided, move: voided }

/** `{ user_id }` is a passkey that moved with its user. */
type Row = RemovedPasskey | { user_id: string }

const nameOf = (row: Row) => ('id' in row ? toRemoved(row).deviceName : null)

const passkeys: Belonging<Row> = {
  table: 'passkeys',
  proof: (work, change) => (change.keepsFactors ? null : removeAndTell(work, change)),
  cutOff: (work, change) => (change.sinceSeconds === undefined ? null : removeAndTell(work, change)),
  removal: { kept: 'They come back with the user, if anybody restores them.' },
  purged: true,
  // Passkeys keep working if both directories have the same relying party. If the target already has a credential, it
  // is not moved.
  move: movesAlong(
    'passkeys',
    {
      id: true,
      user_id: true,
      credential_id: true,
      public_key: true,
      counter: true,
      transports: true,
      device_type: true,
      backed_up: true,
      aaguid: true,
      device_name: true,
      rp_id: true,
      user_handle: true,
      created_at: true,
      last_used_at: true,
    },
    {
      onConflict: sql`on conflict (directory_id, credential_id) do nothing`,
      isTold: true,
      columns: (moved) => ({ passkey_count: sql<number>`(select count(*)::int from ${sql.ref(moved)})` }),
    },
  ),
  exports: exportsColumns(
    'passkeys',
    'created_at',
    'id credential_id transports device_type backed_up aaguid device_name rp_id created_at last_used_at',
    'public_key counter user_handle',
  ),
  isAbsent: (user) => user.passkey_count === 0,
  announce: {
    event: passkeyEvents.deleted,
    of(row) {
      if (!('id' in row)) return null
      const data = toRemoved(row)
      return passkeyEvents.deleted({ target: { type: 'passkey', id: data.id }, data })
    },
    onProofAlone: true,
  },
  tell(rows, change) {
    const lost = 'to' in change ? Array<null>(change.user.passkey_count - rows.length).fill(null) : rows.map(nameOf)
    return lost.length > 0 ? passkeyDeletedMail(change.user, lost) : null
  },
}

/** The passkeys of a user. */
export const passkeyBelongings: Belonging[] = [
  passkeys,
  { table: 'webauthn_ceremonies', ...endsAnyway, exports: { nothing: 'One lasts minutes.' }, isAbsent: isPending },
]
