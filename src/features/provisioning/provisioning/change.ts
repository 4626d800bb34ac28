import { httpErrors } from '../../../platform/errors.ts'
import { matches } from '../../../platform/http/precondition.ts'
import type { EmailAddress } from '../../../platform/mail/address.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { giveRoles } from '../../directory/roles/roles.ts'
import { withdrawSsoRoles } from '../../directory/roles/sso/sso.ts'
import { changeHeldUser, deleteUser } from '../../directory/users/changes/changes.ts'
import { findUserForUpdate, type HeldUser } from '../../directory/users/users.ts'
import { leaveGroups } from '../groups/groups.ts'
import { userType } from '../language/core-schemas.ts'
import { own, type ScimObject } from '../language/json.ts'
import { normaliseResource } from '../language/normalise.ts'
import { applyPatch, readPatch } from '../patch/patch.ts'
import { type Provisioning, recordChanges, scimErrors } from '../scim/scim.ts'
import { provisioningEvents } from './events.ts'
import { findAddress, keepSaid } from './profile.ts'
import { toResource, versionOf } from './resource.ts'
import { readScimInput } from './scim-input.ts'
import { findProvisionedRow, listGroupsOfUsers, type ProvisionedRow, tombstoneProvisionedRow } from './store.ts'
import { eventOf, mapTakenErrors, type Provisioned, rewrite } from './write.ts'

/** The conditions that any change may have. */
interface Condition {
  ifMatch: string | null
  /** RFC 9110 §13.1.2: the change is made only if the resource has none of these versions. */
  ifNoneMatch?: string | null
}

interface Held {
  user: HeldUser
  stored: ProvisionedRow
}

/** Throws `scim_resource_not_found`, `version_conflict`. */
async function lockProvisioned(work: TxWork, id: string, { ifMatch, ifNoneMatch = null }: Condition): Promise<Held> {
  const user = await findUserForUpdate(work, id)
  const stored = user && (await findProvisionedRow(work.db, work.directory, user.id))
  // Found only by the id of the resource, not by the auth account's id.
  if (!user || !stored || user.id !== id.toLowerCase()) throw scimErrors.resourceNotFound()
  const version = versionOf({ row: user, stored })
  const isOther = ifNoneMatch === null || !matches(ifNoneMatch, version)
  if (!matches(ifMatch, version) || !isOther) throw httpErrors.versionConflict()
  return { user, stored }
}

/**
 * Replaces what the client has sent about a user (RFC 7644 §3.5.1). Throws what `provisionUser` throws,
 * `scim_resource_not_found` and `version_conflict`.
 */
export async function replaceUser(work: Work, id: string, { body, ...condition }: Condition & { body: unknown }) {
  const input = readScimInput(normaliseResource(userType, body))
  return inTxOrTaken(work, async (work) => rewrite(work, await lockProvisioned(work, id, condition), input))
}

/**
 * Changes parts of a user (RFC 7644 §3.5.2). The operations apply to what the client has sent, without the address
 * derived from the userName: that address follows the userName. Throws what `replaceUser` throws, and the errors of
 * PATCH operations.
 */
export async function patchUser(work: Work, id: string, { body, ...condition }: Condition & { body: unknown }) {
  const operations = readPatch(body)
  return inTxOrTaken(work, async (work) => {
    const held = await lockProvisioned(work, id, condition)
    const groups = await listGroupsOfUsers(work.db, work.directory, [held.user.id])
    const current = toResource(work.platform, { row: held.user, stored: held.stored }, groups)
    if (!sendsEmails(held.stored.resource)) delete current['emails']
    const patched = applyPatch(userType, current, operations)
    const toStore = keepSaid(patched, { said: held.stored.resource, shown: current })
    return rewrite(work, held, readScimInput(patched, { kept: keptAddress(held, patched), toStore }))
  })
}

const sendsEmails = (resource: ScimObject) => Array.isArray(own(resource, 'emails'))

/** The address that an administrator has forced for a user without `emails`. It stays until the userName changes. */
function keptAddress({ user, stored }: Held, patched: ScimObject): EmailAddress | null {
  const isSame = findAddress(patched)?.norm === findAddress(stored.resource)?.norm
  const isDerived = !sendsEmails(stored.resource) && !sendsEmails(patched)
  return isDerived && isSame ? { email: user.email, norm: user.email_norm } : null
}

function inTxOrTaken(work: Work, run: (work: TxWork) => Promise<Provisioned>): Promise<Provisioned> {
  return mapTakenErrors(inTx(work, run))
}

/**
 * Handles a deletion by the client: the user loses all access. Throws `scim_resource_not_found`, `version_conflict`.
 */
export async function deprovisionUser(
  work: Work,
  id: string,
  { on_deprovision, ...condition }: Condition & Pick<Provisioning, 'on_deprovision'>,
): Promise<void> {
  await inTx(work, async (work) => {
    const { user, stored } = await lockProvisioned(work, id, condition)
    const names = { userName: stored.user_name, externalId: stored.external_id }
    if (on_deprovision === 'delete') {
      await tombstoneProvisionedRow(work.db, work.directory, user.id)
      await deleteUser(work, user.id, { ifMatch: null, force: true })
    } else {
      const managed = { scim_managed: false, isProved: false, isTouched: true }
      await changeHeldUser(work, user, { active: false }, managed)
      await leaveGroups(work, user.id)
      await giveRoles(work, 'scim', [{ user, role: null, roleIds: [] }])
      // If the user returns, groups of the identity provider give these roles again at a sign-in.
      const left = await findUserForUpdate(work, user.id)
      if (left) await withdrawSsoRoles(work, left)
      await tombstoneProvisionedRow(work.db, work.directory, user.id)
    }
    await recordChanges(
      work,
      eventOf(work, provisioningEvents.deprovisioned, { row: { ...user, active: false }, names }),
    )
  })
}
