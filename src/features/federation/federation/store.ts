import { type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { FederatedSignIns, Identities } from '../../../platform/db/schema.gen.ts'
import { type Found, findPage, type Page } from '../../../platform/http/pagination.ts'
import { defineProof } from '../../../platform/joined/proofs.ts'
import { defineReading } from '../../../platform/joined/readings.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import {
  type FederatedSession,
  type HashedLogout,
  isNamedByLogout,
} from '../../access/federated-sessions/federated-sessions.ts'
import { grantOfIdentity, type KnownGrant, type RoleMapping } from '../../directory/roles/sso/sso.ts'
import type { KeptNames } from './person.ts'

/** Narrows the types to the values that are written. `sso_logout` is a logout at the provider that is in progress. */
export type SignInRow = Omit<Selectable<FederatedSignIns>, 'method' | 'response_mode'> & {
  method: 'sso' | 'social' | 'sso_logout'
  response_mode: 'query' | 'code'
}
export type IdentityRow = Omit<Selectable<Identities>, 'method'> & { method: 'sso' | 'social' }

/** Identifies a person at a provider. */
export type Subject = Pick<IdentityRow, 'method' | 'source' | 'issuer' | 'subject'>

/** A subject with the clients for which the provider uses it; null: all clients. */
export type SubjectOfSector = Subject & { sector: string | null }

const inSeconds = (seconds: number) => sql<Date>`clock_now() + make_interval(secs => ${seconds})`

/** Returns the time of the beginning. */
export async function insertSignInRow(
  db: Db,
  directory: Directory,
  row: Omit<Insertable<FederatedSignIns>, 'directory_id' | 'expires_at'> & { ttlSeconds: number },
): Promise<Date> {
  const { ttlSeconds, ...values } = row
  const { created_at } = await db
    .insertInto('federated_sign_ins')
    .values({ ...values, directory_id: directory.id, expires_at: inSeconds(ttlSeconds) })
    .returning('created_at')
    .executeTakeFirstOrThrow()
  return created_at
}

/**
 * Removes and returns the sign-in of a state. Of any number of concurrent requests with the same state, only one gets
 * the sign-in. A sign-in of another kind stays.
 */
export async function takeSignInRow(
  db: Db,
  directory: Directory,
  { stateHash, method }: { stateHash: Buffer; method: SignInRow['method'] },
): Promise<SignInRow | undefined> {
  return db
    .deleteFrom('federated_sign_ins')
    .where('directory_id', '=', directory.id)
    .where('state_hash', '=', stateHash)
    .where('method', '=', method)
    .where('expires_at', '>', now)
    .returningAll()
    .$castTo<SignInRow>()
    .executeTakeFirst()
}

export async function findSignInRow(db: Db, directory: Directory, stateHash: Buffer): Promise<SignInRow | undefined> {
  return db
    .selectFrom('federated_sign_ins')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .where('state_hash', '=', stateHash)
    .where('expires_at', '>', now)
    .$castTo<SignInRow>()
    .executeTakeFirst()
}

/** An identity with the roles that its connection gave the user. */
export type KnownIdentity = IdentityRow & {
  grant: KnownGrant | null
  /** True if the connection's organization uses provisioning, but no provisioning client manages this user. */
  is_beside_provisioning: boolean
}

export async function findIdentityRow(
  db: Db,
  directory: Directory,
  who: SubjectOfSector,
): Promise<KnownIdentity | undefined> {
  return selectIdentities(db, directory)
    .select([grantOfIdentity(directory).as('grant'), isBesideProvisioning(directory).as('is_beside_provisioning')])
    .$castTo<KnownIdentity>()
    .where('method', '=', who.method)
    .where('source', '=', who.source)
    .where('issuer', '=', who.issuer)
    .where('subject', '=', who.subject)
    .where(isOfSector(who))
    .executeTakeFirst()
}

// Another client of the provider may use the same subject for another person. Identities of earlier releases have no
// sector.
export const isOfSector = ({ sector }: Pick<SubjectOfSector, 'sector'>) =>
  sql<SqlBool>`(identities.sector is null or identities.sector = ${sector})`

const isBesideProvisioning = (directory: Directory) => sql<boolean>`exists (
  select from scim_configs c join users u on u.directory_id = ${directory.id} and u.id = identities.user_id
  where c.directory_id = ${directory.id} and c.enabled and identities.method = 'sso' and not u.scim_managed
    and ${linkedConnection(directory)}::text = identities.source)`

function selectIdentities(db: Db, directory: Directory) {
  return db.selectFrom('identities').selectAll().where('directory_id', '=', directory.id).$castTo<IdentityRow>()
}

/** Returns undefined if the subject has a user in the meantime. */
export async function insertIdentityRow(
  tx: Tx,
  directory: Directory,
  row: Omit<Insertable<Identities>, 'directory_id'>,
): Promise<IdentityRow | undefined> {
  return tx
    .insertInto('identities')
    .values({ ...row, directory_id: directory.id })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .$castTo<IdentityRow>()
    .executeTakeFirst()
}

