import { httpErrors } from '../../../platform/errors.ts'
import { record } from '../../../platform/events/events.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { OWNERSHIP } from '../../../platform/tenancy/grants.ts'
import { type AccountTxWork, type AccountWork, inTx } from '../../../platform/work.ts'
import { erasureOf, getOrganization, organizationEvents, updateOrganization } from '../organizations/organizations.ts'
import { erasureErrors } from './errors.ts'
import { sealSchedule } from './seal.ts'
import { ERASURE_DAYS, findSchedule, lockOrganization, scheduleErasure } from './store.ts'

interface Asked {
  /** The organization's name, typed as a confirmation. */
  name: string
  /** Erases without waiting 30 days. For an organization that a restored backup has brought back. */
  isAtOnce?: boolean
}

/**
 * Archives an organization and schedules its erasure. A second request keeps the date. `caller` is null on the
 * command line, which may erase any organization. Throws `organization_not_found`, `insufficient_scope`,
 * `sub_org_mismatch`, `organization_name_mismatch`.
 */
export async function requestErasure(
  work: AccountWork & { caller: ManagerCaller | null },
  id: string,
  { name, isAtOnce = false }: Asked,
) {
  if (work.caller) assertMayErase(work.caller)
  return inTx(work, async (work) => {
    const { id: organizationId } = await getOrganization(work, id)
    await lockOrganization(work.db, organizationId)
    const before = await getOrganization(work, organizationId)
    if (before.name !== name) throw erasureErrors.nameMismatch()
    if (before.status === 'archived' && before.erase_at && !isAtOnce) return before
    await updateOrganization(work, organizationId, { patch: { status: 'archived' }, ifMatch: null })
    await schedule(work, organizationId, isAtOnce ? 0 : ERASURE_DAYS)
    return getOrganization(work, organizationId)
  })
}

async function schedule(work: AccountTxWork, organizationId: string, days: number): Promise<void> {
  const { platform, db, account } = work
  const planned = await findSchedule(db, organizationId, days)
  await scheduleErasure(db, planned, sealSchedule(platform, planned))
  const row = await getOrganization(work, organizationId)
  const event = organizationEvents.erasureScheduled(erasureOf(row, planned.erase_at))
  await record({ ...work, directory: account.directory }, event)
}

/**
 * Requires a caller with all rights in the whole account, who can therefore also cancel the erasure. A key or member
 * of one organization could not restore it. Throws `sub_org_mismatch`, `insufficient_scope`.
 */
function assertMayErase(caller: ManagerCaller): void {
  if (caller.organizationId !== null)
    throw httpErrors.subOrgMismatch({
      detail:
        'Only an org-wide key (not limited to one organization) or an owner of the account can erase an organization.',
    })
  if (!caller.grants.has(OWNERSHIP))
    throw httpErrors.insufficientScope({
      detail: 'Only an owner of the account, or a key with the scope *, can erase an organization.',
      extra: { scope: '*' },
    })
}
