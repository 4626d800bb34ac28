import { isId } from '../../../../platform/ids.ts'
import { type Platform, perPlatform } from '../../../../platform/platform.ts'
import { type Directory, findDirectory } from '../../../../platform/tenancy/directory.ts'
import type { TxWork, Work } from '../../../../platform/work.ts'
import type { FederationRules } from '../../federation/complete/complete.ts'
import { type ConnectionConfig, readConfig } from '../config.ts'
import { MAX_CONNECTIONS } from '../limits.ts'
import { type ConnectionRow, findDirectoryIdOfConnection, listConnectionRows } from '../store.ts'

/** A connection in the form that sign-ins use. */
export interface KnownConnection extends ConnectionConfig {
  id: string
  name: string
  protocol: 'saml' | 'oidc'
  status: 'draft' | 'testing' | 'active' | 'error'
  /** Encrypted. `openClientSecret` decrypts it. */
  secretSealed: string | null
}

const ofDirectory = perPlatform((platform) =>
  platform.caches.define<Map<string, KnownConnection>>('sso_connections', async (directoryId) => {
    const directory = await findDirectory(platform, directoryId)
    const rows = directory ? await listConnectionRows(platform.db, directory, MAX_CONNECTIONS) : []
    return new Map(rows.map((row) => [row.id, toKnown(row)]))
  }),
)

export function toKnown(row: ConnectionRow): KnownConnection {
  const { id, name, protocol, status, oidc_client_secret_sealed: secretSealed } = row
  return { ...readConfig(row.config), id, name, protocol, status, secretSealed }
}

/** The connections of a directory from the cache, oldest first. */
export async function knownConnections({
  platform,
  directory,
}: Pick<Work, 'platform' | 'directory'>): Promise<KnownConnection[]> {
  return [...(await ofDirectory(platform).get(directory.id)).values()]
}

/** The connection with this id, or null. */
export async function findConnection(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  id: string,
): Promise<KnownConnection | null> {
  return (await ofDirectory(platform).get(directory.id)).get(id.toLowerCase()) ?? null
}

/** Reads the connection's row. The cache of this process may still have a connection that was deleted. */
export async function readConnection({ db, directory }: Work, id: string): Promise<KnownConnection | null> {
  const row = (await listConnectionRows(db, directory, MAX_CONNECTIONS)).find((each) => each.id === id)
  return row ? toKnown(row) : null
}

const directoryIds = perPlatform((platform) =>
  platform.caches.define<string | null>('sso_connection_directories', (id) =>
    findDirectoryIdOfConnection(platform.db, id),
  ),
)

/** The connection with this id in any directory. Requests from providers name only the id. */
export async function findConnectionAnywhere(
  platform: Platform,
  text: string,
): Promise<{ connection: KnownConnection; directory: Directory } | null> {
  const id = text.toLowerCase()
  const directoryId = isId(id) ? await directoryIds(platform).get(id) : null
  const directory = directoryId === null ? null : await findDirectory(platform, directoryId)
  const connection = directory && (await findConnection({ platform, directory }, id))
  return connection && { connection, directory }
}

/** When the transaction commits, makes every process read the connections of the directory again. */
export async function forgetConnections({ platform, directory, db }: TxWork): Promise<void> {
  await ofDirectory(platform).invalidate(db, directory.id)
}

const place = (accountId: string, id: string) => ({
  table: 'sso_connections',
  column: 'oidc_client_secret_sealed',
  row: id,
  accountId,
})

type Secretive = Pick<Work, 'platform' | 'directory'>

export async function sealClientSecret(work: Secretive, id: string, secret: string): Promise<string> {
  return work.platform.keyring.seal(place(work.directory.accountId, id), secret)
}

/** The client secret of an OpenID connection, decrypted; null if it has none. */
export async function openClientSecret(
  { platform, directory }: Secretive,
  { id, secretSealed }: KnownConnection,
): Promise<string | null> {
  return secretSealed === null ? null : platform.keyring.open(place(directory.accountId, id), secretSealed)
}

/** The rules of a sign-in through a connection, with the person's groups. */
export function rulesOf(connection: KnownConnection, groups: readonly string[] | null): FederationRules {
  return {
    jit: connection.jit_provisioning,
    defaultRole: connection.default_role,
    groups: { names: groups, mapping: connection },
    needsOwnDomain: true,
    domains: connection.domains,
    relink: connection.relink,
    isClaimNamed: connection.scim_match !== null,
    sourceName: connection.name,
  }
}

/** The connection id in the redirect URI. Null for the URI that connections of earlier releases share. */
export function callbackOf({ id, oidc_callback }: { id: string } & Pick<ConnectionConfig, 'oidc_callback'>) {
  return oidc_callback === 'connection' ? id : null
}

/**
 * The connections that users of the directory can sign in by. The status may be active although fields are missing,
 * so that is checked, too.
 */
export async function usableConnections(work: Pick<Work, 'platform' | 'directory'>): Promise<KnownConnection[]> {
  return (await knownConnections(work)).filter((each) => each.status === 'active' && missingFields(each).length === 0)
}

/** Whether the directory has a usable connection. */
export async function hasActiveConnection(work: Pick<Work, 'platform' | 'directory'>): Promise<boolean> {
  return (await usableConnections(work)).length > 0
}

/** The fields that a connection still needs before a sign-in can succeed. */
export function missingFields({ protocol, oidc_client_auth, secretSealed, ...config }: KnownConnection): string[] {
  const needed =
    protocol === 'saml' ? (['idp_entity_id', 'idp_sso_url'] as const) : (['oidc_issuer', 'oidc_client_id'] as const)
  const missing: string[] = needed.filter((field) => config[field] === null)
  if (protocol === 'saml') return config.idp_certificates.length > 0 ? missing : [...missing, 'idp_certificate']
  const needsSecret = oidc_client_auth !== 'private_key_jwt' && oidc_client_auth !== 'none'
  return !needsSecret || secretSealed ? missing : [...missing, 'oidc_client_secret']
}
