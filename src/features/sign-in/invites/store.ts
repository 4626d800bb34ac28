import { type AliasableExpression, type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db } from '../../../platform/db/pool.ts'
import type { DB, Links } from '../../../platform/db/schema.gen.ts'
import { byAge, countIfAsked, type Found, type Page, searchPage, takePage } from '../../../platform/http/pagination.ts'
import type { Directory, Reach } from '../../../platform/tenancy/directory.ts'
import type { InviteStatus } from './status.ts'

export interface InviteRow {
  id: string
  directory_id: string
  organization_id: string | null
  user_id: string
  auth_account_id: string | null
  email: string
  invited_by: string | null
  status: InviteStatus
  created_at: Date
  expires_at: Date
  accepted_at: Date | null
  /** The method by which the person joined, or null if the invitation was not accepted. */
  accepted_by: string | null
  closed_at: Date | null
}

export interface InviteFilter {
  status?: InviteStatus | undefined
  id?: string | undefined
  /** Keyed hash of the address. */
  identity?: Buffer | undefined
}

/** The value of `accepted_by` for an invitation that was accepted by its own link. */
const BY_LINK = 'invite'

// A link that was closed after its expiry counts as expired, not withdrawn.
const status = sql<InviteStatus>`case when links.used_at is not null then 'accepted'
  when links.closed_at < links.expires_at then 'revoked'
  when links.expires_at <= clock_now() then 'expired' else 'pending' end`

export async function findInviteRow(db: Db, directory: Directory, id: string): Promise<InviteRow | undefined> {
  return selectInvites(db, directory).where('links.id', '=', id).executeTakeFirst()
}

/** Reads the invitation with the status that it has once this transaction has accepted it. */
export async function findAcceptedRow(db: Db, directory: Directory, id: string): Promise<InviteRow> {
  const row = await selectInvites(db, directory)
    .where('links.id', '=', id)
    .select(now.as('now'))
    .executeTakeFirstOrThrow()
  return { ...row, status: 'accepted', accepted_at: row.now, accepted_by: BY_LINK }
}

export async function findInviteRows(db: Db, directory: Directory, ids: string[]): Promise<InviteRow[]> {
  return selectInvites(db, directory).where('links.id', 'in', ids).execute()
}

/** Returns who last invited the user, if that invitation is neither accepted nor withdrawn. */
export async function findWaitingInviter(db: Db, directory: Directory, userId: string): Promise<string | null> {
  const row = await db
    .selectFrom('links')
    .select(sql<string | null>`details->>'invitedBy'`.as('invited_by'))
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('purpose', '=', 'invite')
    .select(status.as('status'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.status === 'pending' || row?.status === 'expired' ? row.invited_by : null
}

const columns = { at: 'links.created_at', id: 'links.id' }

/** Returns a page of invitations that the caller can reach, with the total if requested. */
export async function findInvitePage(
  db: Db,
  reach: Reach,
  filter: InviteFilter,
  page: Page,
): Promise<Found<InviteRow>> {
  const scope = selectScope(db, reach, filter)
  const describeLinks = (links: AliasableExpression<Selectable<Links>>) => describe(db.selectFrom(links.as('links')))
  if (filter.status === undefined) {
    const rows = await takePage(describeLinks(takePage(scope, page, columns)), page, columns).execute()
    return { rows, total: await countIfAsked(db, scope, page) }
  }
  // `coalesce` keeps the planner from assuming that few rows have this status and sorting all invitations.
  const matches = sql<SqlBool>`coalesce(${status} = ${filter.status}, false)`
  return searchPage({ db, table: 'links', scope, matches, describe: describeLinks }, page, byAge)
}

/** Selects invitations that an index finds in list order, whatever their status. */
function selectScope(db: Db, reach: Reach, { id, identity }: InviteFilter) {
  const { directory, environmentId } = reach
  return selectLinks(db)
    .where((eb) => {
      if (directory) return eb('links.directory_id', '=', directory.id)
      const directories = eb.selectFrom('directories').select('id').where('environment_id', '=', environmentId)
      // The address index starts with the directory, so the query names the directories.
      if (identity) return eb('links.directory_id', 'in', directories.where('kind', '!=', 'console'))
      const team = directories.where('kind', '=', 'console')
      return eb.and([
        eb('links.environment_id', '=', environmentId),
        eb('links.directory_id', 'is distinct from', team),
      ])
    })
    .$if(id !== undefined, (query) => query.where('links.id', '=', id ?? ''))
    .$if(identity !== undefined, (query) => query.where('links.identity', '=', identity ?? Buffer.alloc(0)))
}

const selectLinks = (db: Db) => db.selectFrom('links').selectAll('links').where('links.purpose', '=', 'invite')

function selectInvites(db: Db, directory: Directory) {
  return describe(db.selectFrom(selectLinks(db).where('links.directory_id', '=', directory.id).as('links')))
}

/** Left joins, so that the search loses no row. */
function describe(links: SelectQueryBuilder<DB & { links: Selectable<Links> }, 'links', object>) {
  return links
    .leftJoin('directories', 'directories.id', 'links.directory_id')
    .leftJoin('users', (join) =>
      join.onRef('users.directory_id', '=', 'links.directory_id').onRef('users.id', '=', 'links.user_id'),
    )
    .select([
      'links.id',
      'links.directory_id',
      'directories.organization_id',
      'users.auth_account_id',
      'links.created_at',
      'links.expires_at',
      'links.used_at as accepted_at',
      'links.closed_at',
    ])
    .select(sql<string>`links.user_id`.as('user_id'))
    .select(sql<string>`links.details->>'email'`.as('email'))
    .select(sql<string | null>`links.details->>'invitedBy'`.as('invited_by'))
    .select(
      sql<
        string | null
      >`case when links.used_at is not null then coalesce(links.details->>'acceptedBy', ${BY_LINK}) end`.as(
        'accepted_by',
      ),
    )
    .select(status.as('status'))
}
