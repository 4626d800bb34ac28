import { sql } from 'kysely'
import { now } from '../../platform/db/now.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Directory, Reach } from '../../platform/http/directory.ts'
import { type Page, takePage } from '../../platform/http/pagination.ts'
import type { InviteStatus } from './schema.ts'

export interface InviteRow {
  id: string
  directory_id: string
  organization_id: string | null
  user_id: string
  auth_account_id: string | null
  email: string
  status: InviteStatus
  created_at: Date
  expires_at: Date
  accepted_at: Date | null
  closed_at: Date | null
}

export interface InviteFilter {
  status?: InviteStatus | undefined
  id?: string | undefined
  /** Keyed hash of the address. */
  identity?: Buffer | undefined
}

// A link closed after its expiry was announced as expired, not withdrawn.
const status = sql<InviteStatus>`case when links.used_at is not null then 'accepted'
  when links.closed_at < links.expires_at then 'revoked'
  when links.expires_at <= clock_now() then 'expired' else 'pending' end`

export async function findInviteRow(db: Db, directory: Directory, id: string): Promise<InviteRow | undefined> {
  return selectInvites(db).where('links.directory_id', '=', directory.id).where('links.id', '=', id).executeTakeFirst()
}

/** The invitation as it will be once this transaction has accepted it. */
export async function findAcceptedRow(db: Db, directory: Directory, id: string): Promise<InviteRow> {
  const row = await selectInvites(db)
    .where('links.directory_id', '=', directory.id)
    .where('links.id', '=', id)
    .select(now.as('now'))
    .executeTakeFirstOrThrow()
  return { ...row, status: 'accepted', accepted_at: row.now }
}

export async function findInviteRows(db: Db, directory: Directory, ids: string[]): Promise<InviteRow[]> {
  return selectInvites(db).where('links.directory_id', '=', directory.id).where('links.id', 'in', ids).execute()
}

export async function listInviteRows(db: Db, reach: Reach, filter: InviteFilter, page: Page): Promise<InviteRow[]> {
  const query = matching(db, reach, filter)
  return takePage(query, page, { at: 'links.created_at', id: 'links.id' }).execute()
}

export async function countInviteRows(db: Db, reach: Reach, filter: InviteFilter): Promise<number> {
  const counted = db.selectFrom(matching(db, reach, filter).as('found'))
  const row = await counted.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return row.count
}

function matching(db: Db, reach: Reach, filter: InviteFilter) {
  const { identity } = filter
  return selectInvites(db)
    .where((eb) =>
      reach.directory
        ? eb('links.directory_id', '=', reach.directory.id)
        : eb(
            'links.directory_id',
            'in',
            eb
              .selectFrom('directories')
              .select('id')
              .where('environment_id', '=', reach.environmentId)
              .where('kind', '!=', 'console'),
          ),
    )
    .$if(filter.id !== undefined, (query) => query.where('links.id', '=', filter.id ?? ''))
    .$if(identity !== undefined, (query) => query.where('links.identity', '=', identity ?? Buffer.alloc(0)))
    .$if(filter.status !== undefined, (query) => query.where(status, '=', filter.status ?? 'pending'))
}

function selectInvites(db: Db) {
  return db
    .selectFrom('links')
    .innerJoin('directories', 'directories.id', 'links.directory_id')
    .leftJoin('users', (join) =>
      join.onRef('users.directory_id', '=', 'links.directory_id').onRef('users.id', '=', 'links.user_id'),
    )
    .where('links.purpose', '=', 'invite')
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
    .select(status.as('status'))
}
