import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { SELF_SERVICE } from '../../directory/users/strangers/strangers.ts'
import { linkedConnection, type SaidNames } from '../../federation/federation/provisioned-users/provisioned-users.ts'

/** A user who matches a value that an identity provider states about a person. */
export interface MatchRow {
  /** The kind of value that matched. `subject`: the deleted user has signed in with this subject. */
  level: 'external_id' | 'user_name' | 'address' | 'secondary_address' | 'subject'
  user_id: string
  email_norm: string
  /** As the client writes it. Null if the client has never had the user. */
  user_name: string | null
  external_id: string | null
  /** Every address that the client sends, as it writes them. */
  emails: string[]
  active: boolean
  /** Whether the user signed up, perhaps still pending, and has not proved the mailbox. */
  is_unproved: boolean
  /** Whether the client currently has the user. */
  is_provisioned: boolean
  /** Whether the client has deleted the user, who is now inactive or deleted. */
  is_gone: boolean
  deleted_by_client: boolean
}

// More users with the same value make no difference.
const ENOUGH = 20

type Found = { enabled: boolean; linked_id: string | null } & (MatchRow | { level: null })

/**
 * Reads whether provisioning is enabled, to which connection it is linked, and which users have one of these values.
 * The values are folded more coarsely than identifiers are compared.
 */
export async function findMatchRows(
  db: Db,
  directory: Directory,
  said: Pick<SaidNames, 'externalIds' | 'userNames' | 'emailNorm' | 'identity'>,
): Promise<{ enabled: boolean; linkedId: string | null; rows: MatchRow[] }> {
  const { externalIds, userNames, emailNorm, identity } = said
  const names = emailNorm === null ? userNames : [...userNames, emailNorm]
  const folded = sql`array(select lower(name) from unnest(${names}::text[]) as given (name))`
  const { rows } = await sql<Found>`
    with found as (
      (select 'external_id' as level, user_id from scim_users
      where directory_id = ${directory.id} and external_id = any(${externalIds}::text[])
      order by deleted_at nulls first limit ${ENOUGH})
      union all (select 'user_name', user_id from scim_users
      where directory_id = ${directory.id} and deleted_at is null and user_name_folded = any(${folded}))
      union all (select 'user_name', user_id from scim_users
      where directory_id = ${directory.id} and deleted_at is not null and user_name_folded = any(${folded})
      limit ${ENOUGH})
      union all select 'address', id from users
      where directory_id = ${directory.id} and email_norm = ${emailNorm}::text and deleted_at is null
        and (pending_until is null or pending_until > clock_now())
      union all (select 'secondary_address', user_id from scim_user_emails
      where directory_id = ${directory.id} and value_folded = ${emailNorm}::text limit ${ENOUGH})
      union all (select 'subject', user_id from scim_users
      where directory_id = ${directory.id} and deleted_at is not null and subjects @> array[${identity}::text]
      limit ${ENOUGH})),
    people as (
      select found.level, users.id as user_id, users.email_norm, users.active,
        users.pending_until is not null or (not users.email_verified and users.source = any(${SELF_SERVICE}::text[]))
          as is_unproved, s.user_name, s.external_id,
        array(select value from scim_user_emails e where e.directory_id = ${directory.id} and e.user_id = users.id) as emails,
        users.deleted_at is not null or (s.deleted_at is not null and not users.active) as is_gone,
        coalesce(s.deleted_by_client, false) as deleted_by_client,
        s.user_id is not null and s.deleted_at is null as is_provisioned
      from found join users on users.directory_id = ${directory.id} and users.id = found.user_id
      left join scim_users s on s.directory_id = ${directory.id} and s.user_id = found.user_id)
    select coalesce(c.enabled, false) as enabled, ${linkedConnection(directory)} as linked_id, people.*
    from (values (true)) as one
    left join scim_configs c on c.directory_id = ${directory.id}
    left join people on true`.execute(db)
  const [first] = rows
  return {
    enabled: first?.enabled ?? false,
    linkedId: first?.linked_id ?? null,
    rows: rows.flatMap((row) => (row.level === null ? [] : [row])),
  }
}

/**
 * Locks names in the directory until the transaction ends, always in the same order. Does nothing if provisioning is
 * not set up.
 */
export async function lockNames(tx: Tx, directory: Directory, names: string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(directory_id::text || given.name, 0))
    from scim_configs cross join unnest(${names}::text[]) as given (name)
    where directory_id = ${directory.id}`.execute(tx)
}
