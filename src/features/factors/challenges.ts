import { type OperationNodeSource, type RawBuilder, sql } from 'kysely'
import { keyedHash, randomBase62, SECRET_LENGTH } from '../../platform/crypto/tokens.ts'
import type { Db } from '../../platform/db/pool.ts'
import { networkOf } from '../../platform/http/client-address.ts'
import type { Platform } from '../../platform/platform.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import type { TotpRow } from './store.ts'

const PREFIX = 'mfa_'
const TTL_SECONDS = 300
const TRIES = 5

/** What a challenge is made of, beside the proof of the first factor. */
export interface NewChallenge {
  id: string
  userId: string
  /** Whose mailbox the first factor is of: the user must have it still. */
  emailNorm: string
  authMethod: string
  amr: string[]
  sessionId: string | null
  ip: string | null
  enrollment: boolean
  /** Consumes the first factor: one row when it was there to be consumed, none otherwise. */
  proof: OperationNodeSource
  /** May ask `exists (select from proof)`. */
  alongside: OperationNodeSource | null
  /** Whether what the demand was decided by still holds, about the row `users`. */
  unchanged: RawBuilder<unknown>
  /** Records events, from the common table expression `challenge`. */
  record: RawBuilder<unknown>
}

export interface MadeChallenge {
  token: string
  expiresAt: Date
  has: { totp: boolean; backup: boolean; sms: boolean }
}

/** Makes a token and what is stored of it. */
function makeToken(platform: Platform): { token: string; hash: Buffer } {
  const token = PREFIX + randomBase62()
  return { token, hash: hashToken(platform, token) }
}

function hashToken(platform: Platform, token: string): Buffer {
  return keyedHash(platform.keyring.hashKey('mfa'), 'challenge', token)
}

/** Addresses of people are not kept. */
export function hashNetwork(platform: Platform, ip: string): Buffer {
  return keyedHash(platform.keyring.hashKey('mfa'), 'network', networkOf(ip))
}

/**
 * The one statement that makes a challenge: it consumes the first factor and locks the user, so that what cuts the user
 * off at this moment finds the challenge. Null: the proof had been consumed, or the user went away, was deactivated or
 * changed since they were looked at.
 */
export async function startChallenge(
  { platform, directory, db }: Work,
  challenge: NewChallenge,
): Promise<MadeChallenge | null> {
  const { token, hash } = makeToken(platform)
  const network = challenge.ip === null ? null : hashNetwork(platform, challenge.ip)
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
  return { token, expiresAt, has }
}

/** A challenge that is live. */
export interface ChallengeRow {
  id: string
  user_id: string
  auth_method: string
  amr: string[]
  session_id: string | null
  enrollment: boolean
  sms_code_hash: Buffer | null
  /** What its user has at this moment. */
  phone: string | null
  backup_codes: number
  totp: TotpRow | null
}

// With the user's factors, so that a try needs no second look.
const columns = sql`id, user_id, auth_method, amr, session_id, enrollment, sms_code_hash,
  (select phone from mfa_phones p where p.directory_id = mfa_challenges.directory_id
    and p.user_id = mfa_challenges.user_id and p.confirmed_at is not null) as phone,
  (select count(*)::int from backup_codes b where b.directory_id = mfa_challenges.directory_id
    and b.user_id = mfa_challenges.user_id) as backup_codes,
  (select jsonb_build_object('id', t.id, 'secret_sealed', t.secret_sealed, 'last_step', t.last_step,
      'now_seconds', extract(epoch from clock_now()))
    from totp_enrollments t where t.directory_id = mfa_challenges.directory_id
      and t.user_id = mfa_challenges.user_id and t.confirmed_at is not null) as totp`

/** Which row a token names, for whoever comes from this address. */
function isLive({ platform, directory }: Work, presented: PresentedChallenge) {
  const network = presented.ip === null ? null : hashNetwork(platform, presented.ip)
  return sql`directory_id = ${directory.id} and token_hash = ${hashToken(platform, presented.token)}
    and used_at is null and expires_at > clock_now()
    and (network_hash is null or network_hash = ${network}::bytea)`
}

/** A token, and where the person who brings it is. */
export interface PresentedChallenge {
  token: string
  ip: string | null
}

/** The challenge of a token, or null when there is none that lives. */
export async function findChallenge(work: Work, presented: PresentedChallenge): Promise<ChallengeRow | null> {
  if (!looksRight(presented.token)) return null
  const { rows } = await sql<ChallengeRow>`
    select ${columns} from mfa_challenges
    where ${isLive(work, presented)} and attempts < ${TRIES}`.execute(work.db)
  return rows[0] ?? null
}

/** Counts a try before it is looked at, committed on its own: the fifth is the last. Null: there is none left. */
export async function claimChallengeTry(work: Work, presented: PresentedChallenge): Promise<ChallengeRow | null> {
  if (!looksRight(presented.token)) return null
  const { rows } = await sql<ChallengeRow>`
    update mfa_challenges set attempts = attempts + 1
    where ${isLive(work, presented)} and attempts < ${TRIES}
    returning ${columns}`.execute(work.platform.db)
  return rows[0] ?? null
}

function looksRight(token: string): boolean {
  return token.startsWith(PREFIX) && token.length === PREFIX.length + SECRET_LENGTH
}

/** Spends a challenge, as a query for the statement that makes the session: one row if it was there to be spent. */
export function consumeChallenge({ directory, db }: Work, id: string) {
  return db
    .updateTable('mfa_challenges')
    .set({ used_at: sql<Date>`clock_now()` })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`clock_now()`)
    .returning('id')
}

/** The code that was sent for a challenge, in place of one sent before. */
export async function setChallengeSms({ directory, db }: TxWork, id: string, codeHash: Buffer): Promise<void> {
  await db
    .updateTable('mfa_challenges')
    .set({ sms_code_hash: codeHash })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}

/** Ends every challenge of a user, and every enrollment that was begun. */
export async function voidChallenges({ directory, db }: TxWork, userId: string): Promise<void> {
  for (const table of ['totp_enrollments', 'mfa_phones'] as const)
    await db
      .deleteFrom(table)
      .where('directory_id', '=', directory.id)
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is', null)
      .execute()
  await db.deleteFrom('mfa_challenges').where('directory_id', '=', directory.id).where('user_id', '=', userId).execute()
}

/** Deletes challenges that are long over. Returns how many. */
export async function deleteOldChallenges(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from mfa_challenges where (directory_id, id) in (
      select directory_id, id from mfa_challenges where expires_at < clock_now() - interval '1 hour'
      order by expires_at limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