/** Deletes the exchange codes of sign-ins through a connection or provider. */
export async function deleteCodeRows(
  tx: Tx,
  directory: Directory,
  { method, source }: Pick<Subject, 'method' | 'source'>,
): Promise<void> {
  await tx
    .deleteFrom('exchange_codes')
    .where('directory_id', '=', directory.id)
    .where('auth_method', '=', method)
    .where('source', '=', source)
    .execute()
}

/** Deletes the exchange codes of a user that the provider signs out. */
export async function deleteNamedCodeRows(tx: Tx, directory: Directory, logout: HashedLogout): Promise<void> {
  await tx
    .deleteFrom('exchange_codes')
    .where('directory_id', '=', directory.id)
    .where(isNamedByLogout(logout))
    .execute()
}

/** Deletes the identities of a deleted connection. */
export async function deleteIdentityRows(
  tx: Tx,
  directory: Directory,
  { method, source }: Pick<Subject, 'method' | 'source'>,
): Promise<void> {
  await tx
    .deleteFrom('identities')
    .where('directory_id', '=', directory.id)
    .where('method', '=', method)
    .where('source', '=', source)
    .execute()
}

/**
 * The condition that the link through which a user signs in still exists, and that its connection or provider is
 * still active. Both may have changed while the provider answered, or while a code waited to be exchanged.
 */
export const identityProof = defineProof({
  name: 'identity',
  columns: {
    identity_id: 'uuid',
    identity_email: 'text',
    identity_ids: 'text[]',
    identity_names: 'text[]',
    identity_principals: 'text[]',
    identity_address: 'text',
  },
  locks: true,
  find: (directory) => sqlText`
    select id from identities where directory_id = ${directory} and id = asked.identity_id and user_id = asked.user_id
      and case method when 'sso' then exists (
        select from sso_connections
        where sso_connections.directory_id = ${directory} and sso_connections.id = identities.source::uuid
          and status = 'active')
      else exists (
        select from social_providers
        where social_providers.directory_id = ${directory} and provider = identities.source and enabled)
      end`,
  write: (directory) => sqlText`
    update identities set last_used_at = ready.at, email = coalesce(ready.identity_email, email),
      external_ids = coalesce(ready.identity_ids, external_ids),
      user_names = coalesce(ready.identity_names, user_names),
      principal_names = coalesce(ready.identity_principals, principal_names),
      address_norm = case when ready.identity_names is null then address_norm else ready.identity_address end,
      last_address_norm = coalesce(ready.identity_address, last_address_norm),
      last_principal_names = coalesce(nullif(ready.identity_principals, '{}'), last_principal_names) from ready
    where identities.directory_id = ${directory} and identities.id = ready.identity_id`,
})

/**
 * Locks a connection until the transaction ends, so that it is neither changed nor closed. If `alone` is true, first
 * sign-ins wait, too. Returns the connection's mapping; undefined if the connection is closed.
 */
export async function lockConnectionForSignIn(tx: Tx, directory: Directory, id: string, alone = false) {
  return tx
    .selectFrom('sso_connections')
    .select(
      sql<RoleMapping>`jsonb_build_object('group_role_mapping', coalesce(config -> 'group_role_mapping', '{}'),
        'default_role', coalesce(config ->> 'default_role', 'member'))`.as('mapping'),
    )
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .$if(alone, (query) => query.forUpdate())
    .$if(!alone, (query) => query.forKeyShare())
    .executeTakeFirst()
}

/** A page of a user's identities at providers. */
export async function selectIdentityPage(
  db: Db,
  directory: Directory,
  userId: string,
  page: Page,
): Promise<Found<IdentityRow>> {
  return findPage(db, selectIdentities(db, directory).where('user_id', '=', userId), page)
}

