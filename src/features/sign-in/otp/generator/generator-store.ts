import { sql } from 'kysely'
import { now } from '../../../../platform/db/now.ts'
import type { Db } from '../../../../platform/db/pool.ts'
import { defineJoined } from '../../../../platform/joined/joined.ts'
import { type SqlText, sqlText } from '../../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../../platform/tenancy/directory.ts'
import { DAILY_DIGIT_FAILURES, DAILY_FAILURES, HOURLY_FAILURES, type Verdict } from '../store.ts'

// The number of codes with failures that are read to check the limits, which is more than a day allows. Codes without
// failures are not read, because a caller may create any number of them.
const MAX_FAILED = 100

/** A code of the generator. */
export interface GeneratedRow {
  id: string
  session_ref: string | null
  phrase_hash: Buffer | null
  digit_hash: Buffer | null
  max_attempts: number
  ttl_seconds: number
}

/** Stores a code that is not sent. This statement runs often and is kept short. */
export const generatedCode = defineJoined<{ expires_at: Date }>()({
  columns: {
    id: 'uuid',
    session_ref: 'text',
    phrase_hash: 'bytea',
    digit_hash: 'bytea',
    max_attempts: 'int',
    ttl_seconds: 'int',
  },
  text: ({ directory }) => sqlText`,
    made as (
      insert into otps (directory_id, id, purpose, session_ref, phrase_hash, digit_hash, max_attempts, created_at, expires_at)
      select ${directory('asked')}, asked.id, 'generator', asked.session_ref, asked.phrase_hash, asked.digit_hash,
        asked.max_attempts, clock.at, clock.at + make_interval(secs => asked.ttl_seconds)
      from clock cross join asked)
    select asked.n, clock.at + make_interval(secs => asked.ttl_seconds) as expires_at from clock cross join asked`,
})

/** Selects the newest sent code that matches `same`, which voids older codes, and the codes with failed attempts. */
function siblings(same: SqlText, directory: SqlText): SqlText {
  const codes = sqlText`select id, created_at, attempts, withheld from otps where directory_id = ${directory} and ${same}`
  // Ordered by `withheld` too. Otherwise the planner would sort all rows that the index already has in this order.
  return sqlText`(${codes} and not withheld order by withheld desc, created_at desc, id desc limit 1)
          union
          (${codes} and attempts > 0 order by created_at desc limit ${MAX_FAILED})`
}

/**
 * Checks a code on its locked row, and consumes it or counts the attempt in the same statement. A statement that
 * waited for a row reads it again (`for update` under READ COMMITTED), so a code passes only once, even if several
 * processes try it at the same time. Rows are locked in key order, so that two statements cannot deadlock.
 *
 * The lateral subquery keeps the planner on the primary key. A plan made while the table was small would scan the
 * whole table later. Hashes are compared without a constant-time function, because timing reveals nothing to someone
 * without the hash key.
 */
// Consumes otps: validating a generated code.
export const verifiedCode = defineJoined<{ verdict: Verdict }>()({
  columns: { id: 'uuid', session_ref: 'text', hash: 'bytea' },
  order: sqlText`directory_id, id`,
  text: ({ directory }) => sqlText`,
    locked as (
      select asked.n, o.*, clock.at, asked.hash = o.phrase_hash as is_phrase, asked.hash = o.digit_hash as is_digits
      from clock cross join asked cross join lateral (
        select * from otps
        where directory_id = ${directory('asked')} and id = asked.id and purpose = 'generator'
          and (asked.session_ref is null or session_ref = asked.session_ref)
        for update) o),
    verified as (
      select n, directory_id, id, locked.at, case
        when superseded then 'unknown'
        when attempts >= max_attempts or this_hour >= ${HOURLY_FAILURES}
          or today >= case when digit_hash is null then ${DAILY_FAILURES} else ${DAILY_DIGIT_FAILURES} end then 'exhausted'
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
          ${siblings(sqlText`session_ref = locked.session_ref`, directory('locked'))}
          union
          ${siblings(sqlText`identity = locked.identity and purpose = 'generator'`, directory('locked'))}) s
        where locked.session_ref is not null or locked.identity is not null) siblings),
    written as (
      update otps set
        attempts = attempts + (verdict = 'wrong')::int,
        used_at = case when verdict = 'match' then verified.at else used_at end
      from verified
      where otps.directory_id = ${directory('verified')} and otps.id = verified.id
        and verdict in ('match', 'wrong'))
    select n, verdict from verified`,
})

/** Finds the code of a caller's session: the newest sent code while it may pass, and otherwise the newest code. */
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
