import { sql } from 'kysely'
import { listJitBesideProvisioning } from '../features/federation/connections/store.ts'
import type { Db } from '../platform/db/pool.ts'

const SHOWN = 10

/** Sentences about access that a provisioning client cannot end. Each says what to do. */
export async function findAccessBesideProvisioning(db: Db): Promise<string[]> {
  const [connections, users] = [await listJitBesideProvisioning(db), await findUsersBesideProvisioning(db)]
  return [
    ...(connections.length === 0
      ? []
      : [
          `Provisioning is enabled, and jit_provisioning is true: ${connections.join(', ')}. The provisioning client cannot ` +
            'deactivate users that such a connection creates: set jit_provisioning to null.',
        ]),
    ...(users.count === 0
      ? []
      : [
          `Users that sign in through a connection without provisioning: ${users.count} ` +
            `(${users.ids.join(', ')}${users.count > SHOWN ? ', …' : ''}). No provisioning client manages them, so none ends ` +
            'their access. Let the client add them, or deactivate them with PATCH /v1/users/{userId} { "active": false }.',
        ]),
  ]
}

/** Active users of organizations with provisioning who are linked to a connection and that no client manages. */
async function findUsersBesideProvisioning(db: Db): Promise<{ count: number; ids: string[] }> {
  const { rows } = await sql<{ count: number; id: string }>`
    select users.id, (count(*) over ())::int as count
    from scim_configs
    join users on users.directory_id = scim_configs.directory_id
    where scim_configs.enabled and users.active and not users.scim_managed and users.deleted_at is null
      and exists (
        select from identities join sso_connections on sso_connections.directory_id = identities.directory_id
          and sso_connections.id::text = identities.source and sso_connections.status = 'active'
        where identities.directory_id = users.directory_id and identities.user_id = users.id
          and identities.method = 'sso')
    order by users.id limit ${SHOWN}`.execute(db)
  return { count: rows[0]?.count ?? 0, ids: rows.map(({ id }) => id) }
}
