import type { ServiceId } from '../../contract/contract.ts'
import { boundedMap } from '../bounded-map.ts'
import { existsIn } from '../db/home-environment.ts'
import type { Db, Tx } from '../db/pool.ts'
import { httpErrors } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { type Platform, perPlatform } from '../platform.ts'
import { describeNoId } from './named-organization.ts'

declare const verified: unique symbol

/**
 * The unit of isolation: one organization in one environment, or an environment's account-level directory. Only this
 * file creates the value, after checking that the caller reaches it. Store functions for requests require one, so a
 * request without a tenant cannot call them. Jobs read by ids.
 */
export interface Directory {
  readonly [verified]: true
  readonly id: string
  readonly kind: 'organization' | 'account' | 'console'
  readonly accountId: string
  readonly environmentId: string
  readonly environmentSlug: string
  /** Null for the account-level and console directories. */
  readonly organizationId: string | null
  /** The locale of people whose own locale is unknown: the organization's, or else the environment's. */
  readonly locale: string | null
}

/** What a read covers: one directory, or the whole environment with an org-wide key and no `subOrgId`. */
export interface Reach {
  readonly [verified]: true
  readonly accountId: string
  readonly environmentId: string
  readonly environmentSlug: string
  /** Set if the reach is a single directory. */
  readonly directory: Directory | null
  /** For a whole environment: the service that must be on in a directory for its records to be read. */
  readonly service: ServiceId | null
}

/** The caller's account, for records that belong to the account and not to a directory. */
export interface AccountScope {
  readonly [verified]: true
  readonly accountId: string
  readonly environmentId: string
  readonly environmentSlug: string
  /** The only organization that the caller may access, or null for the whole account. */
  readonly organizationId: string | null
  /** Where events about the account itself are recorded: the account-level directory of the affected environment. */
  readonly directory: Directory
}

export interface EnvironmentRef {
  accountId: string
  environmentId: string
  environmentSlug: string
}

/** The part of a caller that determines what the caller reaches. */
interface Reaching extends EnvironmentRef {
  organizationId: string | null
}

function brand<T extends object>(value: T): T & { readonly [verified]: true } {
  return value as T & { readonly [verified]: true }
}

/**
 * Returns the directory of an organization in an environment. Throws `organization_not_found`, also if the
 * organization does not exist in this environment.
 */
export async function directoryOfOrganization(
  platform: Platform,
  environment: EnvironmentRef,
  organizationId: string,
): Promise<Directory> {
  const directory = await findDirectoryOfOrganization(platform, environment, organizationId)
  if (!directory) throw httpErrors.organizationNotFound(describeNoId(organizationId))
  return directory
}

/** Returns the same, or null. */
export async function findDirectoryOfOrganization(
  platform: Platform,
  environment: EnvironmentRef,
  organizationId: string,
): Promise<Directory | null> {
  const id = organizationId.toLowerCase()
  if (!isId(id)) return null
  const directory = await directories(platform).get(`${environment.environmentId}/organization/${id}`)
  return directory?.accountId === environment.accountId ? directory : null
}

/** Returns the directory that a token names if it is an organization's directory in this environment, or null. */
export async function findNamedDirectory(
  platform: Platform,
  environment: EnvironmentRef,
  directoryId: string | null,
): Promise<Directory | null> {
  const directory = directoryId === null ? null : await findDirectory(platform, directoryId)
  if (!directory?.organizationId || directory.environmentId !== environment.environmentId) return null
  // Looked up as for `subOrgId`, because an earlier release left directories of organizations that do not exist in the
  // environment.
  return findDirectoryOfOrganization(platform, environment, directory.organizationId)
}

/** The account-level directory of the caller's environment. */
export async function accountDirectory(platform: Platform, environment: EnvironmentRef): Promise<Directory> {
  return existing(await directories(platform).get(`${environment.environmentId}/account/`))
}

function existing<T extends object>(found: T | null): T {
  if (!found) throw httpErrors.notFound()
  return found
}

/**
 * The directory whose settings a directory inherits: an organization inherits from the account level. The team's own
 * directory inherits nothing, so that no key can change how the team signs in.
 */
export async function defaultsDirectory(platform: Platform, directory: Directory): Promise<Directory> {
  return directory.kind === 'organization' ? accountDirectory(platform, directory) : directory
}

/** The built-in directory for the account's own team. */
export async function consoleDirectory(platform: Platform, environment: EnvironmentRef): Promise<Directory> {
  return existing(await directories(platform).get(`${environment.environmentId}/console/`))
}

/**
 * The directory through which an account's team signs in, whichever environment it manages. It is the one of
 * production, which every account has.
 */
export async function teamDirectory(platform: Platform, accountId: string): Promise<Directory> {
  return existing(await teams(platform).get(accountId))
}

