import { type Insertable, sql } from 'kysely'
import { byteaArray, intArray, uuidArray } from '../../platform/db/arrays.ts'
import { now } from '../../platform/db/now.ts'
import type { Database, Db, Tx } from '../../platform/db/pool.ts'
import { unseen } from '../../platform/db/recordset.ts'
import type { Otps } from '../../platform/db/schema.gen.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { defineProof } from '../../platform/proofs.ts'
import { defineReading } from '../../platform/readings.ts'

type Statements = Pick<Database, 'query'>

/** Separates the codes of each use: a code created for one is never accepted for another (ASVS 6.6.2). */
export type OtpPurpose = 'generator' | 'login' | 'signup' | 'step_up' | 'email_change' | 'discovery' | 'discovered'

/** The outcome of a presented code. */
export type Verdict = 'match' | 'wrong' | 'expired' | 'used' | 'spent' | 'unknown'

/**
 * Limits on wrong guesses over all codes of one session or address, per hour and per day. An attacker who requests
 * codes and guesses all day succeeds with a probability of 1 in 100 000 (40 of 2^22 phrases, 10 of 10^6 digits).
 */
const HOURLY_FAILURES = 20
const DAILY_FAILURES = 40
const DAILY_DIGIT_FAILURES = 10
// Nobody can guess a granted code: its tries are for whoever is refused and tries again, such as with another slug.
const GRANTED_ATTEMPTS = 5
// Codes with failures that are scanned for it: more than a day allows. Those without any may be as many as the caller likes.
const MAX_FAILED = 100
// Sign-in codes that are scanned for it: the limits of sending let no one have so many.
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
  directories: Directory[],
  row: Pick<NewOtpRow, 'id' | 'purpose' | 'identity' | 'phrase_hash'>,
  ttlSeconds: number,
): Promise<void> {
  const expires_at = sql<Date>`clock_now() + make_interval(secs => ${ttlSeconds})`
  const granted = { ...row, max_attempts: GRANTED_ATTEMPTS, expires_at }
  const values = directories.map(({ id: directory_id }) => ({ ...granted, directory_id }))
  if (values.length > 0) await db.insertInto('otps').values(values).execute()
}

/** A code of the generator. */
export interface GeneratedRow {
  directory: Directory
  id: string
  sessionRef: string | null
  phraseHash: Buffer | null
  digitHash: Buffer | null
  maxAttempts: number
  ttlSeconds: number
}

/** Its columns, but for its directory and its times. */
export function toColumns({ id, sessionRef, phraseHash, digitHash, maxAttempts }: GeneratedRow) {
  const hashes = { phrase_hash: phraseHash, digit_hash: digitHash }
  return { id, purpose: 'generator', session_ref: sessionRef, ...hashes, max_attempts: maxAttempts }
}

const INSERT_GENERATED = {
  name: 'otps_insert_generated',
  text: `
    with clock as materialized (select clock_now() as at),
    made as (
      insert into otps (directory_id, id, purpose, session_ref, phrase_hash, digit_hash, max_attempts, created_at, expires_at)
      select directory_id, id, 'generator', session_ref, phrase_hash, digit_hash, max_attempts, clock.at,
        clock.at + make_interval(secs => ttl_seconds)
      from clock, unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::bytea[], $6::int[], $7::int[])
        as asked (directory_id, id, session_ref, phrase_hash, digit_hash, max_attempts, ttl_seconds))
    select (extract(epoch from clock.at) * 1000)::float8 as made_at_ms from clock`,
}

/** Stores codes that are not sent with one statement: the hot path. Returns when each expires. */
export async function insertGeneratedRows({ query }: Statements, items: GeneratedRow[]): Promise<Date[]> {
  const values = [
    uuidArray(items.map((item) => item.directory.id)),
    uuidArray(items.map((item) => item.id)),
    items.map((item) => item.sessionRef),
    byteaArray(items.map((item) => item.phraseHash)),
    byteaArray(items.map((item) => item.digitHash)),
    intArray(items.map((item) => item.maxAttempts)),
    intArray(items.map((item) => item.ttlSeconds)),
  ]
  const rows = await query<{ made_at_ms: number }>({ ...INSERT_GENERATED, values })
  const madeAtMs = rows[0]?.made_at_ms ?? Number.NaN
  return items.map((item) => new Date(madeAtMs + item.ttlSeconds * 1000))
}

