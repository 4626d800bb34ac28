import { boundedMap } from '../../platform/bounded-map.ts'
import { ApiError } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import type { Platform } from '../../platform/platform.ts'
import { isName } from '../../platform/schema.ts'
import { isSlug, MAX_SLUG, SLUG_FORM } from '../../platform/slug.ts'
import {
  type AccountScope,
  type Directory,
  type EnvironmentRef,
  findDirectoryOfOrganization,
  newDirectory,
} from '../../platform/tenancy/directory.ts'
import type { TxWork } from '../../platform/work.ts'
import type { AccountRef } from '../lookups.ts'
import { findOrganizationIds } from '../lookups.ts'
import type { Person } from './person.ts'

/** The organization into which rows are imported. */
export interface Target {
  /** The id of the organization, or its slug if it does not exist yet. */
  key: string
  slug: string
  name: string
  /** Null if the organization does not exist yet. */
  directory: Directory | null
  /** Whether this import creates it. */
  isNew: boolean
}

/** Why a row is not imported. */
export interface Refusal {
  code: string
  /** The reason in words. */
  reason: string
}

/** Finds the target of a person. */
export type Targets = (person: Person) => Promise<Target | Refusal>

export const isRefusal = (found: Target | Refusal): found is Refusal => 'reason' in found

/** One organization for all rows of the file. */
export function oneTarget(directory: Directory, slug: string): Targets {
  const target = { key: directory.id, slug, name: slug, directory, isNew: false }
  return async ({ organization }) =>
    organization === undefined
      ? target
      : {
          code: 'invalid_field:organization',
          reason: 'The row names an organization, and --org another one: omit --org, or the organization.',
        }
}

export interface NamedTargets {
  platform: Platform
  account: AccountRef
  environment: EnvironmentRef
  /** Whether missing organizations are created. */
  creates: boolean
}

// An entry takes a few hundred bytes.
const MAX_KNOWN = 20_000

/** The organization that each row names: an id, else a slug (or a path of slugs), else an external id. */
export function namedTargets(context: NamedTargets): Targets {
  const known = boundedMap<Target | Refusal>(MAX_KNOWN)
  return async ({ organization, organizationName }) => {
    if (organization === undefined) return { code: 'organization_missing', reason: 'The row names no organization.' }
    const found = known.get(organization) ?? (await findNamedTarget(context, organization))
    known.set(organization, found)
    if (isRefusal(found) || found.directory || organizationName === undefined || found.name !== found.slug) return found
    // The name in the first row that has one.
    found.name = organizationName
    return found
  }
}

async function findNamedTarget(context: NamedTargets, named: string): Promise<Target | Refusal> {
  const { platform, account, environment, creates } = context
  const found = await findOrganizationsOf(context, named)
  const [organization, ...more] = found
  if (more.length)
    return {
      code: 'organization_ambiguous',
      reason: `Several organizations are called “${named}”: name one by its id.`,
    }
  if (organization) {
    const directory = await findDirectoryOfOrganization(platform, environment, organization.id)
    if (directory)
      return { key: organization.id, slug: organization.slug, name: organization.slug, directory, isNew: false }
    return refuse(`The organization “${named}” does not exist in the environment ${environment.environmentSlug}.`)
  }
  if (!creates) return refuse(`The account ${account.name} has no organization “${named}”.`)
  if (!isSlug(named))
    return refuse(
      `There is no organization “${named}”, and it cannot be created: a slug has ${SLUG_FORM}, at most ${MAX_SLUG} characters.`,
    )
  return { key: named, slug: named, name: named, directory: null, isNew: true }
}

const refuse = (reason: string): Refusal => ({ code: 'organization_not_found', reason })

async function findOrganizationsOf({ platform: { db }, account }: NamedTargets, named: string) {
  const ofAccount = db
    .selectFrom('organizations')
    .select(['id', 'slug'])
    .where('account_id', '=', account.id)
    .where('erased_at', 'is', null)
  const id = named.toLowerCase()
  if (isId(id)) {
    const byId = await ofAccount.where('id', '=', id).execute()
    if (byId.length) return byId
  }
  const bySlug = isId(id) ? [] : await findOrganizationIds(db, account.id, named)
  return ofAccount
    .where((eb) => eb.or([eb('external_id', '=', named), ...(bySlug.length ? [eb('id', 'in', bySlug)] : [])]))
    .limit(2)
    .execute()
}

/**
 * Creates a target's organization at the top level of the account, with its directory. Throws `slug_taken`,
 * `sub_org_mismatch`, and `NameUnfit`.
 */
export async function createTarget(
  work: Omit<TxWork, 'directory'>,
  scope: AccountScope,
  { slug, name }: Target,
): Promise<Directory> {
  const { createOrganization } = await import('../../features/tenancy/organizations/create.ts')
  if (!isName(name)) throw new NameUnfit()
  const { id } = await createOrganization({ ...work, account: scope }, { name, slug })
  return newDirectory(work.db, scope, id)
}

/** The name of a new organization is not valid. */
export class NameUnfit extends Error {
  override name = 'NameUnfit'
}

/** Why an organization could not be created. Null for any other error. */
export function refusalToCreate(error: unknown, { slug }: Target): Refusal | null {
  if (error instanceof NameUnfit)
    return {
      code: 'invalid_field:organizationName',
      reason: 'organizationName must be a line of at most 200 characters without control characters.',
    }
  if (!(error instanceof ApiError)) return null
  const { code, title } = error.definition
  return { code, reason: `The organization “${slug}” cannot be created: ${error.details.detail ?? title}` }
}
