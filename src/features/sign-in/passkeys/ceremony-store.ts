import { type Selectable, sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { WebauthnCeremonies } from '../../../platform/db/schema.gen.ts'
import { isId, newId } from '../../../platform/ids.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

export type CeremonyRow = Selectable<WebauthnCeremonies>

export interface NewCeremony {
  kind: 'registration' | 'login' | 'step_up'
  userId: string | null
  /** Keyed hash of the address in a sign-in. */
  identity: Buffer | null
  challenge: Buffer
  rpId: string
  ttlSeconds: number
}

/** Stores a challenge. Returns the id that the browser's response must contain. */
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
 * Consumes a challenge before the response is checked, so that no second response is ever compared with it.
 * @returns undefined if there is no such challenge, or it was already consumed or has expired.
 */
export async function spendCeremony(
  db: Db,
  directory: Directory,
  kind: NewCeremony['kind'],
  id: string,
): Promise<CeremonyRow | undefined> {
  const known = id.toLowerCase()
  if (!isId(known)) return undefined
  // Consumes webauthn_ceremonies: checking the response to a challenge.
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

/** Builds a query that voids the open challenges of a user. */
export function voidCeremonies(tx: Tx, directory: Directory, userId: string) {
  // Consumes webauthn_ceremonies: voiding the open challenges of a user.
  return tx
    .updateTable('webauthn_ceremonies')
    .set({ used_at: now })
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
}