/** The same for codes of one directory: rows of values go to the one shard that has it. */
export async function insertGeneratedRowsOf(db: Db, directoryId: string, items: GeneratedRow[]): Promise<Date[]> {
  const values = items.map((item) => ({
    ...toColumns(item),
    directory_id: directoryId,
    expires_at: sql<Date>`clock_now() + make_interval(secs => ${item.ttlSeconds}::int)`,
  }))
  const rows = await db.insertInto('otps').values(values).returning(['id', 'expires_at']).execute()
  const ends = new Map(rows.map((row) => [row.id, row.expires_at]))
  return items.map((item) => ends.get(item.id) ?? new Date(Number.NaN))
}

/** A code presented to the generator's validation. */
export interface PresentedCode {
  directory: Directory
  otpId: string
  /** The session that the code must belong to, if the caller names one. */
  sessionRef: string | null
  hash: Buffer
}

/**
 * Consumes the codes that plainly pass: those that no other code and no wrong guess at one has a say about, as at the codes of a
 * session or an address. An update that waited for a row looks at it again (READ COMMITTED), so a code passes once however
 * many processes try it concurrently. Rows are locked in key order, by the plan that the limit brings about as in `validation`.
 */
const passing = (inOne: boolean) => {
  const given = ['$1::uuid[]', '$2::uuid[]', '$3::bytea[]']
  return {
    name: inOne ? 'otps_pass_in_one' : 'otps_pass',
    text: `
      with clock as materialized (select clock_now() as at),
      asked as (
        select * from unnest(${(inOne ? given.slice(1) : given).map(unseen).join(', ')}) with ordinality
          as a (${inOne ? '' : 'directory_id, '}id, hash, place)
        order by ${inOne ? '' : 'directory_id, '}id limit $4)
      update otps set used_at = clock.at from clock, asked
      where otps.directory_id = ${inOne ? '$1' : 'asked.directory_id'} and otps.id = asked.id and otps.purpose = 'generator'
        and otps.session_ref is null and otps.identity is null and otps.used_at is null
        and otps.attempts < otps.max_attempts and otps.expires_at > clock.at
        and (asked.hash = otps.phrase_hash or asked.hash = otps.digit_hash)
      returning asked.place::int`,
  }
}

const PASS = passing(false)
const PASS_IN_ONE = passing(true)

/** Consumes codes with one statement, and tells which. Of the others `validateRows` says why they have not passed, if so. */
export async function passRows(
  { query }: Statements,
  items: Omit<PresentedCode, 'sessionRef'>[],
  directoryId: string | null,
): Promise<boolean[]> {
  const values = [
    directoryId ?? uuidArray(items.map((item) => item.directory.id)),
    uuidArray(items.map((item) => item.otpId)),
    byteaArray(items.map((item) => item.hash)),
    items.length,
  ]
  const rows = await query<{ place: number }>({ ...(directoryId === null ? PASS : PASS_IN_ONE), values })
  const passed = Array<boolean>(items.length).fill(false)
  for (const { place } of rows) passed[place - 1] = true
  return passed
}

const PRESENTED = ['$1::uuid[]', '$2::uuid[]', '$3::text[]', '$4::bytea[]']

/** The newest code of the same that voids older ones, and those at which somebody has guessed. */
function siblings(same: string, inOne: boolean): string {
  const codes = `select id, created_at, attempts, withheld from otps
            where directory_id = ${inOne ? '$1' : 'locked.directory_id'} and ${same}`
  // By `withheld` as well, or the planner would sort all that the index has in this order.
  return `(${codes} and not withheld order by withheld desc, created_at desc, id desc limit 1)
          union
          (${codes} and attempts > 0 order by created_at desc limit ${MAX_FAILED})`
}

