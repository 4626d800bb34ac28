import { now } from '../../../platform/db/now.ts'
import { httpErrors } from '../../../platform/errors.ts'
import { changedFrom, record } from '../../../platform/events/events.ts'
import { matches, tagOf } from '../../../platform/http/precondition.ts'
import { isId } from '../../../platform/ids.ts'
import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'
import { canonicalLocale } from '../../../platform/messages/locale.ts'
import { assertHas } from '../../../platform/tenancy/authorize.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { forgetDirectories } from '../../../platform/tenancy/directory.ts'
import { describeNoId } from '../../../platform/tenancy/named-organization.ts'
import { type AccountTxWork, type AccountWork, inTx } from '../../../platform/work.ts'
import { revokeOrganizationSessions } from '../../access/sessions/sessions.ts'
import { findCounted } from './counted.ts'
import { writeMetadata } from './create.ts'
import { organizationErrors } from './errors.ts'
import { organizationEvents } from './events.ts'
import { type OrganizationPatch, toOrganization } from './schema.ts'
import { asNextEpoch, lockOrganizationRow, type OrganizationRow, updateOrganizationRow } from './store.ts'
import type { UserCount } from './user-counts-store.ts'

export { addOrganization } from './create.ts'
export { createWithAdmin } from './create-with-admin.ts'
export { organizationErrors } from './errors.ts'
export { organizationEvents } from './events.ts'
export { OrganizationCreate, OrganizationParams, OrganizationReply, toOrganization } from './schema.ts'

const reasons = defineEndReasons('organization_suspended', 'organization_archived')

/**
 * An organization that the caller reaches. Throws `organization_not_found`, also for an organization of another
 * account.
 */
export async function getOrganization(work: AccountWork, id: string): Promise<OrganizationRow> {
  return found(await findCounted(work.db, work.account, readId(id)))
}

/**
 * Applies the patch. A patch that changes nothing has no effect. If the status changes, every session of the
 * organization ends in the same transaction. Without a caller, as on the command line, it changes any organization.
 * Throws `organization_not_found`, `version_conflict`, and what `assertMayChangeStatus` throws.
 */
export async function updateOrganization(
  work: AccountWork & { caller: ManagerCaller | null },
  id: string,
  change: { patch: OrganizationPatch; ifMatch: string | null },
): Promise<OrganizationRow> {
  return inTx(work, async (work) => {
    const { db } = work
    // Events and the user count belong to the home environment. A member may change the organization from another
    // environment.
    const scope = { ...work.account, environmentId: work.account.directory.environmentId }
    const before = found(await lockOrganizationRow(db, scope, readId(id)))
    if (!matches(change.ifMatch, tagOf(before))) throw httpErrors.versionConflict()
    if (change.patch.status && work.caller) assertMayChangeStatus(work.caller, before.status, change.patch.status)
    const asked = applyPatch(before, change.patch)
    const changed = Object.keys(changedFrom(before, asked))
    if (!changed.length) return getOrganization(work, before.id)
    const status = changed.includes('status') ? asked.status : null
    await updateOrganizationRow(db, scope, before.id, {
      ...asked,
      metadata: writeMetadata(asked.metadata),
      ...(status === null ? {} : { archived_at: status === 'archived' ? now : null, ...NOT_ERASED, ...asNextEpoch }),
    })
    // Also on reactivation: a sign-in in progress when the organization was suspended may have left a session behind.
    if (status !== null) {
      const reason = status === 'archived' ? reasons.organization_archived : reasons.organization_suspended
      await revokeOrganizationSessions(work, { id: before.id, epoch: before.session_epoch + 1 }, reason)
    }
    if (changed.includes('locale')) await forgetDirectories(work.platform, db, before.id)
    const after = found(await findCounted(db, scope, before.id))
    await recordChange(work, { before: { ...before, ...countOf(after) }, after, changed })
    return scope.environmentId === work.account.environmentId ? after : getOrganization(work, before.id)
  })
}

/** Cancels a scheduled erasure. Written whenever the status changes. */
const NOT_ERASED = { erase_at: null, erase_seal: null }

/**
 * Archiving and restoring require `organizations:archive`. Reactivating and restoring also require a caller that
 * reaches the whole account: otherwise an organization's own key could lift its suspension. A restored organization
 * may become active or suspended. Throws `insufficient_scope`, `sub_org_mismatch`.
 */
function assertMayChangeStatus(caller: ManagerCaller, before: string, after: string): void {
  if (before === 'archived' || after === 'archived') assertHas(caller, 'organizations:archive')
  const opens = before !== after && (before === 'archived' || after === 'active')
  if (opens && caller.organizationId !== null)
    throw httpErrors.subOrgMismatch({
      detail:
        'Only an org-wide key (not limited to one organization) or a member of the account can reactivate or restore an organization.',
    })
}

function applyPatch(row: Omit<OrganizationRow, keyof UserCount>, patch: OrganizationPatch) {
  const { name, description, status, locale, externalId, metadata } = patch
  return {
    name: name ?? row.name,
    description: description === undefined ? row.description : description,
    status: status ?? row.status,
    locale: locale === undefined ? row.locale : canonicalLocale(locale ?? ''),
    external_id: externalId === undefined ? row.external_id : externalId,
    metadata: metadata === undefined ? row.metadata : (metadata ?? {}),
  }
}

const statusEvents = new Map([
  ['active', organizationEvents.activated],
  ['suspended', organizationEvents.suspended],
  ['archived', organizationEvents.archived],
])

async function recordChange(
  work: AccountTxWork,
  change: { before: OrganizationRow; after: OrganizationRow; changed: string[] },
): Promise<void> {
  const data = toOrganization(change.after)
  const previous = changedFrom(toOrganization(change.before), data)
  const target = { type: 'organization', id: data.id }
  const statusEvent = change.changed.includes('status') ? statusEvents.get(data.status) : undefined
  const onlyStatus = change.changed.every((field) => field === 'status')
  const events = [...(statusEvent ? [statusEvent] : []), ...(onlyStatus ? [] : [organizationEvents.updated])]
  const recorded = events.map((event) => event({ target, data, previous }))
  const { erase_at: eraseAt } = change.before
  const isCancelled = eraseAt !== null && change.before.status === 'archived' && statusEvent !== undefined
  const cancelled = isCancelled ? [organizationEvents.erasureCancelled(erasureOf(change.before, eraseAt))] : []
  await record({ ...work, directory: work.account.directory }, ...recorded, ...cancelled)
}

/** The data of events about the erasure of an organization. */
export function erasureOf({ id, account_id, home_slug }: Erasable, eraseAt: Date) {
  const target = { type: 'organization', id }
  return { target, data: { id, accountId: account_id, environment: home_slug, eraseAt: eraseAt.toISOString() } }
}

type Erasable = Pick<OrganizationRow, 'id' | 'account_id' | 'home_slug'>

/** The user count from before, since a change of an organization does not change its users. */
const countOf = ({ user_count, user_counted_at }: OrganizationRow): UserCount => ({ user_count, user_counted_at })

function found<T>(row: T | undefined): T {
  if (!row) throw organizationErrors.notFound()
  return row
}

function readId(text: string): string {
  const id = text.toLowerCase()
  if (!isId(id)) throw organizationErrors.notFound(describeNoId(text))
  return id
}
