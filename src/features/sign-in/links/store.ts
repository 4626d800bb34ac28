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

/** The row of a link that a request presents. */
export type LinkRow = Pick<Selectable<Links>, 'id' | 'purpose' | 'user_id' | 'identity' | 'token_hash' | 'details'> & {
  used: boolean
  /** Withdrawn before it expired. */
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

/**
 * Stores a link and closes the older links that it replaces. A decoy closes only decoys. Returns when the link
 * expires.
 */
export async function insertLinkRow(tx: Tx, directory: Directory, row: NewLinkRow): Promise<Date> {
  const { purpose, replaces } = row
  const { holder, isOlder } = {
    address: { holder: row.identity.toString('hex'), isOlder: sql`identity = ${row.identity}` },
    user: { holder: row.userId, isOlder: sql`user_id = ${row.userId}` },
    none: { holder: null, isOlder: sql`false` },
  }[replaces]
  // Makes concurrent inserts wait for each other, so that the later one sees and closes the earlier link.
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
        -- A link that another request is redeeming is skipped, so that this statement does not wait.
        for update skip locked))
    insert into links (directory_id, id, purpose, user_id, identity, token_hash, details, expires_at, tagged)
    values (${directory.id}, ${row.id}, ${purpose}, ${row.userId}, ${row.identity}, ${row.tokenHash},
      ${JSON.stringify(row.details)}, clock_now() + make_interval(secs => ${row.ttlSeconds}::int), true)
    returning expires_at`.execute(tx)
  const [made] = rows
  if (!made) throw new Error('A link was not stored')
  return made.expires_at
}

/** Whether any directory has a live link whose token has no tag. */
export async function hasUntaggedLinks(db: Db): Promise<boolean> {
  const { rows } = await sql`select from links where not tagged and expires_at > clock_now() limit 1`.execute(db)
  return rows.length > 0
}

const COLUMNS = [
  ...['id', 'purpose', 'user_id', 'identity', 'token_hash', 'details'],
  ...['used', 'withdrawn', 'expired', 'age_seconds'],
] as const

/** The columns of a link, named `link_…`. All are null if there is no link. */
type ShownRow = Record<string, unknown>

/** Reads the link of a token, in any state, in the statement that reads the facts about its address. */
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
  // The columns are those that `shownLink` selects.
  return row as unknown as LinkRow
}

/** The only consumer of links. If several requests redeem the same link, only one succeeds. */
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
 * Builds a query that closes the links of a user or an address, except `exceptId`. A link that another request is
 * redeeming is skipped to avoid a deadlock: that request waits for the user's row, and then checks the user itself.
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

/** Selects and locks the live links of a user or an address. */
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
 * Marks a user's live links of one purpose as used, except `exceptId`, because their purpose was fulfilled in another
 * way. Merges `details` into the details of each link. Returns the ids. Skips a link that another request is
 * redeeming, as `closeLinkRows` does.
 */
// Consumes links: their purpose was fulfilled in another way.
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

/** Whether a user has a live link of a purpose. */
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

/** Closes links of one purpose, after waiting for requests that redeem them. Returns how many links were live. */
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

/** Invitations that expired unused and are still open. The expiry of other links is not announced. */
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

/** Closes the expired invitations among these links. Returns each id once, so that each expiry is announced once. */
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
