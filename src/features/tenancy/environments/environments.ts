import { isUniqueViolation } from '../../../platform/db/pool.ts'
import { httpErrors, invalidField } from '../../../platform/errors.ts'
import { changedFrom, record } from '../../../platform/events/events.ts'
import { matches, tagOf } from '../../../platform/http/precondition.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { canonicalLocale } from '../../../platform/messages/locale.ts'
import { isSlug } from '../../../platform/slug.ts'
import { type AccountTxWork, type AccountWork, inTx } from '../../../platform/work.ts'
import { environmentErrors } from './errors.ts'
import { environmentEvents } from './events.ts'
import { type Environment, type EnvironmentCreate, type EnvironmentPatch, MAX_CUSTOM, toEnvironment } from './schema.ts'
import {
  countCustomRows,
  type EnvironmentRow,
  findEnvironmentRow,
  insertEnvironmentRow,
  lockEnvironmentRow,
  lockOrganizationRow,
  updateEnvironmentRow,
} from './store.ts'

const reserved = new Set(['production', 'staging'])

/**
 * Creates a custom environment for the organization that the caller names. The environment accepts only keys of this
 * organization. Throws `sub_org_required`, `slug_reserved`, `slug_taken` (also if a concurrent request wins),
 * `environment_limit_reached`, `invalid_request`.
 */
export async function createEnvironment(work: AccountWork, body: EnvironmentCreate): Promise<Environment> {
  return inTx(work, async (work) => {
    const { directory } = work.account
    const organizationId = requireOrganization(work)
    checkSlug(body.slug)
    // Locked so that concurrent requests count one another's environments.
    await lockOrganizationRow(work.db, organizationId)
    if ((await countCustomRows(work.db, organizationId)) >= MAX_CUSTOM) throw environmentErrors.limitReached()
    const environment = await insert(work, organizationId, body)
    const target = { type: 'environment', id: environment.id }
    await record({ ...work, directory }, environmentEvents.created({ target, data: environment }))
    return environment
  })
}

/** The organization that the caller is limited to or the request names. Throws `sub_org_required`. */
export function requireOrganization({ account: { organizationId } }: AccountWork): string {
  if (organizationId !== null) return organizationId
  throw httpErrors.subOrgRequired({
    detail: 'This key reaches every organization. Send the subOrgId of the organization.',
  })
}

/** An environment that the caller's list shows. Throws `environment_not_found`. */
export async function getEnvironment({ db, account }: AccountWork, text: string): Promise<EnvironmentRow> {
  const row = await findEnvironmentRow(db, account, readId(text))
  if (!row) throw environmentErrors.notFound()
  return row
}

function readId(text: string): string {
  const id = text.toLowerCase()
  if (!isId(id)) throw environmentErrors.notFound()
  return id
}

/**
 * Applies the patch. A patch that changes nothing has no effect. All organizations share production and staging, so a
 * caller limited to one organization may not change them. Throws `environment_not_found`, `version_conflict`,
 * `sub_org_mismatch`.
 */
export async function changeEnvironment(
  work: AccountWork,
  text: string,
  change: { patch: EnvironmentPatch; ifMatch: string | null; mayChangeShared: boolean },
): Promise<EnvironmentRow> {
  return inTx(work, async (work) => {
    const { db, account } = work
    await lockEnvironmentRow(db, account.accountId, readId(text))
    const before = await getEnvironment(work, text)
    if (before.organization_id === null && !change.mayChangeShared)
      throw httpErrors.subOrgMismatch({
        detail:
          'Only an org-wide key (not limited to one organization) can change an environment that all organizations share.',
      })
    if (!matches(change.ifMatch, tagOf(before))) throw httpErrors.versionConflict()
    const { name = before.name, locale = before.locale } = change.patch
    const changes = { name, locale: canonicalLocale(locale ?? '') }
    const after = { ...before, ...changes, version: before.version + 1 }
    const data = toEnvironment(after)
    const previous = changedFrom(toEnvironment(before), data)
    if (!Object.keys(previous).length) return before
    await updateEnvironmentRow(db, account.accountId, before.id, changes)
    const event = environmentEvents.updated({ target: { type: 'environment', id: before.id }, data, previous })
    await record({ ...work, directory: account.directory }, event)
    return after
  })
}

async function insert(work: AccountTxWork, organizationId: string, body: EnvironmentCreate) {
  const id = newId()
  try {
    const row = await insertEnvironmentRow(work.db, {
      id,
      account_id: work.account.accountId,
      organization_id: organizationId,
      name: body.name,
      slug: body.slug,
      locale: canonicalLocale(body.locale ?? ''),
      type: 'custom',
      issuer_name: id,
    })
    return toEnvironment({ ...row, key_count: 0 })
  } catch (error) {
    if (isUniqueViolation(error, 'environments_account_id_organization_id_slug_key'))
      throw environmentErrors.slugTaken({ detail: 'Another environment of the organization has this slug.' })
    throw error
  }
}

/**
 * Treats `Production`, ` staging` and their full-width spellings as reserved. Refuses everything else that is not a
 * slug.
 */
function checkSlug(slug: string): void {
  const folded = slug.normalize('NFKC').trim().toLowerCase()
  if (reserved.has(folded)) throw environmentErrors.slugReserved({ detail: `The slug ${folded} is reserved.` })
  if (isSlug(slug)) return
  throw invalidField('slug', 'pattern', 'slug must have 1 to 63 characters: a-z, 0-9, and single hyphens between them')
}