/**
 * Judges each code on its locked row and consumes it, or counts the attempt, in the same statement. A statement that
 * waited for a row re-reads it (`for update` under READ COMMITTED), so a code passes once however many processes try it
 * concurrently. Rows are locked in key order, so that two statements cannot deadlock.
 *
 * The lateral subquery and the limit on `asked` keep the planner on the primary key: a plan made while the table was
 * small would scan all of it later. Digests are compared plainly: without the key of the hash, timing reveals nothing.
 *
 * `$1` are the directories of the codes; `inOne` gives the statement for codes of a single one, named as a constant.
 */
const validation = (inOne: boolean) => ({
  name: inOne ? 'otps_validate_in_one' : 'otps_validate',
  text: `
    with clock as materialized (select clock_now() as at),
    asked as (
      select * from unnest(${(inOne ? PRESENTED.slice(1) : PRESENTED).map(unseen).join(', ')})
        as a (${inOne ? '' : 'directory_id, '}id, session_ref, hash)
      order by ${inOne ? '' : 'directory_id, '}id limit $5),
    locked as (
      select o.*, clock.at, asked.hash = o.phrase_hash as is_phrase, asked.hash = o.digit_hash as is_digits
      from clock cross join asked cross join lateral (
        select * from otps
        where directory_id = ${inOne ? '$1' : 'asked.directory_id'} and id = asked.id and purpose = 'generator'
          and (asked.session_ref is null or session_ref = asked.session_ref)
        for update) o),
    judged as (
      select directory_id, id, locked.at, case
        when superseded then 'unknown'
        when attempts >= max_attempts or this_hour >= ${HOURLY_FAILURES}
          or today >= case when digit_hash is null then ${DAILY_FAILURES} else ${DAILY_DIGIT_FAILURES} end then 'spent'
        when not (coalesce(is_phrase, false) or coalesce(is_digits, false)) then 'wrong'
        when used_at is not null then 'used'
        when expires_at <= locked.at then 'expired'
        else 'match' end as verdict
      from locked cross join lateral (
        select coalesce(bool_or((s.created_at, s.id) > (locked.created_at, locked.id)) filter (where not s.withheld), false)
            as superseded,
          sum(s.attempts) filter (where s.created_at > locked.at - interval '1 hour') as this_hour,
          sum(s.attempts) filter (where s.created_at > locked.at - interval '1 day') as today
        from (
          ${siblings('session_ref = locked.session_ref', inOne)}
          union
          ${siblings("identity = locked.identity and purpose = 'generator'", inOne)}) s
        where locked.session_ref is not null or locked.identity is not null) siblings),
    written as (
      update otps set
        attempts = attempts + (verdict = 'wrong')::int,
        used_at = case when verdict = 'match' then judged.at else used_at end
      from judged
      where otps.directory_id = ${inOne ? '$1' : 'judged.directory_id'} and otps.id = judged.id
        and verdict in ('match', 'wrong'))
    select id, verdict from judged`,
})

const VALIDATE = validation(false)
const VALIDATE_IN_ONE = validation(true)

/** Judges and consumes codes with one statement; no id may occur twice in one call. `directoryId` if all are of one. */
export async function validateRows(
  { query }: Statements,
  items: PresentedCode[],
  directoryId: string | null,
): Promise<Verdict[]> {
  const values = [
    directoryId ?? uuidArray(items.map((item) => item.directory.id)),
    uuidArray(items.map((item) => item.otpId)),
    items.map((item) => item.sessionRef),
    byteaArray(items.map((item) => item.hash)),
    items.length,
  ]
  const rows = await query<{ id: string; verdict: Verdict }>({
    ...(directoryId === null ? VALIDATE : VALIDATE_IN_ONE),
    values,
  })
  const verdicts = new Map(rows.map((row) => [row.id, row.verdict]))
  return items.map((item) => verdicts.get(item.otpId) ?? 'unknown')
}

/** The code that is meant by a session of the generator's caller: the newest that left while it may pass, or else the newest. */
export async function findIdOfSession(db: Db, directory: Directory, sessionRef: string): Promise<string | null> {
  const newest = (withheld: boolean) => sql`(
    select id, created_at, not withheld and used_at is null and expires_at > ${now} and attempts < max_attempts as may_pass
    from otps where directory_id = ${directory.id} and session_ref = ${sessionRef} and purpose = 'generator'
      and withheld = ${withheld}
    order by created_at desc, id desc limit 1)`
  const { rows } = await sql<{ id: string }>`
    select id from (${newest(false)} union all ${newest(true)}) codes
    order by may_pass desc, created_at desc, id desc limit 1`.execute(db)
  return rows[0]?.id ?? null
}

