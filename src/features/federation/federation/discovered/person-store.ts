import { sql } from 'kysely'
import { now } from '../../../../platform/db/now.ts'
import type { Db, Tx } from '../../../../platform/db/pool.ts'
import type { Directory } from '../../../../platform/tenancy/directory.ts'
import { isOfSector, type SubjectOfSector } from '../store.ts'

/** The code of a sign-in whose person has not chosen an organization yet. */
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

/** Such a code that is still good. */
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

/** Of any number of requests with the same code, one gets true. */
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

const selectLinked = (db: Db, { source, issuer, subject, sector }: Person) =>
  db
    .selectFrom('identities')
    .innerJoin('users as u', (join) =>
      join.onRef('u.directory_id', '=', 'identities.directory_id').onRef('u.id', '=', 'identities.user_id'),
    )
    .select(['u.id as user_id', 'u.email', 'u.email_norm'])
    .where('identities.method', '=', 'social')
    .where('identities.source', '=', source)
    .where('identities.issuer', '=', issuer)
    .where('identities.subject', '=', subject)
    .where(isOfSector({ sector }))
    .where('u.deleted_at', 'is', null)

/** The user of a person at a social provider in a directory. */
export async function findLinkedUser(db: Db, directory: Directory, person: Person) {
  return selectLinked(db, person).where('identities.directory_id', '=', directory.id).executeTakeFirst()
}

/** The users of a person in the active organizations of an environment: first those who signed in last. */
export async function listLinkedUsers(db: Db, { environmentId }: Directory, person: Person, limit: number) {
  return selectLinked(db, person)
    .innerJoin('directories as d', 'd.id', 'u.directory_id')
    .innerJoin('organizations as o', 'o.id', 'd.organization_id')
    .select(['u.directory_id', 'o.id as organization_id', 'o.name', 'o.slug'])
    .where('u.environment_id', '=', environmentId)
    .where('o.status', '=', 'active')
    .orderBy(sql`u.last_login_at desc nulls last`)
    .orderBy('o.name')
    .limit(limit)
    .execute()
}
