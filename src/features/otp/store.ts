import { type Insertable, sql } from 'kysely'
import type { Database, Db, Tx } from '../../platform/db/pool.ts'
import type { Otps } from '../../platform/db/schema.gen.ts'
import type { Directory } from '../../platform/http/directory.ts'

type Pool = Database['pool']

/** Keeps the codes of each use apart: one made for one never passes in another (ASVS 6.6.2). */
export type OtpPurpose = 'generator' | 'login' | 'signup'

/** What came of a presented code. */
export type Verdict = 'match' | 'wrong' | 'expired' | 'used' | 'spent' | 'unknown'

/**
 * Wrong guesses over all codes of one session or address: per hour, and per day. Whoever asks for codes and guesses
 * all day is right with a chance of 1 in 100 000 (40 of 2^22 phrases, 10 of 10^6 digits).
 */
const HOURLY_FAILURES = 20
const DAILY_FAILURES = 40
const DAILY_DIGIT_FAILURES = 10
// Codes that are looked at for it. Nobody sends so many; a session_id that every request shares stays fast.
const MAX_SIBLINGS = 1000

const now = sql<Date>`clock_now()`

type NewOtpRow = Omit<Insertable<Otps>, 'directory_id' | 'expires_at' | 'created_at' | 'attempts'>

/** Stores a code; returns when it expires. */
export async function insertOtpRow(db: Db, directory: Directory, row: NewOtpRow, ttlSeconds: number): Promise<Date> {
  const expiresAt = sql<Date>`clock_now() + make_interval(secs => ${ttlSeconds})`
  const inserted = await db
    .insertInto('otps')
    .values({ ...row, directory_id: directory.id, expires_at: expiresAt })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return inserted.expires_at
}

/** A code of the generator that nobody is mailed: the hot path. */
export interface GeneratedRow {
  directory: Directory
  id: string
  sessionRef: string | null
  phraseHash: Buffer | null
  digitHash: Buffer | null
  maxAttempts: number
  ttlSeconds: number
}

const INSERT_GENERATED = {
  name: 'otps_insert_generated',
  text: `
    with made as (
      insert into otps (directory_id, id, purpose, session_ref, phrase_hash, digit_hash, max_attempts, created_at, expires_at)
      select directory_id, id, 'generator', session_ref, phrase_hash, digit_hash, max_attempts, clock_now(),
        clock_now() + make_interval(secs => ttl_seconds)
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::bytea[], $6::int[], $7::int[])
        as asked (directory_id, id, session_ref, phrase_hash, digit_hash, max_attempts, ttl_seconds))
    select (extract(epoch from clock_now()) * 1000)::float8 as made_at_ms`,
}

/** Stores codes with one statement; returns when each expires. */
export async function insertGeneratedRows(pool: Pool, items: GeneratedRow[]): Promise<Date[]> {
  const values = [
    items.map((item) => item.directory.id),
    items.map((item) => item.id),
    items.map((item) => item.sessionRef),
    items.map((item) => item.phraseHash),
    items.map((item) => item.digitHash),
    items.map((item) => item.maxAttempts),
    items.map((item) => item.ttlSeconds),
  ]
  const { rows } = await pool.query<{ made_at_ms: number }>({ ...INSERT_GENERATED, values })
  const madeAtMs = rows[0]?.made_at_ms ?? Number.NaN
  return items.map((item) => new Date(madeAtMs + item.ttlSeconds * 1000))
}

/** A code presented to the generator's validation. */
export interface PresentedCode {
  directory: Directory
  otpId: string
  /** The session that the code must belong to, when the caller names one. */
  sessionRef: string | null
  hash: Buffer
}

/**
 * Judges each code on its locked row and spends it, or the attempt, in the same statement. A statement that waited for
 * a row sees it as the one before left it (`for update` under READ COMMITTED), so a code passes once however many
 * processes ask at once. Rows are locked in the order of their keys: two statements never wait crosswise.
 *
 * A lateral subquery and the limit on `asked` keep the planner at the primary key: a plan made while the table was
 * small would else read all of it later. Digests are compared as they are: without the key of the hash the time of a
 * comparison tells nothing.
 */
