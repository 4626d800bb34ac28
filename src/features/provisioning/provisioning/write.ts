import { isUniqueViolation } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/errors.ts'
import { changedFrom, type EventFactory, type EventInput } from '../../../platform/events/events.ts'
import type { TxWork } from '../../../platform/work.ts'
import { ownsDomainOf } from '../../directory/domains/domains.ts'
import { changeHeldUser, nameFollower } from '../../directory/users/changes/changes.ts'
import { withdrawInvitations } from '../../directory/users/invited/invited.ts'
import { type HeldUser, type UserRow, userErrors } from '../../directory/users/users.ts'
import { isSame } from '../language/json.ts'
import type { ShownVersion } from '../language/versions.ts'
import { REPEATED_USER, recordChanges, scimError, scimErrors, warn } from '../scim/scim.ts'
import { type ProvisionedUser, provisioningEvents } from './events.ts'
import type { Given } from './given.ts'
import { type Profile, toProfile } from './profile.ts'
import type { Said } from './resource.ts'
import { findShownVersion, isRepeated, type ProvisionedRow, putProvisionedRow } from './store.ts'

/** A user as the client has them. */
export interface Provisioned {
  row: UserRow
  said: Said
}

export const taken = (what: string) => scimError(scimErrors.uniqueness, `Another user has this ${what}.`)

/** The same of what the database finds out, in a race too. */
export async function orTaken<T>(written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    if (isUniqueViolation(error, 'scim_users_by_user_name')) throw taken('userName')
    if (error instanceof ApiError && error.definition.code === userErrors.emailExists.code) throw taken('address')
    if (error instanceof ApiError && error.definition.code === userErrors.externalIdTaken.code)
      throw taken('externalId of your own system')
    throw error
  }
}

export function saidOf({ externalId: external_id, resource }: Given, shown: ShownVersion): Said {
  const { shown_version, shown_at } = shown
  return { external_id, resource, shown_version, shown_at }
}

/** Writes what the client says of a user, beside the row of the user. */
export async function putGiven(work: TxWork, userId: string, given: Given): Promise<void> {
  const { userName, externalId, resource, emails } = given
  await putProvisionedRow(work.db, work.directory, { userId, userName, externalId, resource, emails })
}

/**
 * Takes over a user: what the client says replaces what is there, what it does not say stays. They are active as it says, or
 * else as `active` does.
 */
export async function takeOver(
  work: TxWork,
  user: HeldUser,
  given: Given,
  { active, ownsDomain }: { active: boolean; ownsDomain: boolean },
): Promise<Provisioned> {
  const spoken = Object.fromEntries(Object.entries(given.profile).filter(([, value]) => value !== null))
  const patch = { ...spoken, email: given.address.email, active: given.active ?? active }
  // The client decides from now on who comes in.
  const held = await withdrawInvitations(work, user)
  const row = await changeHeldUser(work, held, patch, { scim_managed: true, isProved: ownsDomain, isTouched: true })
  await putGiven(work, row.id, given)
  await recordChanges(work, eventOf(work, provisioningEvents.provisioned, { row, names: given }))
  return { row, said: saidOf(given, await findShownVersion(work.db, work.directory, row.id)) }
}

/** Replaces what the client has said of a user. What changes nothing has no effect. */
export async function rewrite(
  work: TxWork,
  before: { user: HeldUser; said: ProvisionedRow },
  given: Given,
): Promise<Provisioned> {
  const { user, said } = before
  const isTouched =
    said.external_id !== given.externalId || said.user_name !== given.userName || !isSame(said.resource, given.resource)
  const movesMailbox = given.address.norm !== user.email_norm
  const patch = {
    ...changedFields(given.profile, toProfile(said.resource)),
    email: given.address.email,
    active: given.active ?? user.active,
  }
  const ownsDomain = movesMailbox && (await ownsDomainOf(work, given.address.norm))
  const row = await changeHeldUser(work, user, patch, { scim_managed: true, isProved: ownsDomain, isTouched })
  if (row.version === user.version) return { row, said }
  if (isTouched) await putGiven(work, user.id, given)
  const previous = changedFrom(
    dataOf(work, user, { userName: said.user_name, externalId: said.external_id }),
    dataOf(work, row, given),
  )
  await recordChanges(work, eventOf(work, changeOf(user, row), { row, names: given, previous }))
  const { externalId } = given
  if (externalId !== null && externalId !== said.external_id) {
    if (await isRepeated(work.db, work.directory, { externalId, userId: user.id })) warn(work, REPEATED_USER)
  }
  // Groups show a user without a display name by the userName.
  if (row.display_name === null && said.user_name !== given.userName)
    await nameFollower.of(work.platform)(work, user.id)
  return { row, said: saidOf(given, said) }
}

/** The locale is the person's own as well: one that the client goes on saying replaces none that they have chosen since. */
function changedFields({ locale, ...profile }: Profile, before: Profile): Partial<Profile> {
  return locale === before.locale ? profile : { ...profile, locale }
}

function changeOf(before: UserRow, after: UserRow) {
  if (before.active === after.active) return provisioningEvents.updated
  return after.active ? provisioningEvents.provisioned : provisioningEvents.deprovisioned
}

type Names = Pick<Given, 'userName' | 'externalId'>

export function eventOf(
  work: TxWork,
  event: EventFactory<typeof ProvisionedUser>,
  { row, names, previous }: { row: UserRow; names: Names; previous?: object },
): EventInput {
  const data = dataOf(work, row, names)
  return event({ target: { type: 'user', id: row.id }, data, ...(previous ? { previous } : {}) })
}

function dataOf({ directory }: TxWork, row: UserRow, { userName, externalId }: Names): ProvisionedUser {
  const { id, auth_account_id: userId, email, active } = row
  return { id, userId, subOrgId: directory.organizationId, userName, externalId, email, active }
}