interface OtpOwner {
  purpose: OtpPurpose
  identity: Buffer
  bySms?: boolean
}

/** The newest code of an identity, if it went the same way, is recent enough and has neither been used nor tried. */
export async function findLiveOtpRow(db: Db, directory: Directory, owner: OtpOwner, newerThanSeconds: number) {
  const { rows } = await sql<{ id: string; expires_at: Date }>`
    select id, expires_at from (
      select * from otps where directory_id = ${directory.id} and identity = ${owner.identity} and purpose = ${owner.purpose}
      order by created_at desc, id desc limit 1) newest
    where used_at is null and attempts = 0 and (phone_id is not null) = ${owner.bySms ?? false} and expires_at > ${now}
      and created_at > clock_now() - make_interval(secs => ${newerThanSeconds})`.execute(db)
  return rows[0]
}

/** What a code that signs up says of whoever does, while it has neither been used nor expired. */
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

/** What became of an attempt at a sign-in code, which `codeProof` consumes if it is right. */
interface TriedRow {
  /** `left_out` while another statement tries the same code. */
  verdict: Verdict | 'left_out'
  code_user_id: string | null
  code_signs_up: boolean | null
  code_locale: string | null
  code_by_sms: boolean | null
}

/**
 * Counts an attempt at a sign-in code and judges it, where the facts about its address are read. Committed on its own,
 * before the comparison, whatever the request does next. `siblings` are the codes of the same address: only the newest of
 * the purpose that was not withheld is valid, and what was withheld since, of a change of address that of each who asks;
 * attempts at any share one budget. Those at a code that is void are counted and judged like others, or the limit would
 * tell whether a newer one has left. One that went to a phone is valid as long as its user has that, which only the right
 * code meets: decoys are of nobody's phone.
 */
export const triedCode = defineReading<TriedRow>()({
  columns: { otp_id: 'uuid', otp_purpose: 'text', otp_hash: 'bytea' },
  before: ({ directory, lock }) => `,
    tried as materialized (
      select asked.n, asked.otp_hash, is_there, siblings.newest_id is not distinct from asked.otp_id as is_newest, code.*,
        attempts < max_attempts and this_hour + attempts < ${HOURLY_FAILURES} and today + attempts
          < case when digit_hash is null then ${DAILY_FAILURES} else ${DAILY_DIGIT_FAILURES} end as is_allowed
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
  joins: () => 'join tried on tried.n = asked.n',
  selects: ({ directory }) => `
    case when tried.is_allowed and tried.is_newest then tried.code_user_id end as code_user_id,
    tried.is_allowed and tried.signs_up as code_signs_up, tried.locale as code_locale,
    tried.phone_id is not null as code_by_sms,
    case
      when not tried.is_there then 'unknown'
      when tried.code_id is null then 'left_out'
      when not tried.is_allowed then 'spent'
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

/** The one consumer of sign-in codes: of any number of requests with the same code one passes. */
export const codeProof = defineProof({
  name: 'code',
  columns: { otp_id: 'uuid', otp_purpose: 'text' },
  locks: true,
  find: (directory) => `
    select id from otps where directory_id = ${directory} and id = asked.otp_id and purpose = asked.otp_purpose
      and used_at is null and expires_at > clock.at`,
  write: (directory) => `
    update otps set used_at = ready.at from ready where otps.directory_id = ${directory} and otps.id = ready.otp_id`,
})

/**
 * Ends the sign-in codes of an address under the lock of its user, or burns those for one purpose: a query. A code that is
 * being tried is waited for, as that statement waits for nothing; one that a user redeems is so under the same lock. Burnt,
 * it counts as used by the right code, whose attempt is no failure.
 */
export function endOtpRows(tx: Tx, directory: Directory, identity: Buffer, burnt?: OtpPurpose) {
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
