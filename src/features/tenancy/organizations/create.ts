import { isUniqueViolation, type Tx } from '../../../platform/db/pool.ts'
import { httpErrors } from '../../../platform/errors.ts'
import { record } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { canonicalLocale } from '../../../platform/messages/locale.ts'
import { assertMetadataFits } from '../../../platform/metadata.ts'
import { homeOfNew } from '../../../platform/tenancy/account-writes.ts'
import { type AccountWork, inTx } from '../../../platform/work.ts'
import { findCounted } from './counted.ts'
import { organizationErrors } from './errors.ts'
import { organizationEvents } from './events.ts'
import { type OrganizationCreate, toOrganization } from './schema.ts'
import { insertOrganizationRow, isCustomEnvironment, type OrganizationRow } from './store.ts'

export interface NewOrganization extends OrganizationCreate {
  accountId: string
  parentId: string | null
  /** Null for production. */
  homeEnvironmentId: string | null
}

/**
 * Creates an organization without recording an event. Throws `slug_taken`, also if a concurrent request wins. Returns
 * its id.
 */
export async function addOrganization(tx: Tx, spec: NewOrganization): Promise<string> {
  const id = newId()
  try {
    await insertOrganizationRow(tx, {
      id,
      account_id: spec.accountId,
      parent_id: spec.parentId,
      home_environment_id: spec.homeEnvironmentId,
      name: spec.name,
      slug: spec.slug,
      description: spec.description ?? null,
      locale: canonicalLocale(spec.locale ?? ''),
      external_id: spec.externalId ?? null,
      metadata: writeMetadata(spec.metadata ?? null),
    })
  } catch (error) {
    if (isUniqueViolation(error, 'organizations_account_id_slug_key')) throw organizationErrors.slugTaken()
    throw error
  }
  return id
}

/**
 * Creates an organization in the caller's environment. If the request names an organization, that one becomes the
 * parent. Throws `slug_taken`, and `sub_org_mismatch` in a custom environment, which only has its own organization.
 */
export async function createOrganization(work: AccountWork, body: OrganizationCreate): Promise<OrganizationRow> {
  return inTx(work, async (work) => {
    const { db, account } = work
    if (await isCustomEnvironment(db, account))
      throw httpErrors.subOrgMismatch({ detail: 'A custom environment has only the organization that it belongs to.' })
    const { accountId, organizationId: parentId } = account
    const id = await addOrganization(db, { ...body, accountId, parentId, homeEnvironmentId: homeOfNew(account) })
    const row = await findCounted(db, { ...account, organizationId: null }, id)
    if (!row) throw new Error('A new organization is not there')
    const event = organizationEvents.created({ target: { type: 'organization', id }, data: toOrganization(row) })
    await record({ ...work, directory: account.directory }, event)
    return row
  })
}

/** Metadata as text for its column. Throws `invalid_request` for metadata that is too large. */
export function writeMetadata(metadata: Record<string, unknown> | null): string {
  assertMetadataFits(metadata)
  return JSON.stringify(metadata ?? {})
}
