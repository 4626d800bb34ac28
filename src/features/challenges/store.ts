import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/pool.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { defineOutcome, defineProof } from '../../platform/proofs.ts'
import type { HashedToken } from './token.ts'

const TTL_SECONDS = 300
const TRIES = 5

/** Which factors a user has. */
export interface FactorsOf {
  totp: boolean
  backup: boolean
  sms: boolean
}

/** A challenge that was stored. */
export interface MadeChallenge extends FactorsOf {
  expires_at: Date
}

/**
 * The challenge that a first factor pays for. The statement locks the user's row, so that a concurrent cut-off finds the
 * challenge.
 */
export const challengeOutcome = defineOutcome<MadeChallenge>()({
  name: 'challenge',
  columns: {
    token_hash: 'bytea',
    network_hash: 'bytea',
    auth_method: 'text',
    amr: 'text[]',
    refreshed_session: 'uuid',
    enrollment: 'boolean',
  },
  signsIn: false,
  write: (directory) => `
    insert into mfa_challenges (directory_id, id, token_hash, user_id, auth_method, amr, session_id, network_hash,
      enrollment, expires_at)
    select ${directory}, ready.made_id, ready.token_hash, ready.user_id, ready.auth_method, ready.amr,
      ready.refreshed_session, ready.network_hash, ready.enrollment, ready.at + make_interval(secs => ${TTL_SECONDS})
    from ready returning id, expires_at`,
  answers: (directory) => `made.expires_at,
    exists (select from totp_enrollments where directory_id = ${directory} and user_id = ready.user_id
      and confirmed_at is not null) as totp,
    exists (select from backup_codes where directory_id = ${directory} and user_id = ready.user_id) as backup,
    exists (select from mfa_phones where directory_id = ${directory} and user_id = ready.user_id
      and confirmed_at is not null) as sms`,
})

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

/** The one consumer of challenges: of any number of requests that pass the same one a single one gets a session. */
export const challengeProof = defineProof({
  name: 'challenge-passed',
  columns: { challenge_id: 'uuid' },
  locks: true,
  find: (directory) => `
    select id from mfa_challenges where directory_id = ${directory} and id = asked.challenge_id
      and used_at is null and expires_at > clock.at`,
  write: (directory) => `
    update mfa_challenges set used_at = ready.at from ready
    where mfa_challenges.directory_id = ${directory} and mfa_challenges.id = ready.challenge_id`,
})

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
