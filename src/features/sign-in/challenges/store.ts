import { sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import { defineOutcome, defineProof } from '../../../platform/joined/proofs.ts'
import { defineReading, type Reading } from '../../../platform/joined/readings.ts'
import { type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { countEverywhere, type LockoutPolicy } from '../lockout/lockout.ts'
import type { HashedToken } from './token.ts'

const TTL_SECONDS = 300
const TRIES = 5

/** Which factors a user has. */
export interface FactorsOf {
  totp: boolean
  backup: boolean
  sms: boolean
}

/** A challenge after it was stored. */
export interface MadeChallenge extends FactorsOf {
  expires_at: Date
  /** Null if the directory has no organization. */
  organization_name: string | null
}

/**
 * Stores the challenge that a sign-in gets for its first factor. The statement locks the user's row, so that a
 * concurrent cut-off finds the challenge.
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
    next_password_hash: 'text',
    failure_identity: 'bytea',
    organization_id: 'uuid',
  },
  signsIn: false,
  write: (directory) => sqlText`
    insert into mfa_challenges (directory_id, id, token_hash, user_id, auth_method, amr, session_id, network_hash,
      enrollment, next_password_hash, failure_identity, user_epoch, expires_at)
    select ${directory}, ready.made_id, ready.token_hash, ready.user_id, ready.auth_method, ready.amr,
      ready.refreshed_session, ready.network_hash, ready.enrollment,
      ready.next_password_hash, ready.failure_identity, ready.epoch, ready.at + make_interval(secs => ${TTL_SECONDS})
    from ready returning id, expires_at`,
  answers: (directory) => sqlText`made.expires_at,
    (select name from organizations where id = ready.organization_id) as organization_name,
    exists (select from totp_enrollments where directory_id = ${directory} and user_id = ready.user_id
      and confirmed_at is not null) as totp,
    exists (select from backup_codes where directory_id = ${directory} and user_id = ready.user_id) as backup,
    exists (select from mfa_phones where directory_id = ${directory} and user_id = ready.user_id
      and confirmed_at is not null) as sms`,
})

/** Stores a challenge for a step-up in a session of a user whose row is locked. Returns when the challenge expires. */
export async function insertSessionChallenge(
  tx: Tx,
  directory: Directory,
  row: {
    id: string
    token: HashedToken
    userId: string
    epoch: number
    sessionId: string
    failureIdentity: Buffer
  },
): Promise<Date> {
  const { expires_at } = await tx
    .insertInto('mfa_challenges')
    .values({
      directory_id: directory.id,
      id: row.id,
      token_hash: row.token.hash,
      network_hash: row.token.network,
      user_id: row.userId,
      auth_method: 'step_up',
      amr: [],
      session_id: row.sessionId,
      enrollment: false,
      failure_identity: row.failureIdentity,
      user_epoch: row.epoch,
      expires_at: sql<Date>`clock_now() + make_interval(secs => ${TTL_SECONDS}::int)`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return expires_at
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
  challenge_id: string
  challenge_user_id: string
  auth_method: string
  amr: string[]
  session_id: string | null
  enrollment: boolean
  /** The hash of the password that is written once the challenge is passed. */
  next_password_hash: string | null
  sms_code_hash: Buffer | null
  /** When the session must end, as set by the identity provider. */
  session_ends_at: Date | null
  /** The SAML or OIDC connection that proved the first factor. */
  connection_id: string | null
  /** The user's epoch when the first factor was proved. Null for challenges that an earlier release stored. */
  user_epoch: number | null
  /** The user's current factors. */
  phone: string | null
  backup_codes: number
  totp: TotpRow | null
}

/** The live challenge of a token. Every field is null if there is none. */
type ShownRow = { [K in keyof ChallengeRow]: ChallengeRow[K] | null }

const TOKEN_COLUMNS = { token_hash: 'bytea', client_network: 'bytea' } as const

/**
 * Finds the live challenge of a token for the client's network. Reads `clock` and `asked` of the surrounding
 * statement.
 */
const liveChallenge = (directory: SqlText) => sqlText`
  select * from mfa_challenges
  where directory_id = ${directory} and token_hash = asked.token_hash and used_at is null and expires_at > clock.at
    and attempts < ${TRIES} and failure_identity is not null
    and (network_hash is null or network_hash = asked.client_network)`

/** The columns of the challenge in `found`, with the user's factors, so that an attempt needs no second query. */
const challengeColumns = (directory: SqlText) => sqlText`found.id as challenge_id, found.user_id as challenge_user_id,
  found.auth_method, found.amr, found.session_id, found.enrollment, found.next_password_hash,
  found.sms_code_hash, found.user_epoch,
  (select session_ends_at from federated_sessions federated where federated.directory_id = ${directory} and federated.id = found.id limit 1)
    as session_ends_at,
  (select identities.source from federated_sessions federated
    join identities on identities.directory_id = federated.directory_id and identities.id = federated.identity_id
    where federated.directory_id = ${directory} and federated.id = found.id and identities.method = 'sso' limit 1) as connection_id,
  (select phone from mfa_phones p where p.directory_id = ${directory} and p.user_id = found.user_id
    and p.confirmed_at is not null) as phone,
  (select count(*)::int from backup_codes b where b.directory_id = ${directory} and b.user_id = found.user_id)
    as backup_codes,
  (select jsonb_build_object('id', t.id, 'secret_sealed', t.secret_sealed, 'last_step', t.last_step,
      'now_seconds', extract(epoch from clock.at))
    from totp_enrollments t where t.directory_id = ${directory} and t.user_id = found.user_id
      and t.confirmed_at is not null) as totp`

/** Reads the live challenge of a token in the statement that reads the facts about its user. */
export const shownChallenge = defineReading<ShownRow>()({
  columns: TOKEN_COLUMNS,
  userId: sqlText`found.user_id`,
  joins: ({ directory }) => sqlText`left join lateral (${liveChallenge(directory('asked'))} limit 1) found on true`,
  selects: ({ directory }) => challengeColumns(directory('asked')),
})

type TriedRow = ShownRow & {
  /**
   * Whether the challenge exists. If it exists but was left out, another attempt has locked it, or this statement has
   * another attempt of the same user.
   */
  is_there: boolean
  /** Whether the user is not locked out. */
  is_allowed: boolean
  /** Set if this attempt was the last one allowed. */
  locked_until: Date | null
}

const tried = defineReading<TriedRow>()({
  columns: TOKEN_COLUMNS,
  userId: sqlText`found.user_id`,
  before: ({ directory, lock, shared }) => sqlText`,
    live as materialized (
      select asked.n, challenge.*, challenge.failure_identity as identity
      from clock cross join asked cross join lateral (${liveChallenge(directory('asked'))} ${lock}) challenge),
    found as materialized (
      select distinct on (directory_id, identity) * from live order by directory_id, identity, n),
    tried as (
      update mfa_challenges set attempts = mfa_challenges.attempts + 1 from found
      where mfa_challenges.directory_id = ${directory('found')} and mfa_challenges.id = found.id),
    counted as (${countEverywhere(sqlText`found`, directory('found'), {
      maxAttempts: shared(0),
      windowSeconds: shared(1),
      durationSeconds: shared(2),
    })})`,
  joins: () => sqlText`left join found on found.n = asked.n
    left join counted on counted.directory_id = found.directory_id and counted.identity = found.identity`,
  selects: ({
    directory,
  }) => sqlText`${challengeColumns(directory('asked'))}, counted.identity is not null as is_allowed,
    counted.locked_until, exists (${liveChallenge(directory('asked'))}) as is_there`,
  isLeftOut: ({ challenge_id, is_there }) => challenge_id === null && is_there,
})

/**
 * Counts one attempt at a challenge, which allows five, and one for its user across all challenges, in the statement
 * that reads the facts about the user. Commits on its own, before the code is checked.
 */
export function triedChallenge(policy: LockoutPolicy, token: HashedToken): Reading<TriedRow> {
  const { lockout_max_attempts, lockout_window_seconds, lockout_duration_seconds } = policy
  const shared = [lockout_max_attempts, lockout_window_seconds, lockout_duration_seconds]
  const values = { token_hash: token.hash, client_network: token.network }
  return tried(values, { key: token.hash.toString('base64'), shared })
}

export const isChallenge = (row: ShownRow): row is ChallengeRow => row.challenge_id !== null

/** Whether a challenge may still be passed, regardless of the number of attempts. */
export async function isLiveChallenge(db: Db, directory: Directory, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('mfa_challenges')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** The only consumer of challenges. If several requests pass the same challenge, only one gets a session. */
// Consumes mfa_challenges: passing a challenge, for a session.
export const challengeProof = defineProof({
  name: 'challenge-passed',
  columns: { challenge_id: 'uuid' },
  locks: true,
  find: (directory) => sqlText`
    select id from mfa_challenges where directory_id = ${directory} and id = asked.challenge_id
      and used_at is null and expires_at > clock.at`,
  write: (directory) => sqlText`
    update mfa_challenges set used_at = ready.at from ready
    where mfa_challenges.directory_id = ${directory} and mfa_challenges.id = ready.challenge_id`,
})

/** Stores the code that is sent for a challenge, and replaces an earlier code. */
export async function setChallengeSms(tx: Tx, directory: Directory, id: string, codeHash: Buffer): Promise<void> {
  await tx
    .updateTable('mfa_challenges')
    .set({ sms_code_hash: codeHash })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}
