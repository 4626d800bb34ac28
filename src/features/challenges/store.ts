import { type OperationNodeSource, type RawBuilder, sql } from 'kysely'
import { now } from '../../platform/db/now.ts'
import type { Db, Tx } from '../../platform/db/pool.ts'
import type { Directory } from '../../platform/http/directory.ts'
import type { HashedToken } from './token.ts'

const TTL_SECONDS = 300
const TRIES = 5

/** The input of `startChallenge`. */
export interface NewChallenge {
  id: string
  userId: string
  /** The mailbox of the first factor: the user must still have it. */
  emailNorm: string
  authMethod: string
  amr: string[]
  sessionId: string | null
  token: HashedToken
  enrollment: boolean
  /** Consumes the first factor: returns one row if it could be consumed, otherwise none. */
  proof: OperationNodeSource
  /** May use `exists (select from proof)`. */
  alongside: OperationNodeSource | null
  /** A condition on the row `users`: whether the facts that decided the demand still hold. */
  unchanged: RawBuilder<unknown>
  /** Records events, from the common table expression `challenge`. */
  record: RawBuilder<unknown>
}

export interface MadeChallenge {
  expiresAt: Date
  has: { totp: boolean; backup: boolean; sms: boolean }
}

/**
 * The one statement that creates a challenge: it consumes the first factor and locks the user's row, so that a
 * concurrent cut-off finds the challenge. Returns null when the proof was already consumed, or the user was deleted,
 * deactivated or changed since they were read.
 */
export async function startChallenge(
  db: Db,
  directory: Directory,
  challenge: NewChallenge,
): Promise<MadeChallenge | null> {
  const { hash, network } = challenge.token
  const { rows } = await sql<{ expires_at: Date; totp: boolean; backup: boolean; sms: boolean }>`
    with proof as (${challenge.proof}),
    ${challenge.alongside ? sql`alongside as (${challenge.alongside}),` : sql``}
    person as (
      select id from users
      where directory_id = ${directory.id} and id = ${challenge.userId} and email_norm = ${challenge.emailNorm}
        and active and deleted_at is null and ${challenge.unchanged} and exists (select from proof)
      for update),
    challenge as (
      insert into mfa_challenges (directory_id, id, token_hash, user_id, auth_method, amr, session_id, network_hash,
        enrollment, expires_at)
      select ${directory.id}::uuid, ${challenge.id}::uuid, ${hash}::bytea, person.id, ${challenge.authMethod},
        ${challenge.amr}::text[], ${challenge.sessionId}::uuid, ${network}::bytea, ${challenge.enrollment}::boolean,
        clock_now() + make_interval(secs => ${TTL_SECONDS}::int)
      from person
      returning user_id, expires_at),
    recorded as (${challenge.record})
    select challenge.expires_at,
      exists (select from totp_enrollments where directory_id = ${directory.id} and user_id = challenge.user_id
        and confirmed_at is not null) as totp,
      exists (select from backup_codes where directory_id = ${directory.id} and user_id = challenge.user_id) as backup,
      exists (select from mfa_phones where directory_id = ${directory.id} and user_id = challenge.user_id
        and confirmed_at is not null) as sms
    from challenge`.execute(db)
  const [row] = rows
  if (!row) return null
  const { expires_at: expiresAt, ...has } = row
  return { expiresAt, has }
}

/** The authenticator app of a challenge's user. */
export interface TotpRow {
  id: string
  secret_sealed: string
  last_step: number
  /** The database's clock, in epoch seconds. */
  now_seconds: number
}

/** A live challenge. */
export interface ChallengeRow {
  id: string
  user_id: string
  auth_method: string
  amr: string[]
  session_id: string | null
  enrollment: boolean
  sms_code_hash: Buffer | null
  /** The user's current factors. */
  phone: string | null
  backup_codes: number
  totp: TotpRow | null
}

const ownColumns = sql`id, user_id, auth_method, amr, session_id, enrollment, sms_code_hash`

/** With the user's factors, so that an attempt needs no second query. */
function selectColumns(directory: Directory) {
  return sql`select ${ownColumns},
    (select phone from mfa_phones p where p.directory_id = ${directory.id}
      and p.user_id = challenge.user_id and p.confirmed_at is not null) as phone,
    (select count(*)::int from backup_codes b where b.directory_id = ${directory.id}
      and b.user_id = challenge.user_id) as backup_codes,
    (select jsonb_build_object('id', t.id, 'secret_sealed', t.secret_sealed, 'last_step', t.last_step,
        'now_seconds', extract(epoch from clock_now()))
      from totp_enrollments t where t.directory_id = ${directory.id}
        and t.user_id = challenge.user_id and t.confirmed_at is not null) as totp`
}

/** The condition that selects the live challenge of a token, as seen from this network. */
function isLive(directory: Directory, { hash, network }: HashedToken) {
  return sql`directory_id = ${directory.id} and token_hash = ${hash}
    and used_at is null and expires_at > clock_now() and attempts < ${TRIES}
    and (network_hash is null or network_hash = ${network}::bytea)`
}

/** The live challenge of a token, or null. */
export async function findChallenge(
  db: Db,
  directory: Directory,
  presented: HashedToken,
): Promise<ChallengeRow | null> {
  const { rows } = await sql<ChallengeRow>`
    ${selectColumns(directory)} from mfa_challenges challenge where ${isLive(directory, presented)}`.execute(db)
  return rows[0] ?? null
}

/**
 * Counts an attempt before it is judged, committed on its own; the fifth is the last. Returns null when none is left.
 */
export async function claimChallengeTry(
  db: Db,
  directory: Directory,
  presented: HashedToken,
): Promise<ChallengeRow | null> {
  const { rows } = await sql<ChallengeRow>`
    with challenge as (
      update mfa_challenges set attempts = attempts + 1
      where ${isLive(directory, presented)}
      returning ${ownColumns})
    ${selectColumns(directory)} from challenge`.execute(db)
  return rows[0] ?? null
}

/** Consumes a challenge: a query, to embed in the statement that creates the session. */
export function consumeChallenge(db: Db, directory: Directory, id: string) {
  return db
    .updateTable('mfa_challenges')
    .set({ used_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
}

/** Stores the code that is sent for a challenge, replacing any earlier one. */
export async function setChallengeSms(tx: Tx, directory: Directory, id: string, codeHash: Buffer): Promise<void> {
  await tx
    .updateTable('mfa_challenges')
    .set({ sms_code_hash: codeHash })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}

/** Ends every challenge of a user. */
export async function voidChallenges(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await tx.deleteFrom('mfa_challenges').where('directory_id', '=', directory.id).where('user_id', '=', userId).execute()
}
