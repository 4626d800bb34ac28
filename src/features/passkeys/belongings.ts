import { sql } from 'kysely'
import { type Belonging, comesAlong, goes, isPending, type UserChange } from '../../platform/belongings.ts'
import type { TxWork } from '../../platform/work.ts'
import { voidCeremonies } from './ceremony-store.ts'

const remove = goes('passkeys', { passkey_count: 0 })

const voided = ({ db, directory }: TxWork, { user }: UserChange) => ({ query: voidCeremonies(db, directory, user.id) })

/** What a user has of passkeys. */
export const passkeyBelongings: Belonging[] = [
  {
    table: 'passkeys',
    proof: (work, change) => (change.keepsFactors ? null : remove(work, change)),
    cutOff: { stays: 'Whoever holds the passkey may sign in again, if the user may.' },
    removal: remove,
    // They keep working if both directories have the same relying party. A credential that is there already stays away.
    move: comesAlong(
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
        columns: (moved) => ({ passkey_count: sql<number>`(select count(*)::int from ${sql.ref(moved)})` }),
      },
    ),
    isAbsent: (user) => user.passkey_count === 0,
  },
  { table: 'webauthn_ceremonies', proof: voided, cutOff: voided, removal: voided, move: voided, isAbsent: isPending },
]
