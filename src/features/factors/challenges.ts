import { sql } from 'kysely'
import { keyedHash, randomBase62, SECRET_LENGTH } from '../../platform/crypto/tokens.ts'
import { networkOf } from '../../platform/http/client-address.ts'
import type { Platform } from '../../platform/platform.ts'
import { defineOutcome, defineProof } from '../../platform/proofs.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { factorHashes } from './hash-purpose.ts'
import type { TotpRow } from './store.ts'

const PREFIX = 'mfa_'
const TTL_SECONDS = 300
const TRIES = 5

/** The input of `newChallenge`. */
export interface ChallengeInput {
  authMethod: string
  amr: string[]
  sessionId: string | null
  ip: string | null
  enrollment: boolean
}

/** What is known of a challenge once it is stored: when it ends, and which factors its user has. */
export interface MadeChallenge {
  expires_at: Date
  totp: boolean
  backup: boolean
  sms: boolean
}

/** Makes a token and the hash that is stored. */
function makeToken(platform: Platform): { token: string; hash: Buffer } {
  const token = PREFIX + randomBase62()
  return { token, hash: hashToken(platform, token) }
}

function hashToken(platform: Platform, token: string): Buffer {
  return keyedHash(platform.keyring.hashKey(factorHashes), 'challenge', token)
}

/** IP addresses are personal data: only a keyed hash is stored. */
export function hashChallengeNetwork(platform: Platform, ip: string): Buffer {
  return keyedHash(platform.keyring.hashKey(factorHashes), 'network', networkOf(ip))
}

/**
 * The challenge that a first factor pays for. The statement locks the user's row, so that a concurrent cut-off finds the
 * challenge.
 */
const challengeOutcome = defineOutcome<MadeChallenge>()({
  name: 'challenge',
  columns: {
    token_hash: 'bytea',
    auth_method: 'text',
    amr: 'text[]',
    refreshed_session: 'uuid',
    network_hash: 'bytea',
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

/** A challenge to be stored, and its token. */
export function newChallenge(platform: Platform, challenge: ChallengeInput) {
  const { token, hash } = makeToken(platform)
  const outcome = challengeOutcome({
    token_hash: hash,
    auth_method: challenge.authMethod,
    amr: challenge.amr,
    refreshed_session: challenge.sessionId,
    network_hash: challenge.ip === null ? null : hashChallengeNetwork(platform, challenge.ip),
    enrollment: challenge.enrollment,
  })
  return { token, outcome }
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
function selectColumns({ directory }: Work) {
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

/** The condition that selects the live challenge of a token, as seen from this IP. */
function isLive({ platform, directory }: Work, presented: PresentedChallenge) {
  const network = presented.ip === null ? null : hashChallengeNetwork(platform, presented.ip)
  return sql`directory_id = ${directory.id} and token_hash = ${hashToken(platform, presented.token)}
    and used_at is null and expires_at > clock_now()
    and (network_hash is null or network_hash = ${network}::bytea)`
}

/** A token, and the IP of the client that presents it. */
export interface PresentedChallenge {
  token: string
  ip: string | null
}

/** The live challenge of a token, or null. */
export async function findChallenge(work: Work, presented: PresentedChallenge): Promise<ChallengeRow | null> {
  if (!looksRight(presented.token)) return null
  const { rows } = await sql<ChallengeRow>`
    ${selectColumns(work)} from mfa_challenges challenge
    where ${isLive(work, presented)} and attempts < ${TRIES}`.execute(work.db)
  return rows[0] ?? null
}

/**
 * Counts an attempt before it is judged, committed on its own; the fifth is the last. Returns null when none is left.
 */
export async function claimChallengeTry(work: Work, presented: PresentedChallenge): Promise<ChallengeRow | null> {
  if (!looksRight(presented.token)) return null
  const { rows } = await sql<ChallengeRow>`
    with challenge as (
      update mfa_challenges set attempts = attempts + 1
      where ${isLive(work, presented)} and attempts < ${TRIES}
      returning ${ownColumns})
    ${selectColumns(work)} from challenge`.execute(work.platform.db)
  return rows[0] ?? null
}

function looksRight(token: string): boolean {
  return token.startsWith(PREFIX) && token.length === PREFIX.length + SECRET_LENGTH
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
export async function setChallengeSms({ directory, db }: TxWork, id: string, codeHash: Buffer): Promise<void> {
  await db
    .updateTable('mfa_challenges')
    .set({ sms_code_hash: codeHash })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}

/** Ends every challenge and every pending enrollment of a user. */
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
