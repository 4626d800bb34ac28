import { isDeepStrictEqual } from 'node:util'
import { readCertificates } from '../../../platform/crypto/certificates.ts'
import { httpErrors, invalidField } from '../../../platform/errors.ts'
import { changedFrom, record } from '../../../platform/events/events.ts'
import { matches, tagOf } from '../../../platform/http/precondition.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { changesOrigin, isPeerAddress } from '../../../platform/outbound/url.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { assertGroups, assertMayGiveAll, assertMayMap, narrowToMapping } from '../../directory/roles/sso/sso.ts'
import { closeSource, FederationFailure, fetchMetadata, unlinkSource } from '../federation/federation.ts'
import { type ConnectionConfig, readConfig } from './config.ts'
import { connectionErrors } from './errors.ts'
import { connectionEvents } from './events.ts'
import { deletionFollower, mappingFollower } from './followers.ts'
import { forgetConnections, sealClientSecret } from './known/known.ts'
import { MAX_CONNECTIONS, MAX_IDP_CERTIFICATES } from './limits.ts'
import { ssoProtocols } from './protocols.ts'
import type { Connection, ConnectionCreate, ConnectionPatch } from './schema.ts'
import { provideSpKeys } from './sp-keys/sp-keys.ts'
import {
  type ConnectionRow,
  deleteConnectionRow,
  inSeconds,
  insertConnectionRow,
  listConnectionRows,
  lockConnectionRow,
  updateConnectionRow,
} from './store.ts'
import { showConnection } from './view.ts'

type CallerWork = Work & { caller: ManagerCaller }

/**
 * Creates a connection as a draft. Throws what the route documents, such as `privilege_escalation` for roles that the
 * caller may not give.
 */
export async function createConnection(
  work: CallerWork,
  body: ConnectionCreate,
  said: Partial<ConnectionConfig>,
): Promise<Connection> {
  assertCallback(null, said)
  const config = { ...said, oidc_callback: 'connection' as const }
  await provideKeysFor(work, body.protocol, config)
  return inTx(work, async (work) => {
    const { db, directory } = work
    await assertMayMap(work, null, readConfig(config))
    const id = newId()
    const row = await insertConnectionRow(db, directory, {
      id,
      name: body.name,
      protocol: body.protocol,
      config: storedConfig(config),
      oidc_client_secret_sealed: await sealed(work, id, body),
      ...schedule(config),
    })
    const present = await listConnectionRows(db, directory, MAX_CONNECTIONS + 1)
    if (present.length > MAX_CONNECTIONS) throw connectionErrors.limitReached()
    return recordConnection(work, row, 'created')
  })
}

/** A requested change of a connection, and the configuration that results. */
interface Change {
  connection: Pick<ConnectionRow, 'id' | 'protocol' | 'config'>
  body: ConnectionPatch
  config: Partial<ConnectionConfig>
}

/** Prepares a change. May fetch the provider's metadata, so do not call it in a transaction. */
export async function prepareChange(work: Work, id: string, body: ConnectionPatch): Promise<Change> {
  const connection = await getConnectionRow(work, readId(id))
  return { connection, body, config: await configOf(work, connection.protocol, body) }
}

/**
 * Changes the given fields; null clears a field. Throws `connection_not_found`, `version_conflict`, and what
 * `createConnection` throws.
 */
export async function changeConnection(
  work: CallerWork & { ifMatch: string | null },
  { connection, body, config: change }: Change,
): Promise<{ connection: Connection; version: number }> {
  const { id: known, protocol, config: before } = connection
  await provideKeysFor(work, protocol, { ...Object(before), ...change })
  return inTx(work, async (work) => {
    const { db, directory } = work
    const row = await lockConnectionRow(db, directory, known)
    if (!row) throw connectionErrors.notFound()
    if (!matches(work.ifMatch, tagOf(row))) throw httpErrors.versionConflict()
    assertCallback(readConfig(row.config), change)
    const config = { ...Object(row.config), ...change }
    const status = body.status ?? row.status
    await assertMayChange(work, { ...row, config: readConfig(row.config) }, { status, config: readConfig(config) })
    const leaves = changesOrigin(readConfig(row.config).oidc_issuer, readConfig(config).oidc_issuer)
    const secret = body.oidc_client_secret ?? (leaves ? null : body.oidc_client_secret)
    const after = await updateConnectionRow(db, directory, known, {
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.status === undefined ? {} : { status: body.status }),
      ...(secret === undefined ? {} : { oidc_client_secret_sealed: await sealed(work, known, body) }),
      config: storedConfig(config),
      ...schedule(config, row.next_check_at),
      ...(change.idp_certificates ? { expiry_told_days: null } : {}),
    })
    // This locks the provisioning configuration, which must be locked before users.
    if (change.group_role_mapping) await mappingFollower.of(work.platform)(work, known)
    await settleSource(work, row, after)
    return { connection: await recordConnection(work, after, eventOf(row, after), row), version: after.version }
  })
}

