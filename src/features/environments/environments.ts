import { isUniqueViolation } from '../../platform/db/pool.ts'
import { httpErrors } from '../../platform/errors.ts'
import { record } from '../../platform/events.ts'
import type { AccountScope } from '../../platform/http/directory.ts'
import { newId } from '../../platform/ids.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { isSlug } from '../organizations/organizations.ts'
import { environmentErrors } from './errors.ts'
import { type Environment, type EnvironmentCreate, toEnvironment } from './schema.ts'
import { insertEnvironmentRow } from './store.ts'

const reserved = new Set(['production', 'staging'])

/**
 * Makes a custom environment for the organization that the caller names; only keys of that organization live in it.
 * Throws `sub_org_required`, `slug_reserved`, `slug_taken` (also to the loser of a race), `invalid_request`.
 */
export async function createEnvironment(work: Work<AccountScope>, body: EnvironmentCreate): Promise<Environment> {
  return inTx(work, async (work) => {
    const { organizationId, directory } = work.directory
    if (organizationId === null)
      throw httpErrors.subOrgRequired({ detail: 'This key reaches every organization: name one as subOrgId.' })
    checkSlug(body.slug)
    const environment = await insert(work, organizationId, body)
    const target = { type: 'environment', id: environment.id }
    await record({ ...work, directory }, { type: 'environment.created', target, data: environment })
    return environment
  })
}

async function insert(work: TxWork<AccountScope>, organizationId: string, body: EnvironmentCreate) {
  try {
    const row = await insertEnvironmentRow(work.db, {
      id: newId(),
      account_id: work.directory.accountId,
      organization_id: organizationId,
      name: body.name,
      slug: body.slug,
      type: 'custom',
    })
    return toEnvironment({ ...row, key_count: 0 })
  } catch (error) {
    if (isUniqueViolation(error, 'environments_account_id_slug_key')) throw environmentErrors.slugTaken()
    throw error
  }
}

/** `Production`, ` staging` and their full-width spellings are told why; anything else that is no slug is refused. */
function checkSlug(slug: string): void {
  const folded = slug.normalize('NFKC').trim().toLowerCase()
  if (reserved.has(folded)) throw environmentErrors.slugReserved({ detail: `The slug ${folded} is reserved.` })
  if (isSlug(slug)) return
  const message = 'slug must be at most 63 of a-z, 0-9 and single hyphens between them'
  throw httpErrors.invalidRequest({ detail: `${message}.`, errors: [{ field: 'slug', code: 'pattern', message }] })
}