const VALIDATE = {
  name: 'otps_validate',
  text: `
    with asked as (
      select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) as a (directory_id, id, session_ref, hash)
      order by directory_id, id limit $5),
    locked as (
      select o.*, asked.hash = o.phrase_hash as is_phrase, asked.hash = o.digit_hash as is_digits
      from asked cross join lateral (
        select * from otps
        where directory_id = asked.directory_id and id = asked.id and purpose = 'generator'
          and (asked.session_ref is null or session_ref = asked.session_ref)
        for update) o),
    judged as (
      select directory_id, id, case
        when superseded then 'unknown'
        when attempts >= max_attempts or this_hour >= ${HOURLY_FAILURES} 
          or today >= case when digit_hash is null then ${DAILY_FAILURES} else ${DAILY_DIGIT_FAILURES} end then 'spent'
        when not (coalesce(is_phrase, false) or coalesce(is_digits, false)) then 'wrong'
        when used_at is not null then 'used'
        when expires_at <= clock_now() then 'expired'
        else 'match' end as verdict
      from locked cross join lateral (
        select coalesce(bool_or((s.created_at, s.id) > (locked.created_at, locked.id)), false) as superseded,
          sum(s.attempts) filter (where s.created_at > clock_now() - interval '1 hour') as this_hour,
          sum(s.attempts) filter (where s.created_at > clock_now() - interval '1 day') as today
        from (
          (select id, created_at, attempts from otps
            where directory_id = locked.directory_id and session_ref = locked.session_ref
            order by created_at desc, id desc limit ${MAX_SIBLINGS})
          union
          (select id, created_at, attempts from otps
            where directory_id = locked.directory_id and identity = locked.identity and purpose = 'generator'
            order by created_at desc, id desc limit ${MAX_SIBLINGS})) s
        where locked.session_ref is not null or locked.identity is not null) siblings),
    written as (
      update otps set
        attempts = attempts + (verdict = 'wrong')::int,
        used_at = case when verdict = 'match' then clock_now() else used_at end
      from judged
      where otps.directory_id = judged.directory_id and otps.id = judged.id and verdict in ('match', 'wrong'))
    select id, verdict from judged`,
}

/** Judges and spends codes with one statement; no id twice in one call. */
export async function validateRows(pool: Pool, items: PresentedCode[]): Promise<Verdict[]> {
  const values = [
    items.map((item) => item.directory.id),
    items.map((item) => item.otpId),
    items.map((item) => item.sessionRef),
    items.map((item) => item.hash),
    items.length,
  ]
  const { rows } = await pool.query<{ id: string; verdict: Verdict }>({ ...VALIDATE, values })
  const verdicts = new Map(rows.map((row) => [row.id, row.verdict]))
  return items.map((item) => verdicts.get(item.otpId) ?? 'unknown')
}

