import { sql } from 'kysely'
import type { Config } from '../platform/config/config.ts'
import type { Db } from '../platform/db/pool.ts'

/**
 * Finds redirect URIs that several providers share. With a shared URI, one provider's response can be mistaken for
 * another's (RFC 9700 §4.4). Returns one sentence with the remedy for each kind.
 */
export async function findSharedRedirects(
  { social, socialCallback }: Pick<Config, 'social' | 'socialCallback'>,
  db: Db,
): Promise<string[]> {
  const connections = await count(
    db,
    'sso_connections',
    sql`protocol = 'oidc' and ${isNot('config', 'oidc_callback', 'connection')}`,
  )
  const applications = await count(
    db,
    'social_providers',
    sql`client_id is not null and ${isNot('options', 'callback', 'provider')}`,
  )
  const { is_shared } = await db.selectFrom('social_redirects').select('is_shared').executeTakeFirstOrThrow()
  const isUsed = Object.values(social).some(({ clientId }) => clientId !== null)
  const isShared = socialCallback === null ? is_shared : socialCallback === 'shared'
  return [
    ...(connections === 0
      ? []
      : [`OpenID connections: ${connections}. Register the URI of each, then set oidc_callback to connection.`]),
    ...(applications === 0
      ? []
      : [`Social applications: ${applications}. Register the URI of each, then set callback to provider.`]),
    ...(isUsed && isShared
      ? ['Social applications of the deployment. Register their URIs, then set WATCHWORD_SOCIAL_CALLBACK to provider.']
      : []),
  ]
}

const isNot = (column: string, field: string, value: string) =>
  sql<boolean>`${sql.ref(column)}->>${sql.lit(field)} is distinct from ${sql.lit(value)}`

async function count(db: Db, table: 'sso_connections' | 'social_providers', where: ReturnType<typeof isNot>) {
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from ${sql.table(table)} where ${where}`.execute(db)
  return rows[0]?.count ?? 0
}
