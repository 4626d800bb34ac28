import { type Insertable, sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Otps } from '../../../platform/db/schema.gen.ts'
import { defineProof } from '../../../platform/joined/proofs.ts'
import { defineReading } from '../../../platform/joined/readings.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

/** Separates codes by purpose. A code created for one purpose is never accepted for another (ASVS 6.6.2). */
export type OtpPurpose = 'generator' | 'login' | 'signup' | 'step_up' | 'email_change' | 'discovery' | 'discovered'

/** The result of checking a code. */
export type Verdict = 'match' | 'wrong' | 'expired' | 'used' | 'exhausted' | 'unknown'

/**
 * Limits on wrong guesses over all codes of one session or address, per hour and per day. An attacker who requests
 * codes and guesses all day has a chance of 1 in 100 000 (40 of 2^22 phrases, 10 of 10^6 digits).
 */
export const HOURLY_FAILURES = 20
export const DAILY_FAILURES = 40
export const DAILY_DIGIT_FAILURES = 10
// A granted code cannot be guessed. Its attempts allow requests that were refused to be retried, for example with
// another slug.
const GRANTED_ATTEMPTS = 5
// The number of sign-in codes that are read for these limits. The send limits allow fewer codes than this.
const MAX_SIBLINGS = 1000

type NewOtpRow = Omit<Insertable<Otps>, 'directory_id' | 'expires_at' | 'created_at' | 'attempts'>

/** Stores a code. Returns when it expires. */
export async function insertOtpRow(db: Db, directory: Directory, row: NewOtpRow, ttlSeconds: number): Promise<Date> {
  const expiresAt = sql<Date>`clock_now() + make_interval(secs => ${ttlSeconds})`
  const inserted = await db
    .insertInto('otps')
    .values({ ...row, directory_id: directory.id, expires_at: expiresAt })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return inserted.expires_at
}

/** Stores the same code in each of these directories. */
export async function insertGrantedRows(
  db: Db,
  places: { directory: Directory; identity: Buffer }[],
  row: Pick<NewOtpRow, 'id' | 'purpose' | 'phrase_hash'>,
  ttlSeconds: number,
): Promise<void> {
  const expires_at = sql<Date>`clock_now() + make_interval(secs => ${ttlSeconds})`
  const granted = { ...row, max_attempts: GRANTED_ATTEMPTS, expires_at }
  const values = places.map(({ directory, identity }) => ({ ...granted, directory_id: directory.id, identity }))
  if (values.length > 0) await db.insertInto('otps').values(values).execute()
}

interface OtpOwner {
  purpose: OtpPurpose
  identity: Buffer
  bySms?: boolean
}

/**
 * Finds the newest code of an identity, if it was sent in the same way, is recent enough and was neither used nor
 * tried.
 */
export async function findLiveOtpRow(db: Db, directory: Directory, owner: OtpOwner, newerThanSeconds: number) {
  const { rows } = await sql<{ id: string; expires_at: Date }>`
    select id, expires_at from (
      select * from otps where directory_id = ${directory.id} and identity = ${owner.identity} and purpose = ${owner.purpose}
      order by created_at desc, id desc limit 1) newest
    where used_at is null and attempts = 0 and (phone_id is not null) = ${owner.bySms ?? false} and expires_at > ${now}
      and created_at > clock_now() - make_interval(secs => ${newerThanSeconds})`.execute(db)
  return rows[0]
}

