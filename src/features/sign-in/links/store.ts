import { type ExpressionBuilder, type RawBuilder, type Selectable, sql } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { DB, Links } from '../../../platform/db/schema.gen.ts'
import { defineProof } from '../../../platform/joined/proofs.ts'
import { defineReading } from '../../../platform/joined/readings.ts'
import { joinText, nameText, sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { LinkPurpose } from './purposes/purposes.ts'

/** A link as it was presented. */
export type LinkRow = Pick<Selectable<Links>, 'id' | 'purpose' | 'user_id' | 'identity' | 'token_hash' | 'details'> & {
  used: boolean
  /** Before it expired. */
  withdrawn: boolean
  expired: boolean
  age_seconds: number
}

export interface NewLinkRow {
  id: string
  purpose: string
  replaces: LinkPurpose['replaces']
  userId: string | null
  identity: Buffer
  tokenHash: Buffer
  details: Record<string, unknown>
  isDecoy: boolean
  ttlSeconds: number
}

const isLive = sql<boolean>`used_at is null and closed_at is null and expires_at > clock_now()`

/** Stores a link and closes the older ones that it replaces, or decoys if it is one. Returns when it expires. */
export async function insertLinkRow(tx: Tx, directory: Directory, row: NewLinkRow): Promise<Date> {
  const { purpose, replaces } = row
  const { holder, isOlder } = {
    address: { holder: row.identity.toString('hex'), isOlder: sql`identity = ${row.identity}` },
    user: { holder: row.userId, isOlder: sql`user_id = ${row.userId}` },
    none: { holder: null, isOlder: sql`false` },
  }[replaces]
  // Serializes concurrent inserts, so that the later one sees and closes the earlier.
  if (holder !== null)
    await sql`select pg_advisory_xact_lock(hashtextextended(${`${directory.id}/${purpose}/${holder}`}, 0))`.execute(tx)
  // Skips locked rows: the statement names its directory, so a distributed database accepts the lock.
  const { rows } = await sql<{ expires_at: Date }>`
    with closed as (
      update links set closed_at = clock_now()
      where directory_id = ${directory.id} and id in (
        select id from links
        where directory_id = ${directory.id} and ${isOlder} and purpose = ${purpose} and ${isLive}
          -- A decoy replaces only other decoys, which have no user and no details.
          and (not ${row.isDecoy}::boolean or user_id is null and details = '{}')
        -- One that is being redeemed right now is skipped, not waited for.
        for update skip locked))
    insert into links (directory_id, id, purpose, user_id, identity, token_hash, details, expires_at, tagged)
    values (${directory.id}, ${row.id}, ${purpose}, ${row.userId}, ${row.identity}, ${row.tokenHash},
      ${JSON.stringify(row.details)}, clock_now() + make_interval(secs => ${row.ttlSeconds}::int), true)
    returning expires_at`.execute(tx)
  const [made] = rows
  if (!made) throw new Error('A link was not stored')
  return made.expires_at
}

/** Whether a link of any directory is live whose token has no tag. */
export async function hasUntaggedLinks(db: Db): Promise<boolean> {
  const { rows } = await sql`select from links where not tagged and expires_at > clock_now() limit 1`.execute(db)
  return rows.length > 0
}

const COLUMNS = [
  ...['id', 'purpose', 'user_id', 'identity', 'token_hash', 'details'],
  ...['used', 'withdrawn', 'expired', 'age_seconds'],
] as const

/** A link with its columns named `link_…`, all null where there is none. */
type ShownRow = Record<string, unknown>

/** The link of a token, in whatever state, where the facts about its address are read. */
export const shownLink = defineReading<ShownRow>()({
  columns: { link_hash: 'bytea' },
  joins: ({ directory }) => sqlText`
    left join lateral (
      select *, used_at is not null as used, coalesce(closed_at < expires_at, false) as withdrawn,
        expires_at <= clock.at as expired, extract(epoch from clock.at - created_at)::float8 as age_seconds
      from links where directory_id = ${directory('asked')} and token_hash = asked.link_hash limit 1) link on true`,
  selects: () =>
    joinText(
      COLUMNS.map(nameText).map((column) => sqlText`link.${column} as link_${column}`),
      ', ',
    ),
})

export function toLinkRow(shown: ShownRow): LinkRow | null {
  if (shown['link_id'] === null) return null
  const row = Object.fromEntries(COLUMNS.map((column) => [column, shown[`link_${column}`]]))
  // Its columns are those that `shownLink` selects.
  return row as unknown as LinkRow
}

/** The one consumer of links: of any number of requests with the same link one passes. */
// Consumes links: redeeming a link, for whatever it allows.
export const linkProof = defineProof({
  name: 'link',
  columns: { link_id: 'uuid' },
  locks: true,
  find: (directory) => sqlText`
    select id from links where directory_id = ${directory} and id = asked.link_id
      and used_at is null and closed_at is null and expires_at > clock.at`,
  write: (directory) => sqlText`
    update links set used_at = ready.at from ready where links.directory_id = ${directory} and links.id = ready.link_id`,
})

/**
 * Closes the links of a user, or to an address, except `exceptId`: a query, to execute or to embed. One that another request
 * is redeeming right now is skipped, to avoid a deadlock: that statement waits for the user's row in turn, and checks the user
 * itself.
 */
export function closeLinkRows(tx: Tx, directory: Directory, which: LiveLinks) {
  return tx
    .updateTable('links')
    .set({ closed_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', 'in', (eb) => selectLiveLinks(eb, directory, which))
    .returning('id')
}

interface LiveLinks {
  userId: string | null
  identity: Buffer | null
  purpose?: string
  exceptId?: string | undefined
  sparedPurposes?: string[]
}

/** The live links of a user, or to an address, locked. */
function selectLiveLinks(eb: ExpressionBuilder<DB, 'links'>, directory: Directory, which: LiveLinks) {
  return (
    eb
      .selectFrom('links')
      .select('id')
      .where('directory_id', '=', directory.id)
      // A sign-up link has no user and belongs to the address.
      .where((eb) =>
        eb.or([
          ...(which.userId === null ? [] : [eb('user_id', '=', which.userId)]),
          ...(which.identity ? [eb('identity', '=', which.identity)] : []),
        ]),
      )
      .where(isLive)
      .$if(which.purpose !== undefined, (query) => query.where('purpose', '=', which.purpose ?? ''))
      .$if((which.sparedPurposes ?? []).length > 0, (query) =>
        query.where('purpose', 'not in', which.sparedPurposes ?? []),
      )
      .$if(which.exceptId !== undefined, (query) => query.where('id', '!=', which.exceptId ?? ''))
      .forUpdate()
      .skipLocked()
  )
}

/**
 * Uses the live links of a user for a purpose, except `exceptId`, since what they ask for has happened in another way. `details`
 * are added to theirs. Returns their ids. One that another request is redeeming right now is skipped, as above.
 */
// Consumes links: what they ask for has happened in another way.
export async function useLinkRows(
  tx: Tx,
  directory: Directory,
  which: { userId: string; purpose: string; exceptId: string | undefined; details: Record<string, unknown> },
): Promise<string[]> {
  const { exceptId, details, ...of } = which
  const rows = await tx
    .updateTable('links')
    .set({ used_at: now, details: sql`details || ${JSON.stringify(details)}::jsonb` })
    .where('directory_id', '=', directory.id)
    .where('id', 'in', (eb) => selectLiveLinks(eb, directory, { ...of, identity: null, exceptId }))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Whether a link of a user for a purpose is live. */
export async function hasLiveLinkRow(db: Db, directory: Directory, userId: string, purpose: string): Promise<boolean> {
  const row = await db
    .selectFrom('links')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where(isLive)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Closes links of one purpose, after redemptions under way. Returns how many of them were live. */
export async function closeLinksById(tx: Tx, directory: Directory, purpose: string, ids: string[]): Promise<number> {
  const closed = await tx
    .updateTable('links')
    .set({ closed_at: now })
    .where('directory_id', '=', directory.id)
    .where(sql<boolean>`id = any(${uuidArray(ids)}::uuid[])`)
    .where('purpose', '=', purpose)
    .where(isLive)
    .returning('id')
    .execute()
  return closed.length
}

const isOver = sql`open_invite_until <= clock_now()`

/** Invitations that expired unused and are still open. Other links are not announced when they expire. */
export const expiredInvites = { table: 'links', key: 'id', isDue: isOver, orderBy: 'open_invite_until' } as const

/** The users of these links. */
export function findUsersOfLinks(
  tx: Tx,
  directoryId: string,
  ids: string[],
): Promise<{ id: string; user_id: string | null }[]> {
  return tx
    .selectFrom('links')
    .select(['id', 'user_id'])
    .where('directory_id', '=', directoryId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
}

/** Closes those of these links that are expired invitations. Returns each id once, so that its expiry is announced once. */
export async function closeExpiredInviteRows(
  tx: Tx,
  directoryId: string,
  ids: string[],
  skipLocked: RawBuilder<unknown>,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update links set closed_at = clock_now() where directory_id = ${directoryId} and ${isOver} and id in (
      select id from links where directory_id = ${directoryId} and id = any(${ids}::uuid[]) ${skipLocked})
    returning id`.execute(tx)
  return rows.map(({ id }) => id)
}
