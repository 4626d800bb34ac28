import { type SqlBool, sql } from 'kysely'
import { now } from '../../../../platform/db/now.ts'
import type { Db, Tx } from '../../../../platform/db/pool.ts'
import type { Directory } from '../../../../platform/tenancy/directory.ts'
import { isOfSector, type SubjectOfSector } from '../store.ts'

/** Stores the code of a sign-in whose person has not chosen an organization yet. */
export async function insertPersonCode(
  db: Db,
  directory: Directory,
  { seconds, ...row }: { id: string; code_hash: Buffer; source: string; person_sealed: string; seconds: number },
): Promise<void> {
  const expires_at = sql<Date>`clock_now() + make_interval(secs => ${seconds})`
  const proved = { auth_method: 'social', amr: ['fed'], aal: 'aal1' }
  await db
    .insertInto('exchange_codes')
    .values({ ...row, ...proved, directory_id: directory.id, user_id: null, expires_at })
    .execute()
}

/** Finds such a code if it is still valid. */
export async function findPersonCode(db: Db, directory: Directory, codeHash: Buffer) {
  return db
    .selectFrom('exchange_codes')
    .select(['id', 'person_sealed'])
    .where('directory_id', '=', directory.id)
    .where('code_hash', '=', codeHash)
    .where('person_sealed', 'is not', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Uses up a code. Of any number of concurrent requests with the same code, only one gets true. */
export async function consumePersonCode(tx: Tx, directory: Directory, id: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('exchange_codes')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

type Person = Omit<SubjectOfSector, 'method'>

/** A user that a person at a social provider is linked to. */
export interface LinkedUser {
  directory_id: string
  user_id: string
  email: string
  email_norm: string
}

// Reads the user in subqueries, so that the planner searches by the subject only.
const ofUser = (column: 'email' | 'email_norm') => sql<string>`(select u.${sql.ref(column)} from users u
  where u.directory_id = identities.directory_id and u.id = identities.user_id)`

const selectLinked = (db: Db, { source, issuer, subject, sector }: Person) =>
  db
    .selectFrom('identities')
    .select(['directory_id', 'user_id', ofUser('email').as('email'), ofUser('email_norm').as('email_norm')])
    // A literal instead of a parameter, so that the planner uses the partial index.
    .where(sql<SqlBool>`identities.method = 'social'`)
    .where('source', '=', source)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where(isOfSector({ sector }))

/** The user in a directory that a person at a social provider is linked to. */
export async function findLinkedUser(db: Db, directory: Directory, person: Person): Promise<LinkedUser | undefined> {
  return selectLinked(db, person).where('directory_id', '=', directory.id).executeTakeFirst()
}

/** The users that a person is linked to in an environment's organizations. The link that was used last comes first. */
export async function listLinkedUsers(
  db: Db,
  { environmentId }: Directory,
  person: Person,
  limit: number,
): Promise<LinkedUser[]> {
  return selectLinked(db, person)
    .where(
      sql<SqlBool>`(select directories.environment_id from directories
        where directories.id = identities.directory_id) = ${environmentId}`,
    )
    .orderBy('last_used_at', 'desc')
    .limit(limit)
    .execute()
}