/** The fields that identify a provider. The users of another provider are other people. */
const ISSUER = ['oidc_issuer', 'idp_entity_id'] as const

/**
 * If the connection is closed or now belongs to another provider, ends sign-ins in progress and removes the roles
 * that the connection gave. The old provider's users cannot sign in again to lose their roles. Otherwise removes the
 * roles that the changed mapping no longer gives.
 */
async function settleSource(work: TxWork, row: ConnectionRow, { status, config }: ConnectionRow): Promise<void> {
  const [before, after] = [readConfig(row.config), readConfig(config)]
  const isOther = ISSUER.some((field) => before[field] !== after[field])
  if (isOther || status !== 'active') await closeSource(work, { method: 'sso', source: row.id })
  else await narrowToMapping(work, row.id, { before, after })
}

/** The fields that decide which provider names a user's groups. */
const PROVIDER = ['idp_entity_id', 'idp_metadata_url', 'idp_certificates', 'oidc_issuer', 'oidc_client_id'] as const

interface Stage extends Pick<ConnectionRow, 'status'> {
  config: ConnectionConfig
}

/**
 * Checks a change that makes the connection give roles to other or more people. Throws `privilege_escalation` if the
 * caller may not give these roles.
 */
async function assertMayChange(work: CallerWork, before: Stage, after: Stage): Promise<void> {
  await assertMayMap(work, before.config, after.config)
  const { config: was } = before
  const { config: is } = after
  const isOther = PROVIDER.some((field) => !isDeepStrictEqual(was[field], is[field]))
  const readsOther = was.attribute_mapping.groups !== is.attribute_mapping.groups
  const isActivated = before.status !== 'active' && after.status === 'active'
  if (isOther || readsOther || isActivated || allowsMoreUsers(was, is)) await assertMayGiveAll(work, is)
}

/** Whether the connection would create more users: unknown people, or people of further domains. */
function allowsMoreUsers(before: ConnectionConfig, after: ConnectionConfig): boolean {
  const restricts = before.domains.length > 0
  const addsDomain = after.domains.length === 0 || after.domains.some((domain) => !before.domains.includes(domain))
  return rankOfJit(after) > rankOfJit(before) || (restricts && addsDomain)
}

/** Null ranks between false and true, because null means true only while provisioning is off. */
const rankOfJit = ({ jit_provisioning: jit }: ConnectionConfig) => (jit === null ? 1 : Number(jit) * 2)

/**
 * Only connections of earlier releases may use the shared redirect URI. If new connections could use it, any
 * organization could receive the codes of those connections (RFC 9700 §4.4). Throws `invalid_request`.
 */
function assertCallback(before: ConnectionConfig | null, { oidc_callback: now }: Partial<ConnectionConfig>): void {
  if (now === 'shared' && before?.oidc_callback !== 'shared')
    throw invalidField('oidc_callback', 'not_applicable', 'oidc_callback cannot be changed to shared: keep connection')
}

/** Creates the environment's keys for a connection that signs messages or receives encrypted ones. */
async function provideKeysFor({ platform, directory }: Work, protocol: string, config: object): Promise<void> {
  const { sign_requests, want_assertions_encrypted, idp_slo_url, oidc_client_auth } = readConfig(config)
  const isNeeded = sign_requests || want_assertions_encrypted || idp_slo_url !== null
  if (protocol === 'saml' ? isNeeded : oidc_client_auth === 'private_key_jwt') await provideSpKeys(platform, directory)
}

/**
 * Deletes a connection with its links to users, and unlinks provisioning from it. The users stay. Throws
 * `connection_not_found` and `version_conflict`.
 */
export async function deleteConnection(work: Work & { ifMatch: string | null }, id: string): Promise<void> {
  await inTx(work, async (work) => {
    const row = await lockConnectionRow(work.db, work.directory, readId(id))
    if (!row) throw connectionErrors.notFound()
    if (!matches(work.ifMatch, tagOf(row))) throw httpErrors.versionConflict()
    await deleteConnectionRow(work.db, work.directory, row.id)
    await deletionFollower.of(work.platform)(work, row.id)
    await unlinkSource(work, { method: 'sso', source: row.id })
    await recordConnection(work, row, 'deleted')
  })
}

async function getConnectionRow({ db, directory }: Work, id: string): Promise<ConnectionRow> {
  const [row] = (await listConnectionRows(db, directory, MAX_CONNECTIONS)).filter((each) => each.id === id)
  if (!row) throw connectionErrors.notFound()
  return row
}

/** Throws `connection_not_found` if the text is not an id. */
export function readId(text: string): string {
  const id = text.toLowerCase()
  if (!isId(id)) throw connectionErrors.notFound()
  return id
}

