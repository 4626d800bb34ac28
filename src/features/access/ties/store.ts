import { type SqlBool, sql } from 'kysely'
import { byteaArray } from '../../../platform/db/arrays.ts'
import { now } from '../../../platform/db/now.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { defineBeside } from '../../../platform/joined/proofs.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { isLiveSession } from '../sessions/sessions.ts'

/** Ties what is made, a session or a challenge, to the sign-in that it comes from. */
export const sessionTied = defineBeside({
  name: 'session_tied',
  columns: {
    tied_identity: 'uuid',
    tied_logout: 'text',
    tied_name: 'bytea',
    tied_session: 'bytea',
    tied_end: 'text',
    tied_seconds: 'int',
  },
  write: (directory) => sqlText`
    insert into federated_sessions (directory_id, id, user_id, identity_id, logout_sealed, name_hash,
      provider_session_hash, session_ends_at, expires_at)
    select ${directory}, ready.made_id, ready.user_id, ready.tied_identity, ready.tied_logout, ready.tied_name,
      ready.tied_session, ready.tied_end::timestamptz, ready.at + make_interval(secs => ready.tied_seconds)
    from ready`,
})

/** Ties a challenge as the session is tied that it will take the place of. */
export const tieKept = defineBeside({
  name: 'session_tie_kept',
  columns: { kept_session: 'uuid', kept_seconds: 'int' },
  write: (directory) => sqlText`
    insert into federated_sessions (directory_id, id, user_id, identity_id, logout_sealed, name_hash,
      provider_session_hash, session_ends_at, expires_at)
    select ${directory}, ready.made_id, tie.user_id, tie.identity_id, tie.logout_sealed, tie.name_hash,
      tie.provider_session_hash, tie.session_ends_at, ready.at + make_interval(secs => ready.kept_seconds)
    from ready join federated_sessions tie on tie.directory_id = ${directory} and tie.id = ready.kept_session`,
})

export async function findTieRow(db: Db, directory: Directory, sessionId: string) {
  return db
    .selectFrom('federated_sessions as tie')
    .innerJoin('identities', (join) =>
      join.onRef('identities.directory_id', '=', 'tie.directory_id').onRef('identities.id', '=', 'tie.identity_id'),
    )
    .select(['tie.identity_id', 'tie.logout_sealed', 'identities.method', 'identities.source', 'identities.issuer'])
    .where('tie.directory_id', '=', directory.id)
    .where('tie.id', '=', sessionId)
    .where('tie.expires_at', '>', now)
    .executeTakeFirst()
}

/** What a provider signs out: hashes of the names that the person may have there, and of sessions, or of either alone. */
export interface HashedThere {
  names: Buffer[]
  /** None: all of the person. */
  sessions: Buffer[]
}

const isOneOf = (column: string, hashes: Buffer[]) =>
  sql<SqlBool>`${sql.ref(column)} = any(${byteaArray(hashes)}::bytea[])`

/**
 * SQL: whether a row with both hashes is meant. A row of the same person without a known provider session also matches,
 * because it may be one of these sessions.
 */
export function isNamed({ names, sessions }: HashedThere) {
  const isSession = isOneOf('provider_session_hash', sessions)
  if (names.length === 0) return isSession
  const isPerson = isOneOf('name_hash', names)
  if (sessions.length === 0) return isPerson
  return sql<SqlBool>`${isPerson} and (${isSession} or provider_session_hash is null)`
}

/** What came by a provider: sessions, and challenges, which have none yet. */
export async function findTiedRows(db: Db, directory: Directory, there: HashedThere) {
  return db
    .selectFrom('federated_sessions as tie')
    .leftJoin('sessions', (join) =>
      join.onRef('sessions.directory_id', '=', 'tie.directory_id').onRef('sessions.id', '=', 'tie.id'),
    )
    .select(['tie.id', 'tie.user_id', 'sessions.id as session_id'])
    .select(sql<boolean>`coalesce(${isLiveSession(directory)}, false)`.as('is_live'))
    .where('tie.directory_id', '=', directory.id)
    .where('tie.expires_at', '>', now)
    .where(isNamed(there))
    .execute()
}

/**
 * The sessions of a user that came from an identity, and those of its kind whose identity is unknown; or of these only
 * the sessions whose names at the provider are unknown.
 */
export async function findSessionIdsOf(
  db: Db,
  directory: Directory,
  identity: { id: string; user_id: string; method: string },
  { isNameless }: { isNameless: boolean },
): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .leftJoin('federated_sessions as tie', (join) =>
      join.onRef('tie.directory_id', '=', 'sessions.directory_id').onRef('tie.id', '=', 'sessions.id'),
    )
    .select('sessions.id')
    .where('sessions.directory_id', '=', directory.id)
    .where('sessions.user_id', '=', identity.user_id)
    .where('sessions.auth_method', '=', identity.method)
    .where(isLiveSession(directory))
    .where((eb) => eb.or([eb('tie.identity_id', '=', identity.id), eb('tie.identity_id', 'is', null)]))
    .$if(isNameless, (query) => query.where('tie.name_hash', 'is', null))
    .execute()
  return rows.map(({ id }) => id)
}

/** Who has a challenge that came by a connection or provider and has become no session yet; in one order. */
export async function findChallengedUsers(
  db: Db,
  directory: Directory,
  { method, source }: { method: string; source: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('federated_sessions as tie')
    .innerJoin('identities', (join) =>
      join.onRef('identities.directory_id', '=', 'tie.directory_id').onRef('identities.id', '=', 'tie.identity_id'),
    )
    .leftJoin('sessions', (join) =>
      join.onRef('sessions.directory_id', '=', 'tie.directory_id').onRef('sessions.id', '=', 'tie.id'),
    )
    .select('tie.user_id')
    .distinct()
    .where('tie.directory_id', '=', directory.id)
    .where('tie.expires_at', '>', now)
    .where('sessions.id', 'is', null)
    .where('identities.method', '=', method)
    .where('identities.source', '=', source)
    .orderBy('tie.user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}
