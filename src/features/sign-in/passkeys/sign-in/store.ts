import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../../../platform/db/pool.ts'
import type { Directory } from '../../../../platform/tenancy/directory.ts'
import type { PasskeyRow } from '../store.ts'

/** Lists the passkeys at a relying party of the user with an address. Empty if no user has the address. */
export async function listPasskeysOfAddress(
  db: Db,
  directory: Directory,
  emailNorm: string,
  rpId: string,
): Promise<PasskeyRow[]> {
  return db
    .selectFrom('users')
    .innerJoin('passkeys', (join) =>
      join.onRef('passkeys.directory_id', '=', 'users.directory_id').onRef('passkeys.user_id', '=', 'users.id'),
    )
    .selectAll('passkeys')
    .where('users.directory_id', '=', directory.id)
    .where('users.email_norm', '=', emailNorm)
    .where('users.deleted_at', 'is', null)
    .where('passkeys.rp_id', '=', rpId)
    .orderBy('passkeys.created_at')
    .orderBy('passkeys.id')
    .execute()
}

export type OwnedPasskey = PasskeyRow & { email: string; email_norm: string; auth_account_id: string | null }

/** Finds a passkey by its credential id, with its owner's address. */
export async function findPasskeyByCredential(
  db: Db,
  directory: Directory,
  credentialId: string,
): Promise<OwnedPasskey | undefined> {
  return selectOwned(db)
    .where('passkeys.directory_id', '=', directory.id)
    .where('passkeys.credential_id', '=', credentialId)
    .executeTakeFirst()
}

/** Finds the passkey with one of these ids, with its owner's address. */
export async function findOwnedPasskey(
  db: Db,
  directory: Directory,
  ids: readonly string[],
): Promise<OwnedPasskey | undefined> {
  return selectOwned(db)
    .where('passkeys.directory_id', '=', directory.id)
    .where('passkeys.id', 'in', ids)
    .executeTakeFirst()
}

/**
 * Lists the passkeys with a credential id in all active organizations of an environment. The passkey of the user
 * handle comes first, so that passkeys which others register under the same credential id cannot displace it. The
 * environment is compared in a subquery, so that the planner searches by the credential id alone.
 */
export async function listPasskeysOfEnvironment(
  db: Db,
  { environmentId }: Directory,
  wanted: { credentialId: string; userHandle: Buffer },
  limit: number,
): Promise<OwnedPasskey[]> {
  return selectOwned(db)
    .where('passkeys.credential_id', '=', wanted.credentialId)
    .where(
      sql<SqlBool>`(select directories.environment_id from directories
        join organizations on organizations.id = directories.organization_id and organizations.status = 'active'
        where directories.id = passkeys.directory_id) = ${environmentId}`,
    )
    .orderBy(sql`passkeys.user_handle = ${wanted.userHandle}`, 'desc')
    .orderBy('passkeys.created_at')
    .limit(limit)
    .execute()
}

function selectOwned(db: Db) {
  return db
    .selectFrom('passkeys')
    .innerJoin('users', (join) =>
      join.onRef('users.directory_id', '=', 'passkeys.directory_id').onRef('users.id', '=', 'passkeys.user_id'),
    )
    .selectAll('passkeys')
    .select(['users.email', 'users.email_norm', 'users.auth_account_id'])
    .where('users.deleted_at', 'is', null)
}
