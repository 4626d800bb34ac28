import { sql } from 'kysely'
import { type Belonging, deletes, exportsColumns, isPending } from '../../../platform/lifecycle/belongings.ts'

const KEPT = 'What the client said of the user stays true.'

/** A user's data from a provisioning client. */
export const provisioningBelongings: Belonging[] = [
  {
    table: 'scim_users',
    proof: { kept: KEPT },
    cutOff: { kept: KEPT },
    // The client may add the same person again.
    removal: ({ directory }, { user }) => ({
      query: sql`
        update scim_users set deleted_at = clock_now()
        where directory_id = ${directory.id} and user_id = ${user.id} and deleted_at is null`,
      isSilent: true,
    }),
    move: deletes('scim_users'),
    exports: exportsColumns(
      'scim_users',
      'created_at',
      'user_name external_id resource created_at deleted_at deleted_by_client subjects',
      'user_name_folded',
    ),
    isAbsent: isPending,
  },
  {
    table: 'scim_user_emails',
    proof: { kept: KEPT },
    cutOff: { kept: KEPT },
    removal: { kept: 'It goes with what the client said of the user.' },
    move: deletes('scim_user_emails'),
    exports: exportsColumns('scim_user_emails', 'n', 'value type is_primary', 'n value_folded'),
    isAbsent: isPending,
  },
  {
    table: 'scim_user_versions',
    proof: { kept: KEPT },
    cutOff: { kept: KEPT },
    removal: { kept: 'The client may bring the same person back, whose versions go on.' },
    purged: true,
    move: deletes('scim_user_versions'),
    exports: { nothing: 'How often what the client is shown has changed.' },
    isAbsent: isPending,
  },
]
