import { sql } from 'kysely'
import { byteaArray, intArray, uuidArray } from '../../../platform/db/arrays.ts'
import { now } from '../../../platform/db/now.ts'
import type { Database, Db } from '../../../platform/db/pool.ts'
import { unseen } from '../../../platform/db/recordset.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { DAILY_DIGIT_FAILURES, DAILY_FAILURES, HOURLY_FAILURES, type Verdict } from './store.ts'

type Statements = Pick<Database, 'query'>

// Codes with failures that are scanned for their limits: more than a day allows. Those without any may be as many as the
// caller likes.
const MAX_FAILED = 100

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

/** Stores codes that are not sent with one statement: the hot path. Returns when each expires, as text (ISO 8601). */
export async function insertGeneratedRows({ query }: Statements, items: GeneratedRow[]): Promise<string[]> {
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
  // Most live equally long: their date is written once.
  const ends = new Map<number, string>()
  return items.map(({ ttlSeconds }) => {
    const end = ends.get(ttlSeconds) ?? new Date(madeAtMs + ttlSeconds * 1000).toISOString()
    ends.set(ttlSeconds, end)
    return end
  })
}

/** The same for codes of one directory: rows of values go to the one shard that has it. */
export async function insertGeneratedRowsOf(db: Db, directoryId: string, items: GeneratedRow[]): Promise<string[]> {
  const values = items.map((item) => ({
    ...toColumns(item),
    directory_id: directoryId,
    expires_at: sql<Date>`clock_now() + make_interval(secs => ${item.ttlSeconds}::int)`,
  }))
  const rows = await db.insertInto('otps').values(values).returning(['id', 'expires_at']).execute()
  const ends = new Map(rows.map((row) => [row.id, row.expires_at.toISOString()]))
  return items.map(({ id }) => {
    const end = ends.get(id)
    if (end === undefined) throw new Error('A code that was not stored')
    return end
  })
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
 * Judges codes of no session and no address that may still pass, as `validation` does, by an update alone: no other code has
 * a say about these. It tests and counts in one: what waited for a row looks at it again (READ COMMITTED), so a code passes
 * once, and no guess is tested that is not counted, however many processes try concurrently. Rows are locked in key order, by
 * the plan that the limit brings about while the planner does not see it, and sequential scans being off.
 */
// Consumes otps: validating a generated code that names no session and no address.
const plainValidation = (inOne: boolean) => {
  const given = ['$1::uuid[]', '$2::uuid[]', '$3::bytea[]']
  const isRight = 'asked.hash = otps.phrase_hash or asked.hash = otps.digit_hash'
  return {
    name: inOne ? 'otps_validate_plain_in_one' : 'otps_validate_plain',
    text: `
      with clock as materialized (select clock_now() as at),
      asked as (
        select * from unnest(${(inOne ? given.slice(1) : given).map(unseen).join(', ')}) with ordinality
          as a (${inOne ? '' : 'directory_id, '}id, hash, place)
        order by ${inOne ? '' : 'directory_id, '}id limit $4)
      update otps set
        used_at = case when ${isRight} then clock.at end,
        attempts = otps.attempts + case when ${isRight} then 0 else 1 end
      from clock, asked
      where otps.directory_id = ${inOne ? '$1' : 'asked.directory_id'} and otps.id = asked.id and otps.purpose = 'generator'
        and otps.session_ref is null and otps.identity is null and otps.used_at is null
        and otps.attempts < otps.max_attempts and otps.expires_at > clock.at
      returning asked.place::int, otps.used_at is not null as passed`,
  }
}

const PLAIN = plainValidation(false)
const PLAIN_IN_ONE = plainValidation(true)

/**
 * Judges codes with one statement, and consumes them or counts the attempt; no id may occur twice in one call. Null for those
 * that it left as they were: `validateRows` judges them.
 */
export async function validatePlainRows(
  { query }: Statements,
  items: Omit<PresentedCode, 'sessionRef'>[],
  directoryId: string | null,
): Promise<('match' | 'wrong' | null)[]> {
  const values = [
    directoryId ?? uuidArray(items.map((item) => item.directory.id)),
    uuidArray(items.map((item) => item.otpId)),
    byteaArray(items.map((item) => item.hash)),
    items.length,
  ]
  const statement = directoryId === null ? PLAIN : PLAIN_IN_ONE
  const rows = await query<{ place: number; passed: boolean }>({ ...statement, values })
  const verdicts = Array<'match' | 'wrong' | null>(items.length).fill(null)
  for (const { place, passed } of rows) verdicts[place - 1] = passed ? 'match' : 'wrong'
  return verdicts
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
// Consumes otps: validating a generated code that names a session or an address.
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