function eventOf(before: ConnectionRow, after: ConnectionRow) {
  if (before.status === after.status) return 'updated'
  if (after.status === 'active') return 'activated'
  return before.status === 'active' ? 'deactivated' : 'updated'
}

/** Records the event of a change and invalidates cached connections. Returns the connection as the API shows it. */
export async function recordConnection(
  work: TxWork,
  row: ConnectionRow,
  event: Exclude<keyof typeof connectionEvents, 'certificateExpiring' | 'keysChanged'>,
  before?: ConnectionRow,
): Promise<Connection> {
  const { platform, directory } = work
  const place = { organization_id: directory.organizationId, account_id: directory.accountId }
  const data = await showConnection(platform, { ...row, ...place })
  const previous = before && changedFrom(await showConnection(platform, { ...before, ...place }), data)
  await forgetConnections(work)
  const details = { target: { type: 'sso_connection', id: row.id }, data, ...(previous ? { previous } : {}) }
  await record(work, connectionEvents[event](details))
  return data
}

async function sealed(work: Work, id: string, { oidc_client_secret: secret = null }: ConnectionPatch) {
  return secret === null ? null : sealClientSecret(work, id, secret)
}

/**
 * Null, the default of `jit_provisioning`, is stored as an absent field, since the previous release does not accept
 * null.
 */
function storedConfig({ jit_provisioning: jit, ...config }: Partial<ConnectionConfig>): string {
  return JSON.stringify({ ...config, ...(typeof jit === 'boolean' ? { jit_provisioning: jit } : {}) })
}

const DAY_SECONDS = 24 * 3600

/** Connections with certificates, which expire, or metadata, which changes, are checked every day. */
function schedule(config: Partial<ConnectionConfig>, planned: Date | null = null) {
  const isWatched = (config.idp_certificates ?? []).length > 0 || Boolean(config.idp_metadata_url)
  // A change does not postpone the next check. Otherwise a connection that changes every day would never be checked.
  return { next_check_at: isWatched ? (planned ?? inSeconds(DAY_SECONDS)) : null }
}

/**
 * Reads and checks the configuration in a body. Fields of the body override those from metadata. May fetch the
 * metadata from the provider, so do not call it in a transaction.
 */
export async function configOf(
  work: Work,
  protocol: 'saml' | 'oidc',
  body: Omit<ConnectionPatch, 'name' | 'status'>,
): Promise<Partial<ConnectionConfig>> {
  const { idp_certificate, idp_metadata_xml, oidc_client_secret: _, ...given } = body
  const fields = Object.keys(readConfig({}))
  const said = Object.fromEntries(Object.entries(given).filter(([field]) => fields.includes(field)))
  const config: Partial<ConnectionConfig> = { ...(await fromMetadata(work, protocol, body)), ...said }
  if (idp_certificate !== undefined)
    config.idp_certificates = readCertificates([idp_certificate].flat(), 'idp_certificate')
  if ((config.idp_certificates?.length ?? 0) > MAX_IDP_CERTIFICATES)
    throw invalidField(
      'idp_certificate',
      'too_many',
      `idp_certificate must not contain more than ${MAX_IDP_CERTIFICATES} certificates`,
    )
  assertAddresses(work, config)
  assertGroups(config.group_role_mapping)
  return config
}

async function fromMetadata(
  work: Work,
  protocol: 'saml' | 'oidc',
  { idp_metadata_xml: xml, idp_metadata_url: url }: ConnectionPatch,
): Promise<Partial<ConnectionConfig>> {
  if (xml === undefined && (url === undefined || url === null)) return {}
  const { readMetadata } = ssoProtocols.of(work.platform)[protocol] ?? {}
  const field = xml ? 'idp_metadata_xml' : 'idp_metadata_url'
  if (!readMetadata) throw invalidField(field, 'protocol', 'Only SAML connections have metadata')
  try {
    return await readMetadata(work, xml ?? (await fetchMetadata(work.platform, url ?? '')))
  } catch (error) {
    if (error instanceof FederationFailure) throw connectionErrors.metadataInvalid({ detail: error.detail })
    throw error
  }
}

const ADDRESSES = ['idp_sso_url', 'idp_slo_url', 'idp_slo_response_url', 'idp_metadata_url', 'oidc_issuer'] as const

function assertAddresses({ platform }: Work, config: Partial<ConnectionConfig>): void {
  for (const field of ADDRESSES) {
    const value = config[field]
    if (typeof value === 'string' && !isPeerAddress(platform.config, value))
      throw invalidField(
        field,
        'insecure_url',
        `${field} must be a complete URL that is https or listed in WATCHWORD_OUTBOUND_ALLOW`,
      )
  }
  // OpenID Connect Discovery §4 appends a path to the issuer, which a query would break.
  if (config.oidc_issuer?.includes('?')) throw invalidField('oidc_issuer', 'query', 'oidc_issuer must not have a query')
}