/** The newest code of a session of the generator's caller. */
export async function findNewestIdOfSession(db: Db, directory: Directory, sessionRef: string): Promise<string | null> {
  const row = await db
    .selectFrom('otps')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('session_ref', '=', sessionRef)
    .where('purpose', '=', 'generator')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

interface OtpOwner {
  purpose: OtpPurpose
  identity: Buffer
}

/** The newest code of an identity, if it was made within the time and nothing has happened to it yet. */
export async function findLiveOtpRow(db: Db, directory: Directory, owner: OtpOwner, newerThanSeconds: number) {
  return db
    .selectFrom((eb) =>
      eb
        .selectFrom('otps')
        .select(['id', 'created_at', 'expires_at', 'used_at', 'attempts'])
        .where('directory_id', '=', directory.id)
        .where('identity', '=', owner.identity)
        .where('purpose', '=', owner.purpose)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .as('newest'),
    )
    .select(['id', 'expires_at'])
    .where('used_at', 'is', null)
    .where('attempts', '=', 0)
    .where('expires_at', '>', now)
    .where('created_at', '>', sql<Date>`clock_now() - make_interval(secs => ${newerThanSeconds})`)
    .executeTakeFirst()
}

/**
 * One statement of its own: the attempt is counted before the comparison, and stays counted whatever the request does
 * next. `siblings` are the codes of the same address: the newest of the purpose counts, and guesses at any of them share
 * one budget.
 */
const CLAIM_ATTEMPT = {
  name: 'otps_claim_attempt',
  text: `
    with siblings as (
      select (array_agg(id order by created_at desc, id desc) filter (where purpose = $3))[1] as newest_id,
        coalesce(sum(failures) filter (where id <> $4 and created_at > clock_now() - interval '1 hour'), 0) as this_hour,
        coalesce(sum(failures) filter (where id <> $4 and created_at > clock_now() - interval '1 day'), 0) as today
      from (
        select id, purpose, created_at, attempts - (used_at is not null)::int as failures from otps
        where directory_id = $1 and identity = $2 and purpose <> 'generator'
        order by created_at desc, id desc limit ${MAX_SIBLINGS}) s),
    claimed as (
      update otps set attempts = attempts + 1
      from siblings
      where directory_id = $1 and id = $4 and identity = $2 and purpose = $3 and id = newest_id
        and attempts < max_attempts and this_hour + attempts < ${HOURLY_FAILURES}
        and today + attempts < case when digit_hash is null then ${DAILY_FAILURES} else ${DAILY_DIGIT_FAILURES} end
      returning id, user_id, case
        when not (coalesce(phrase_hash = $5, false) or coalesce(digit_hash = $5, false)) then 'wrong'
        when used_at is not null then 'used'
        when expires_at <= clock_now() then 'expired'
        else 'match' end as verdict)
    select case when newest_id is distinct from $4 then 'unknown' else coalesce(verdict, 'spent') end as verdict, user_id
    from siblings left join claimed on true`,
}

/** Counts an attempt at a sign-in code and judges it; does not spend the code. */
export async function claimAttempt(
  pool: Pool,
  directory: Directory,
  attempt: OtpOwner & { otpId: string; hash: Buffer },
): Promise<{ verdict: Verdict; user_id: string | null }> {
  const values = [directory.id, attempt.identity, attempt.purpose, attempt.otpId, attempt.hash]
  const { rows } = await pool.query<{ verdict: Verdict; user_id: string | null }>({ ...CLAIM_ATTEMPT, values })
  return rows[0] ?? { verdict: 'unknown', user_id: null }
}

/** Spends a sign-in code. As a query, so that the session it pays for is written by the same statement. */
export function consumeOtpRow(db: Db, directory: Directory, otpId: string, purpose: OtpPurpose) {
  return db
    .updateTable('otps')
    .set({ used_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', '=', otpId)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['id', 'user_id'])
}

/**
 * Ends the sign-in codes of an address. One that is being redeemed at this moment is passed over, not waited for: that
 * statement waits for the user's row in turn, and looks at the user itself.
 */
export async function expireOtpRows(tx: Tx, directory: Directory, identity: Buffer): Promise<void> {
  await tx
    .updateTable('otps')
    .set({ expires_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('otps')
        .select('id')
        .where('directory_id', '=', directory.id)
        .where('identity', '=', identity)
        .where('purpose', '!=', 'generator')
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .forUpdate()
        .skipLocked(),
    )
    .execute()
}

/** Deletes codes older than any life and any window they count in. Returns how many. */
export async function deleteOldOtpRows(db: Db, olderThanDays: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from otps where (directory_id, id) in (
      select directory_id, id from otps where created_at < clock_now() - make_interval(days => ${olderThanDays})
      order by created_at limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
