import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { isOwnerSeenFrom } from '../../../platform/db/home-environment.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Environments } from '../../../platform/db/schema.gen.ts'
import { type Found, findPage, type Page } from '../../../platform/http/pagination.ts'

/** The part of an account that a caller reaches. */
export interface EnvironmentReach {
  accountId: string
  /** The caller's environment. Environments of organizations that do not exist in it are not visible. */
  environmentId: string
  /**
   * The only organization that the caller reaches, with its own and the shared environments. Null: the whole account.
   */
  organizationId: string | null
}

export type EnvironmentRow = Selectable<Environments> & { key_count: number }

export type EnvironmentChanges = Pick<Updateable<Environments>, 'name' | 'locale'>

export function findEnvironmentPage(db: Db, reach: EnvironmentReach, page: Page): Promise<Found<EnvironmentRow>> {
  return findPage(db, selectEnvironments(db, reach), page)
}

/** An environment that is visible to the caller. */
export async function findEnvironmentRow(
  db: Db,
  reach: EnvironmentReach,
  id: string,
): Promise<EnvironmentRow | undefined> {
  return selectEnvironments(db, reach).where('environments.id', '=', id).executeTakeFirst()
}

/** Locks the environment until the transaction ends. */
export async function lockEnvironmentRow(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx
    .selectFrom('environments')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .execute()
}

export async function updateEnvironmentRow(
  tx: Tx,
  accountId: string,
  id: string,
  changes: EnvironmentChanges,
): Promise<void> {
  await tx
    .updateTable('environments')
    .set({ ...changes, version: sql`version + 1` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Locks the organization until the transaction ends. */
export async function lockOrganizationRow(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('organizations').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/** How many environments were created for the organization. */
export async function countCustomRows(tx: Tx, organizationId: string): Promise<number> {
  const row = await tx
    .selectFrom('environments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return row.count
}

export async function insertEnvironmentRow(tx: Tx, row: Insertable<Environments>): Promise<Selectable<Environments>> {
  return tx.insertInto('environments').values(row).returningAll().executeTakeFirstOrThrow()
}

function selectEnvironments(db: Db, reach: EnvironmentReach) {
  const { accountId, environmentId, organizationId } = reach
  return db
    .selectFrom('environments')
    .selectAll('environments')
    .select((eb) =>
      eb
        .selectFrom('api_keys')
        .select((keys) => keys.fn.countAll<number>().as('count'))
        .where('api_keys.account_id', '=', accountId)
        .whereRef('api_keys.environment_id', '=', 'environments.id')
        .where('revoked_at', 'is', null)
        .where(sql<boolean>`(expires_at is null or expires_at > clock_now())`)
        // A key of one organization must not learn how many keys others have.
        .$if(organizationId !== null, (keys) => keys.where('api_keys.organization_id', '=', organizationId))
        .$castTo<{ count: number }>()
        .$asScalar()
        .$notNull()
        .as('key_count'),
    )
    .where('environments.account_id', '=', accountId)
    .where(isOwnerSeenFrom('environments.organization_id', environmentId))
    .$if(organizationId !== null, (query) =>
      query.where((eb) =>
        eb.or([
          eb('environments.organization_id', 'is', null),
          eb('environments.organization_id', '=', organizationId),
        ]),
      ),
    )
}
