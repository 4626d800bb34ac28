import { isUniqueViolation } from '../../platform/db/pool.ts'
import { httpErrors, invalidField } from '../../platform/errors.ts'
import { record } from '../../platform/events.ts'
import type { AccountScope } from '../../platform/http/directory.ts'
import { newId } from '../../platform/ids.ts'
import { isSlug } from '../../platform/slug.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { environmentErrors } from './errors.ts'
import { environmentEvents } from './events.ts'
import { type Environment, type EnvironmentCreate, MAX_CUSTOM, toEnvironment } from './schema.ts'
import { countCustomRows, insertEnvironmentRow, lockOrganizationRow } from './store.ts'

const reserved = new Set(['production', 'staging'])

/**
 * Creates a custom environment for the organization that the caller names; it accepts only keys of that organization.
 * Throws `sub_org_required`, `slug_reserved`, `slug_taken` (also to the loser of a race), `environment_limit_reached`,
 * `invalid_request`.
 */
export async function createEnvironment(work: Work<AccountScope>, body: EnvironmentCreate): Promise<Environment> {
  return inTx(work, async (work) => {
    const { organizationId, directory } = work.directory
    if (organizationId === null)
      throw httpErrors.subOrgRequired({ detail: 'This key reaches every organization: name one as subOrgId.' })
    checkSlug(body.slug)
    // So that of several at once each counts those before it.
    await lockOrganizationRow(work.db, organizationId)
    if ((await countCustomRows(work.db, organizationId)) >= MAX_CUSTOM) throw environmentErrors.limitReached()
    const environment = await insert(work, organizationId, body)
    const target = { type: 'environment', id: environment.id }
    await record({ ...work, directory }, environmentEvents.created({ target, data: environment }))
    return environment
  })
}

async function insert(work: TxWork<AccountScope>, organizationId: string, body: EnvironmentCreate) {
  const id = newId()
  try {
    const row = await insertEnvironmentRow(work.db, {
      id,
      account_id: work.directory.accountId,
      organization_id: organizationId,
      name: body.name,
      slug: body.slug,
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
 * Reports `Production`, ` staging` and their full-width spellings as reserved; refuses anything else that is not a
 * slug.
 */
function checkSlug(slug: string): void {
  const folded = slug.normalize('NFKC').trim().toLowerCase()
  if (reserved.has(folded)) throw environmentErrors.slugReserved({ detail: `The slug ${folded} is reserved.` })
  if (isSlug(slug)) return
  throw invalidField('slug', 'pattern', 'slug must have 1 to 63 characters: a-z, 0-9, and single hyphens between them')
}