/** What a caller that signs in the team may read. Null for an environment other than production. */
export async function teamReach(
  platform: Platform,
  caller: EnvironmentRef,
): Promise<(Reach & { readonly directory: Directory }) | null> {
  const directory = await teamDirectory(platform, caller.accountId)
  const { accountId, environmentId, environmentSlug } = directory
  const reach = { accountId, environmentId, environmentSlug, directory, service: null }
  return environmentId === caller.environmentId ? brand(reach) : null
}

const teams = perPlatform((platform) =>
  platform.caches.define<Directory | null>('team_directories', async (accountId) => {
    const production = await homes(platform).get(`${accountId}/`)
    return production && consoleDirectory(platform, production)
  }),
)

/**
 * The home environment of an organization, which never changes. For null, the account itself, it is production. Throws
 * `not_found` for an organization of another account.
 */
export async function homeEnvironmentOf(
  platform: Platform,
  accountId: string,
  organizationId: string | null,
): Promise<EnvironmentRef> {
  return existing(await homes(platform).get(`${accountId}/${organizationId ?? ''}`))
}

// Foreign tables environments, organizations: finds the home environment of a caller before any feature runs.
const homes = perPlatform((platform) =>
  platform.caches.define<EnvironmentRef | null>('home_environments', async (key) => {
    const [accountId = '', organizationId = ''] = key.split('/')
    const production = platform.db
      .selectFrom('environments')
      .where('account_id', '=', accountId)
      .where('type', '=', 'production')
    const home = organizationId
      ? platform.db
          .selectFrom('organizations')
          .innerJoin('environments', 'environments.account_id', 'organizations.account_id')
          .where('organizations.id', '=', organizationId)
          .where('organizations.account_id', '=', accountId)
          .where((eb) =>
            eb('environments.id', '=', eb.fn.coalesce('home_environment_id', production.select('environments.id'))),
          )
      : production
    const row = await home.select(['environments.id', 'environments.slug']).executeTakeFirst()
    return row ? { accountId, environmentId: row.id, environmentSlug: row.slug } : null
  }),
)

/**
 * What the caller may read: the directory of the organization in the request, or the whole environment. In a whole
 * environment, only directories where `service` is on are read.
 */
export async function resolveReach(
  platform: Platform,
  caller: Reaching,
  organizationId: string | null,
  service: ServiceId | null = null,
): Promise<Reach> {
  if (organizationId) return reachOf(await directoryOfOrganization(platform, caller, organizationId))
  const { accountId, environmentId, environmentSlug } = caller
  return brand({ accountId, environmentId, environmentSlug, directory: null, service })
}

/** The reach of code that works in one directory. */
export function reachOf(directory: Directory): Reach {
  const { accountId, environmentId, environmentSlug } = directory
  return brand({ accountId, environmentId, environmentSlug, directory, service: null })
}

/** The caller's account, limited to the organization that the key or the request names. */
export async function resolveAccount(
  platform: Platform,
  caller: Reaching,
  organizationId: string | null,
): Promise<AccountScope> {
  const { accountId, environmentId, environmentSlug } = caller
  if (organizationId) await directoryOfOrganization(platform, caller, organizationId)
  const directory = await accountDirectory(platform, caller)
  return brand({ accountId, environmentId, environmentSlug, organizationId, directory })
}

/** Whether the reach covers a directory. */
export function isInReach(reach: Reach, directory: Directory): boolean {
  if (directory.environmentId !== reach.environmentId) return false
  return reach.directory ? reach.directory.id === directory.id : directory.kind !== 'console'
}

/**
 * Returns the directory of an organization that this transaction has created, in the environment of the account that
 * creates it. Other transactions do not see it yet.
 */
export async function newDirectory(tx: Tx, scope: AccountScope, organizationId: string): Promise<Directory> {
  const { accountId, environmentId, environmentSlug } = scope
  const [id, kind] = [newId(), 'organization' as const]
  const of = { account_id: accountId, environment_id: environmentId, organization_id: organizationId }
  await tx
    .insertInto('directories')
    .values({ id, kind, ...of })
    .execute()
  // A new organization has no locale of its own yet.
  const { locale } = scope.directory
  return brand({ id, kind, accountId, environmentId, environmentSlug, organizationId, locale })
}

/** Returns a directory by its id alone, for work without a caller, such as jobs and verified tokens. */
export async function findDirectory(platform: Platform, directoryId: string): Promise<Directory | null> {
  return directoriesById(platform).get(directoryId)
}

/**
 * Returns a directory that this process has read before, or null. Runs no query, so its settings and state may be
 * outdated.
 */
export function knownDirectory(platform: Platform, directoryId: string): Directory | null {
  return seenDirectories(platform).get(directoryId) ?? null
}

// Apart from the locale, the data of a directory never changes. These take a few megabytes at most.
const MAX_SEEN = 20_000
const seenDirectories = perPlatform(() => boundedMap<Directory>(MAX_SEEN))

function remember(platform: Platform, row: DirectoryRow): Directory {
  const directory = toDirectory(row)
  seenDirectories(platform).set(directory.id, directory)
  return directory
}