/** Reads what a sign-up code stores about its future user, while the code is neither used nor expired. */
export async function findLiveSignupRow(db: Db, directory: Directory, id: string) {
  return db
    .selectFrom('otps')
    .select('locale')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where('signs_up', '=', true)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** The result of an attempt at a sign-in code. If the code is right, `codeProof` consumes it. */
interface TriedRow {
  /** `left_out` while another statement checks the same code. */
  verdict: Verdict | 'left_out'
  code_user_id: string | null
  code_signs_up: boolean | null
  code_locale: string | null
  code_by_sms: boolean | null
}

/**
 * Counts an attempt at a sign-in code and checks the code, in the statement that reads the facts about its address. The
 * count commits before the comparison has any effect, whatever the request does next. `siblings` are the codes of the
 * same address. The newest sent code of the purpose is valid, and so are withheld codes that are newer. For a change of
 * address, the newest code of each requesting user is valid. Attempts at all siblings share one limit. The code of a
 * discovery token has its own limit: it is sealed in the token and cannot be guessed, and guesses at mailed codes must
 * not block it. Attempts at a void code are counted and checked too, because otherwise the limit would reveal whether a
 * newer code was sent. A code sent to a phone is valid as long as the user has that phone. Decoys have no phone.
 */
export const triedCode = defineReading<TriedRow>()({
  columns: { otp_id: 'uuid', otp_purpose: 'text', otp_hash: 'bytea' },
  before: ({ directory, lock }) => sqlText`,
    tried as materialized (
      select asked.n, asked.otp_hash, is_there, siblings.newest_id is not distinct from asked.otp_id as is_newest, code.*,
        attempts < max_attempts and (asked.otp_purpose = 'discovered' or (this_hour + attempts < ${HOURLY_FAILURES} and today + attempts
          < case when digit_hash is null then ${DAILY_FAILURES} else ${DAILY_DIGIT_FAILURES} end)) as is_allowed
      from clock cross join asked
      cross join lateral (
        select (array_agg(id order by created_at desc, id desc) filter (where purpose = asked.otp_purpose
            and (not withheld or id = asked.otp_id)
            and (purpose <> 'email_change' or user_id = (select user_id from otps own
              where own.directory_id = ${directory('asked')} and own.id = asked.otp_id))))[1] as newest_id,
          coalesce(bool_or(id = asked.otp_id and purpose = asked.otp_purpose), false) as is_there,
          coalesce(sum(failures) filter (where created_at > clock.at - interval '1 hour'), 0) as this_hour,
          coalesce(sum(failures) filter (where created_at > clock.at - interval '1 day'), 0) as today
        from (select id, purpose, user_id, created_at, withheld,
            case when id <> asked.otp_id then attempts - (used_at is not null)::int end as failures
          from otps where directory_id = ${directory('asked')} and identity = asked.identity and purpose <> 'generator'
          order by created_at desc, id desc limit ${MAX_SIBLINGS}) s) siblings
      left join lateral (
        select id as code_id, directory_id, user_id as code_user_id, signs_up, locale, phone_id, phrase_hash,
          digit_hash, attempts, max_attempts, used_at, expires_at
        from otps where directory_id = ${directory('asked')} and id = asked.otp_id and identity = asked.identity
          and purpose = asked.otp_purpose
        ${lock}) code on true),
    counted as (
      update otps set attempts = otps.attempts + 1 from tried
      where otps.directory_id = ${directory('tried')} and otps.id = tried.code_id and tried.is_allowed)`,
  joins: () => sqlText`join tried on tried.n = asked.n`,
  selects: ({ directory }) => sqlText`
    case when tried.is_allowed and tried.is_newest then tried.code_user_id end as code_user_id,
    tried.is_allowed and tried.signs_up as code_signs_up, tried.locale as code_locale,
    tried.phone_id is not null as code_by_sms,
    case
      when not tried.is_there then 'unknown'
      when tried.code_id is null then 'left_out'
      when not tried.is_allowed then 'exhausted'
      when not (coalesce(tried.phrase_hash = tried.otp_hash, false) or coalesce(tried.digit_hash = tried.otp_hash, false))
        then 'wrong'
      when not tried.is_newest then 'unknown'
      when tried.phone_id is not null and not exists (select from mfa_phones p
        where p.directory_id = ${directory('tried')} and p.user_id = tried.code_user_id and p.id = tried.phone_id
          and p.confirmed_at is not null) then 'unknown'
      when tried.used_at is not null then 'used'
      when tried.expires_at <= clock.at then 'expired'
      else 'match' end as verdict`,
  isLeftOut: ({ verdict }) => verdict === 'left_out',
})

/** The only consumer of sign-in codes. If several requests redeem the same code, only one succeeds. */
// Consumes otps: redeeming a sign-in code, for whatever it allows.
export const codeProof = defineProof({
  name: 'code',
  columns: { otp_id: 'uuid', otp_purpose: 'text' },
  locks: true,
  find: (directory) => sqlText`
    select id from otps where directory_id = ${directory} and id = asked.otp_id and purpose = asked.otp_purpose
      and used_at is null and expires_at > clock.at`,
  write: (directory) => sqlText`
    update otps set used_at = ready.at from ready where otps.directory_id = ${directory} and otps.id = ready.otp_id`,
})

/**
 * Builds a query that ends the sign-in codes of an address, or consumes those of purpose `burnt`, while the user's row
 * is locked. The query waits for an attempt at a code, which itself waits for nothing. Redeeming a code takes the same
 * lock on the user. A code consumed this way counts as used by a right attempt, not as a failure.
 */
export function endOtpRows(tx: Tx, directory: Directory, identity: Buffer, burnt?: OtpPurpose) {
  // Consumes otps: redeeming the link in a mail uses up the code in the same mail.
  return tx
    .updateTable('otps')
    .set(burnt ? { used_at: now, attempts: sql<number>`attempts + 1` } : { expires_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('otps')
        .select('id')
        .where('directory_id', '=', directory.id)
        .where('identity', '=', identity)
        .where('purpose', burnt ? '=' : '!=', burnt ?? 'generator')
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .orderBy('id')
        .forUpdate(),
    )
}
