import { sql } from 'kysely'
import {
  type Belonging,
  createdSince,
  deletes,
  exportsColumns,
  isPending,
  type Step,
  type UserChange,
} from '../../../platform/lifecycle/belongings.ts'
import type { TxWork } from '../../../platform/work.ts'
import { federationEvents } from './events.ts'
import { toIdentity } from './schema.ts'

type Row = Parameters<typeof toIdentity>[0] & { auth_account_id: string | null }

function unlink({ directory }: TxWork, change: UserChange): Step {
  return {
    query: sql`
      delete from identities where directory_id = ${directory.id} and user_id = ${change.user.id} ${createdSince(change)}
      returning id, user_id, method, source, issuer, subject, email, created_at, last_used_at,
        ${change.user.auth_account_id}::uuid as auth_account_id`,
  }
}

const identities: Belonging<Row> = {
  table: 'identities',
  // Another person may have created the link before the mailbox was proved.
  proof: unlink,
  // The links stay: a user who becomes active again may sign in at the provider again.
  cutOff: (work, change) => (change.sinceSeconds === undefined ? null : unlink(work, change)),
  removal: unlink,
  // Connections and social applications belong to the organization that the user leaves, so links are not valid
  // elsewhere.
  move: unlink,
  exports: exportsColumns(
    'identities',
    'created_at',
    'id method source issuer subject sector email external_ids user_names principal_names linked_address_norm address_norm last_address_norm last_principal_names created_at last_used_at',
    '',
  ),
  isAbsent: isPending,
  announce: {
    event: federationEvents.unlinked,
    of: (row) => federationEvents.unlinked({ target: { type: 'identity', id: row.id }, data: toIdentity(row, row) }),
  },
}

/** The identities of a user at providers. */
export const federationBelongings: Belonging[] = [
  identities,
  {
    table: 'exchange_codes',
    proof: deletes('exchange_codes'),
    cutOff: deletes('exchange_codes'),
    removal: deletes('exchange_codes'),
    move: deletes('exchange_codes'),
    exports: { nothing: 'A sign-in under way, of a minute or two.' },
    isAbsent: isPending,
  },
]
