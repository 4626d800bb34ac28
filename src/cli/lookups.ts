import type { Db } from '../platform/db/pool.ts'
import type { Page } from '../platform/http/pagination.ts'
import { isId } from '../platform/ids.ts'
import type { Platform } from '../platform/platform.ts'
import {
  type AccountScope,
  type Directory,
  type EnvironmentRef,
  findDirectoryOfOrganization,
  homeEnvironmentOf,
  resolveAccount,
} from '../platform/tenancy/directory.ts'
import { CliError } from './print.ts'

export interface AccountRef {
  id: string
  name: string
}

/** Finds an account by id or name, by default the home account. Returns null if there is no account yet. */
export async function findAccount(db: Db, named: string | undefined): Promise<AccountRef | null> {
  const query = db.selectFrom('accounts').select(['id', 'name'])
  if (named === undefined) return (await query.where('home', '=', true).executeTakeFirst()) ?? null
  const found = await query
    .where(isId(named) ? 'id' : 'name', '=', named)
    .limit(2)
    .execute()
  if (found.length > 1) throw new CliError(`Several accounts are named ${named}: use the id.`)
  if (!found[0]) throw new CliError(`There is no account ${named}: use a name or an id.`)
  return found[0]
}

/** Finds the same. Throws CliError if there is none. */
export async function getAccount(db: Db, named: string | undefined): Promise<AccountRef> {
  const account = await findAccount(db, named)
  if (!account) throw new CliError('There is no account yet: run `npx watchword setup`, or start the service.')
  return account
}

/**
 * Finds an environment of the account by its slug or id. If environments of several organizations have the slug,
 * `organizationId` selects one.
 */
export async function getEnvironment(
  db: Db,
  accountId: string,
  named: string,
  organizationId: string | null = null,
): Promise<{ accountId: string; environmentId: string; environmentSlug: string }> {
  const columns = ['id', 'slug', 'organization_id'] as const
  const all = await db.selectFrom('environments').select(columns).where('account_id', '=', accountId).execute()
  const fitting = all.filter(({ id, slug }) => (isId(named) ? id : slug) === named)
  const theirs = fitting.filter((each) => each.organization_id === organizationId)
  const [found, ...more] = theirs.length ? theirs : fitting
  if (!found) {
    const slugs = [...new Set(all.map((each) => each.slug))].sort()
    throw new CliError(`There is no environment ${named}: use one of ${slugs.join(', ')}.`)
  }
  if (more.length)
    throw new CliError(
      `Several organizations have an environment ${named}: use its id, as GET /v1/environments shows it.`,
    )
  return { accountId, environmentId: found.id, environmentSlug: found.slug }
}

/** Finds an organization of the account by its id, its slug, or a path of slugs such as `parent/child`. */
export async function getOrganizationId(db: Db, accountId: string, named: string): Promise<string> {
  const [found, ...more] = await findOrganizationIds(db, accountId, named)
  if (!found) throw new CliError(`There is no organization ${named}: use a slug or an id.`)
  if (more.length)
    throw new CliError(
      `Several organizations are called ${named}: put the parent's slug before it, as in parent/${named}.`,
    )
  return found
}

/**
 * Finds all organizations that a name may mean. A slug without a path means an organization at the top level, if there
 * is one.
 */
export async function findOrganizationIds(db: Db, accountId: string, named: string): Promise<string[]> {
  const path = named.split('/')
  const rows = await db
    .selectFrom('organizations')
    .select(['id', 'parent_id', 'slug'])
    .where('account_id', '=', accountId)
    .where(isId(named) ? 'id' : 'slug', 'in', path)
    .execute()
  if (isId(named) && rows[0]) return [rows[0].id]
  const fitting = rows.flatMap((row) => {
    const above = climb(row, path.toReversed())
    return above === undefined ? [] : [{ id: row.id, isTop: above === null }]
  })
  const found = fitting.some(({ isTop }) => isTop) ? fitting.filter(({ isTop }) => isTop) : fitting
  return found.map(({ id }) => id)

  /**
   * The parent above the end of the path, or null at the top level. Undefined if the path does not lead to the
   * organization.
   */
  function climb(row: (typeof rows)[number], [slug, ...above]: string[]): string | null | undefined {
    if (row.slug !== slug) return undefined
    if (above.length === 0) return row.parent_id
    const parent = rows.find(({ id }) => id === row.parent_id)
    return parent && climb(parent, above)
  }
}

/** The account and environment of a command. With `--org`, limited to that organization. */
export async function getScope(
  platform: Platform,
  named: { account?: string; env: string; org?: string },
): Promise<AccountScope> {
  const account = await getAccount(platform.db, named.account)
  const organizationId = named.org === undefined ? null : await getOrganizationId(platform.db, account.id, named.org)
  const environment = await getEnvironment(platform.db, account.id, named.env, organizationId)
  if (organizationId !== null) await getDirectory(platform, environment, organizationId)
  return resolveAccount(platform, { ...environment, organizationId }, organizationId)
}

/** The directory of an organization. Throws CliError if the organization does not exist in the environment. */
export async function getDirectory(
  platform: Platform,
  environment: EnvironmentRef,
  organizationId: string,
): Promise<Directory> {
  const directory = await findDirectoryOfOrganization(platform, environment, organizationId)
  if (directory) return directory
  const home = await homeEnvironmentOf(platform, environment.accountId, organizationId)
  throw new CliError(
    `The organization does not exist in the environment ${environment.environmentSlug}: use --env ${home.environmentSlug}.`,
  )
}

/** The first page of a list, for people to read. */
export function firstPage(limit: number): Page {
  return { path: '', query: {}, limit, order: 'asc', sortedBy: 'age', after: null, includeTotal: false }
}