/** The directories of an organization in every environment. */
export async function directoriesOfOrganization(db: Db, organizationId: string): Promise<Directory[]> {
  const rows = await selectDirectories(db).where('directories.organization_id', '=', organizationId).execute()
  return rows.map(toDirectory)
}

/** All directories that are erased with an organization: its own, and those of environments made for it. */
export async function directoriesToErase(db: Db, organizationId: string): Promise<Directory[]> {
  const rows = await selectDirectories(db)
    .where((eb) =>
      eb.or([
        eb('directories.organization_id', '=', organizationId),
        eb('environments.organization_id', '=', organizationId),
      ]),
    )
    .orderBy('directories.id')
    .execute()
  return rows.map(toDirectory)
}

/** The account-level directories of environments that all organizations of an account share. */
export async function sharedDirectories(db: Db, accountId: string): Promise<Directory[]> {
  const rows = await selectDirectories(db)
    .where('directories.account_id', '=', accountId)
    .where('directories.kind', '=', 'account')
    .where('environments.organization_id', 'is', null)
    .orderBy('directories.id')
    .execute()
  return rows.map(toDirectory)
}

/** Removes an organization's directories from caches after its locale has changed. */
export async function forgetDirectories(platform: Platform, tx: Tx, organizationId: string): Promise<void> {
  for (const { id, environmentId } of await directoriesOfOrganization(tx, organizationId)) {
    await directories(platform).invalidate(tx, `${environmentId}/organization/${organizationId}`)
    await directoriesById(platform).invalidate(tx, id)
  }
}

// Foreign tables environments, organizations: finds the tenant of a request before any feature runs.
const directories = perPlatform((platform) =>
  platform.caches.define<Directory | null>('directories', async (key) => {
    const [environmentId = '', kind = '', organizationId = ''] = key.split('/')
    const find = () =>
      selectDirectories(platform.db)
        .where('directories.environment_id', '=', environmentId)
        .where('directories.kind', '=', kind)
        .where('directories.organization_id', organizationId ? '=' : 'is', organizationId || null)
        // The previous release, without this rule, may have created such a directory.
        .$if(organizationId !== '', (query) => query.where(existsIn('organizations', 'environments')))
        .executeTakeFirst()
    const found = await find()
    if (found) return remember(platform, found)
    await makeDirectory(platform, environmentId, kind, organizationId || null)
    const made = await find()
    return made ? remember(platform, made) : null
  }),
)

const directoriesById = perPlatform((platform) =>
  platform.caches.define<Directory | null>('directories_by_id', async (id) => {
    const row = await selectDirectories(platform.db).where('directories.id', '=', id).executeTakeFirst()
    return row ? remember(platform, row) : null
  }),
)

function selectDirectories(db: Db) {
  // Foreign tables environments, organizations: finds the tenant of a request before any feature runs.
  return db
    .selectFrom('directories')
    .innerJoin('environments', 'environments.id', 'directories.environment_id')
    .leftJoin('organizations', 'organizations.id', 'directories.organization_id')
    .select([
      'directories.id',
      'directories.kind',
      'directories.account_id',
      'directories.environment_id',
      'directories.organization_id',
      'environments.slug as environment_slug',
    ])
    .select((eb) => eb.fn.coalesce('organizations.locale', 'environments.locale').as('locale'))
}

type DirectoryRow = NonNullable<Awaited<ReturnType<ReturnType<typeof selectDirectories>['executeTakeFirst']>>>

function toDirectory(row: DirectoryRow): Directory {
  const kind = row.kind === 'organization' || row.kind === 'console' ? row.kind : 'account'
  return brand({
    id: row.id,
    kind,
    accountId: row.account_id,
    environmentId: row.environment_id,
    environmentSlug: row.environment_slug,
    organizationId: row.organization_id,
    locale: row.locale,
  })
}

/** Creates a directory at its first use, only for an organization of the account that exists in the environment. */
async function makeDirectory(platform: Platform, environmentId: string, kind: string, organizationId: string | null) {
  // Foreign tables environments, organizations: a directory exists only for an organization of its environment.
  const values = platform.db
    .selectFrom('environments')
    .leftJoin('organizations', (join) =>
      join
        .onRef('organizations.account_id', '=', 'environments.account_id')
        .on('organizations.id', organizationId ? '=' : 'is', organizationId),
    )
    .where('environments.id', '=', environmentId)
    .$if(organizationId !== null, (query) =>
      query.where('organizations.id', 'is not', null).where(existsIn('organizations', 'environments')),
    )
    .select((eb) => [
      eb.val(newId()).as('id'),
      'environments.account_id',
      'environments.id as environment_id',
      'organizations.id as organization_id',
      eb.val(kind).as('kind'),
    ])
    .limit(1)
  await platform.db
    .insertInto('directories')
    .columns(['id', 'account_id', 'environment_id', 'organization_id', 'kind'])
    .expression(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
