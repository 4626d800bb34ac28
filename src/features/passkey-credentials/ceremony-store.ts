import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/pool.ts'
import type { WebauthnCeremonies } from '../../platform/db/schema.gen.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { isId, newId } from '../../platform/ids.ts'

export type CeremonyRow = Selectable<WebauthnCeremonies>

export interface NewCeremony {
  kind: 'registration' | 'login'
  userId: string | null
  /** Keyed hash of the address that a sign-in is for. */
  identity: Buffer | null
  challenge: Buffer
  rpId: string
  ttlSeconds: number
}

const now = sql<Date>`clock_now()`

/** Answers the id by which the browser's answer names the challenge. */
export async function startCeremony(db: Db, directory: Directory, ceremony: NewCeremony): Promise<string> {
  const id = newId()
  await db
    .insertInto('webauthn_ceremonies')
    .values({
      directory_id: directory.id,
      id,
      kind: ceremony.kind,
      user_id: ceremony.userId,
      identity: ceremony.identity,
      challenge: ceremony.challenge,
      rp_id: ceremony.rpId,
      expires_at: sql<Date>`clock_now() + make_interval(secs => ${ceremony.ttlSeconds}::int)`,
    })
    .execute()
  return id
}

/**
 * Spends a challenge before the answer to it is judged, so that no second answer is ever compared with it. Undefined:
 * there is none, it was spent, or it has expired.
 */
export async function spendCeremony(
  db: Db,
  directory: Directory,
  kind: NewCeremony['kind'],
  id: string,
): Promise<CeremonyRow | undefined> {
  const known = id.toLowerCase()
  if (!isId(known)) return undefined
  return db
    .updateTable('webauthn_ceremonies')
    .set({ used_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', '=', known)
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/** Voids the challenges on their way to a user. */
export async function voidCeremonies(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await tx
    .updateTable('webauthn_ceremonies')
    .set({ used_at: now })
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}

/** Deletes challenges that have expired. Returns how many. */
export async function deleteOldCeremonyRows(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webauthn_ceremonies where (directory_id, id) in (
      select directory_id, id from webauthn_ceremonies where expires_at < clock_now() - interval '1 hour'
      order by expires_at limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
