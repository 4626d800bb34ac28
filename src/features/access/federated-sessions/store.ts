import { type SqlBool, sql } from 'kysely'
import { byteaArray } from '../../../platform/db/arrays.ts'
import { now } from '../../../platform/db/now.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { defineBeside } from '../../../platform/joined/proofs.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { isLiveSession } from '../sessions/sessions.ts'

/** Links a new session or challenge to the session at the provider. */
export const federatedSessionInserted = defineBeside({
  name: 'federated_session_inserted',
  columns: {
    federated_identity: 'uuid',
    federated_logout: 'text',
    federated_name: 'bytea',
    federated_session: 'bytea',
    federated_end: 'text',
    federated_seconds: 'int',
  },
  write: (directory) => sqlText`
    insert into federated_sessions (directory_id, id, user_id, identity_id, logout_sealed, name_hash,
      provider_session_hash, session_ends_at, expires_at)
    select ${directory}, ready.made_id, ready.user_id, ready.federated_identity, ready.federated_logout, ready.federated_name,
      ready.federated_session, ready.federated_end::timestamptz, ready.at + make_interval(secs => ready.federated_seconds)
    from ready`,
})

/** Links a challenge to the session at the provider, as the session that it will replace. */
export const federatedSessionCopied = defineBeside({
  name: 'federated_session_copied',
  columns: { kept_session: 'uuid', kept_seconds: 'int' },
  write: (directory) => sqlText`
    insert into federated_sessions (directory_id, id, user_id, identity_id, logout_sealed, name_hash,
      provider_session_hash, session_ends_at, expires_at)
    select ${directory}, ready.made_id, federated.user_id, federated.identity_id, federated.logout_sealed, federated.name_hash,
      federated.provider_session_hash, federated.session_ends_at, ready.at + make_interval(secs => ready.kept_seconds)
    from ready join federated_sessions federated on federated.directory_id = ${directory} and federated.id = ready.kept_session`,
})

export async function findFederatedSessionRow(db: Db, directory: Directory, sessionId: string) {
  return db
    .selectFrom('federated_sessions as federated')
    .innerJoin('identities', (join) =>
      join
        .onRef('identities.directory_id', '=', 'federated.directory_id')
        .onRef('identities.id', '=', 'federated.identity_id'),
    )
    .select([
      'federated.identity_id',
      'federated.logout_sealed',
      'identities.method',
      'identities.source',
      'identities.issuer',
    ])
    .where('federated.directory_id', '=', directory.id)
    .where('federated.id', '=', sessionId)
    .where('federated.expires_at', '>', now)
    .executeTakeFirst()
}

/** Hashes of what a provider signs out: the names that the person may have at the provider, or sessions, or both. */
export interface HashedLogout {
  names: Buffer[]
  /** If empty, all sessions of the person are signed out. */
  sessions: Buffer[]
}

const isOneOf = (column: string, hashes: Buffer[]) =>
  sql<SqlBool>`${sql.ref(column)} = any(${byteaArray(hashes)}::bytea[])`

/**
 * SQL: whether the logout refers to a row with both hashes. A row of the same person without a known provider session
 * also matches, because it may be one of these sessions.
 */
export function isNamedByLogout({ names, sessions }: HashedLogout) {
  const isSession = isOneOf('provider_session_hash', sessions)
  if (names.length === 0) return isSession
  const isPerson = isOneOf('name_hash', names)
  if (sessions.length === 0) return isPerson
  return sql<SqlBool>`${isPerson} and (${isSession} or provider_session_hash is null)`
}

/** Finds the rows of sign-ins through a provider: sessions, and challenges, which have no session yet. */
export async function findFederatedRows(db: Db, directory: Directory, logout: HashedLogout) {
  return db
    .selectFrom('federated_sessions as federated')
    .leftJoin('sessions', (join) =>
      join.onRef('sessions.directory_id', '=', 'federated.directory_id').onRef('sessions.id', '=', 'federated.id'),
    )
    .select(['federated.id', 'federated.user_id', 'sessions.id as session_id'])
    .select(sql<boolean>`coalesce(${isLiveSession(directory)}, false)`.as('is_live'))
    .where('federated.directory_id', '=', directory.id)
    .where('federated.expires_at', '>', now)
    .where(isNamedByLogout(logout))
    .execute()
}

/**
 * The sessions of a user that came from an identity, and the user's sessions of the same kind whose identity is
 * unknown. `isNameless` restricts the result to sessions whose names at the provider are unknown.
 */
export async function findSessionIdsOf(
  db: Db,
  directory: Directory,
  identity: { id: string; user_id: string; method: string },
  { isNameless }: { isNameless: boolean },
): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .leftJoin('federated_sessions as federated', (join) =>
      join.onRef('federated.directory_id', '=', 'sessions.directory_id').onRef('federated.id', '=', 'sessions.id'),
    )
    .select('sessions.id')
    .where('sessions.directory_id', '=', directory.id)
    .where('sessions.user_id', '=', identity.user_id)
    .where('sessions.auth_method', '=', identity.method)
    .where(isLiveSession(directory))
    .where((eb) => eb.or([eb('federated.identity_id', '=', identity.id), eb('federated.identity_id', 'is', null)]))
    .$if(isNameless, (query) => query.where('federated.name_hash', 'is', null))
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Finds the users with a challenge from a sign-in at a connection or provider that has no session yet. The order is
 * always the same, which prevents deadlocks.
 */
export async function findChallengedUsers(
  db: Db,
  directory: Directory,
  { method, source }: { method: string; source: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('federated_sessions as federated')
    .innerJoin('identities', (join) =>
      join
        .onRef('identities.directory_id', '=', 'federated.directory_id')
        .onRef('identities.id', '=', 'federated.identity_id'),
    )
    .leftJoin('sessions', (join) =>
      join.onRef('sessions.directory_id', '=', 'federated.directory_id').onRef('sessions.id', '=', 'federated.id'),
    )
    .select('federated.user_id')
    .distinct()
    .where('federated.directory_id', '=', directory.id)
    .where('federated.expires_at', '>', now)
    .where('sessions.id', 'is', null)
    .where('identities.method', '=', method)
    .where('identities.source', '=', source)
    .orderBy('federated.user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}