/** Whether the user is already linked to another subject of the connection. */
export async function hasOtherSubject(tx: Db, directory: Directory, userId: string, who: Subject): Promise<boolean> {
  const row = await selectIdentities(tx, directory)
    .where('user_id', '=', userId)
    .where('method', '=', who.method)
    .where('source', '=', who.source)
    .where((eb) => eb.or([eb('issuer', '!=', who.issuer), eb('subject', '!=', who.subject)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes an identity of a user. Returns undefined if there is none. */
export async function deleteIdentityRow(
  tx: Tx,
  directory: Directory,
  { userId, id }: { userId: string; id: string },
): Promise<IdentityRow | undefined> {
  return tx
    .deleteFrom('identities')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .$castTo<IdentityRow>()
    .executeTakeFirst()
}

/** The result of a sign-in at a provider. */
export interface FederatedProof {
  userId: string
  /** The provider's current names of the person. */
  names: KeptNames
  /** The user's epoch when it was read. Stopping the user's sign-ins raises it. */
  epoch: number
  method: string
  /** The id of the connection, or the name of the provider. */
  source: string
  amr: string[]
  aal: 'aal1' | 'aal2'
  federated: FederatedSession
}

/**
 * Stores an exchange code, and updates the person's names. Returns false if the user's sign-ins were stopped since
 * the user was read, or if the provider's session has ended. Locks the user's row, so they cannot be stopped
 * meanwhile.
 */
export async function insertCodeRow(
  db: Db,
  directory: Directory,
  {
    userId,
    epoch,
    method,
    source,
    amr,
    aal,
    federated,
    names: { external_ids, user_names, principal_names, address_norm },
  }: FederatedProof,
  { id, hash, seconds }: { id: string; hash: Buffer; seconds: number },
): Promise<boolean> {
  const { rows } = await sql`
    with named as (
      update identities set external_ids = ${external_ids}::text[], user_names = ${user_names}::text[],
        principal_names = ${principal_names}::text[], address_norm = ${address_norm}::text,
        last_address_norm = coalesce(${address_norm}::text, last_address_norm),
        last_principal_names = coalesce(nullif(${principal_names}::text[], '{}'), last_principal_names)
      where directory_id = ${directory.id} and id = ${federated.identityId}::uuid
        and (external_ids, user_names, principal_names, address_norm)
          is distinct from (${external_ids}::text[], ${user_names}::text[], ${principal_names}::text[], ${address_norm}::text)),
    made as (
    insert into exchange_codes as made (directory_id, id, code_hash, user_id, auth_method, source, amr, aal, identity_id,
      logout_sealed, name_hash, provider_session_hash, session_ends_at, expires_at)
    select directory_id, ${id}::uuid, ${hash}::bytea, id, ${method}, ${source}, ${amr}::text[], ${aal},
      ${federated.identityId}::uuid, ${federated.logoutSealed}, ${federated.nameHash}::bytea, ${federated.sessionHash}::bytea,
      ${federated.sessionEndsAt}::timestamptz, clock_now() + make_interval(secs => ${seconds})
    from users where directory_id = ${directory.id} and id = ${userId} and epoch = ${epoch}
      and (${federated.sessionEndsAt}::timestamptz is null or ${federated.sessionEndsAt}::timestamptz > clock_now()) for share
    returning made.id)
    select id from made`.execute(db)
  return rows.length === 1
}

/** The exchange code of a sign-in at a provider. All fields are null if there is none. */
export interface ShownCode {
  code_id: string | null
  code_method: string
  code_amr: string[]
  code_aal: string
  code_identity: string | null
  code_logout: string | null
  code_name: Buffer | null
  code_session: Buffer | null
  code_session_end: Date | null
  /** Null for a social provider. */
  code_connection: string | null
}

/** Reads the exchange code together with the facts about its user. */
export const shownCode = defineReading<ShownCode>()({
  columns: { code_hash: 'bytea' },
  userId: sqlText`code.user_id`,
  joins: ({ directory }) => sqlText`
    left join lateral (
      select * from exchange_codes where directory_id = ${directory('asked')} and code_hash = asked.code_hash
        and expires_at > clock.at limit 1) code on true`,
  selects:
    () => sqlText`code.id as code_id, code.auth_method as code_method, code.amr as code_amr, code.aal as code_aal,
    code.identity_id as code_identity, code.logout_sealed as code_logout, code.name_hash as code_name,
    code.provider_session_hash as code_session, code.session_ends_at as code_session_end,
    case when code.auth_method = 'sso' then code.source end as code_connection`,
})

/** Uses up an exchange code. Of any number of concurrent requests with the same code, only one gets a session. */
export const codeProof = defineProof({
  name: 'exchange_code',
  columns: { code_id: 'uuid' },
  locks: true,
  find: (directory) => sqlText`
    select id from exchange_codes where directory_id = ${directory} and id = asked.code_id and expires_at > clock.at`,
  write: (directory) => sqlText`
    delete from exchange_codes using ready
    where exchange_codes.directory_id = ${directory} and exchange_codes.id = ready.code_id`,
})

/**
 * SQL for a query with `scim_configs c`: the id of the connection that provisioning is linked to. It is
 * `sso_connection_id`, or else the organization's only connection.
 */
export const linkedConnection = (directory: Directory): RawBuilder<string | null> => sql`coalesce(c.sso_connection_id, (
  select (array_agg(id))[1] from sso_connections where directory_id = ${directory.id} having count(*) = 1))`

export interface ConnectionsOfUser {
  used: string[]
  provisioning: string | null
  is_provisioned: boolean
}

export async function findConnectionsOfUserRow(
  db: Db,
  directory: Directory,
  emailNorm: string,
): Promise<ConnectionsOfUser | undefined> {
  const { rows } = await sql<ConnectionsOfUser>`
    select array(
        select source from identities
        where directory_id = ${directory.id} and user_id = users.id and method = 'sso'
        order by last_used_at desc limit 20) as used,
      (select ${linkedConnection(directory)} from scim_configs c
        where c.directory_id = ${directory.id} and c.enabled limit 1) as provisioning,
      scim_managed as is_provisioned
    from users
    where directory_id = ${directory.id} and email_norm = ${emailNorm} and deleted_at is null limit 1`.execute(db)
  return rows[0]
}
