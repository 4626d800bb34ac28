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
import { type Profile, toProfile } from './profile.ts'
import type { StoredResource } from './resource.ts'
import type { ScimInput } from './scim-input.ts'
import { findShownVersion, isRepeated, type ProvisionedRow, putProvisionedRow } from './store.ts'

/** A user as the client has them. */
export interface Provisioned {
  row: UserRow
  stored: StoredResource
}

export const takenError = (what: string) => scimError(scimErrors.uniqueness, `Another user has this ${what}.`)

/** Converts errors of the database to the same refusals, also in a race. */
export async function mapTakenErrors<T>(written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    if (isUniqueViolation(error, 'scim_users_by_user_name')) throw takenError('userName')
    if (error instanceof ApiError && error.definition.code === userErrors.emailExists.code) throw takenError('address')
    if (error instanceof ApiError && error.definition.code === userErrors.externalIdTaken.code)
      throw takenError('externalId of your own system')
    throw error
  }
}

export function toStoredResource(
  { externalId: external_id, resource }: ScimInput,
  shown: ShownVersion,
): StoredResource {
  const { shown_version, shown_at } = shown
  return { external_id, resource, shown_version, shown_at }
}

/** Stores what the client sends about a user, in addition to the user's row. */
export async function writeScimInput(work: TxWork, userId: string, input: ScimInput): Promise<void> {
  const { userName, externalId, resource, emails } = input
  await putProvisionedRow(work.db, work.directory, { userId, userName, externalId, resource, emails })
}

/**
 * Takes over a user. Values from the client replace existing ones, and values that the client does not send stay. The
 * user is active if the client says so, or else as `active` says.
 */
export async function takeOver(
  work: TxWork,
  user: HeldUser,
  input: ScimInput,
  { active, ownsDomain }: { active: boolean; ownsDomain: boolean },
): Promise<Provisioned> {
  const spoken = Object.fromEntries(Object.entries(input.profile).filter(([, value]) => value !== null))
  const patch = { ...spoken, email: input.address.email, active: input.active ?? active }
  // From now on the client decides who is a user.
  const held = await withdrawInvitations(work, user)
  const row = await changeHeldUser(work, held, patch, { scim_managed: true, isProved: ownsDomain, isTouched: true })
  await writeScimInput(work, row.id, input)
  await recordChanges(work, eventOf(work, provisioningEvents.provisioned, { row, names: input }))
  return { row, stored: toStoredResource(input, await findShownVersion(work.db, work.directory, row.id)) }
}

/** Replaces what the client has sent about a user. Sending the same again has no effect. */
export async function rewrite(
  work: TxWork,
  before: { user: HeldUser; stored: ProvisionedRow },
  input: ScimInput,
): Promise<Provisioned> {
  const { user, stored } = before
  const isTouched =
    stored.external_id !== input.externalId ||
    stored.user_name !== input.userName ||
    !isSame(stored.resource, input.resource)
  const movesMailbox = input.address.norm !== user.email_norm
  const patch = {
    ...changedFields(input.profile, toProfile(stored.resource)),
    email: input.address.email,
    active: input.active ?? user.active,
  }
  const ownsDomain = movesMailbox && (await ownsDomainOf(work, input.address.norm))
  const row = await changeHeldUser(work, user, patch, { scim_managed: true, isProved: ownsDomain, isTouched })
  if (row.version === user.version) return { row, stored }
  if (isTouched) await writeScimInput(work, user.id, input)
  const previous = changedFrom(
    dataOf(work, user, { userName: stored.user_name, externalId: stored.external_id }),
    dataOf(work, row, input),
  )
  await recordChanges(work, eventOf(work, changeOf(user, row), { row, names: input, previous }))
  const { externalId } = input
  if (externalId !== null && externalId !== stored.external_id) {
    if (await isRepeated(work.db, work.directory, { externalId, userId: user.id })) warn(work, REPEATED_USER)
  }
  // Groups show a user without a display name by their userName.
  if (row.display_name === null && stored.user_name !== input.userName)
    await nameFollower.of(work.platform)(work, user.id)
  return { row, stored: toStoredResource(input, stored) }
}

/**
 * The locale also belongs to the person: a client that repeats its locale does not replace one that the person has
 * chosen since.
 */
function changedFields({ locale, ...profile }: Profile, before: Profile): Partial<Profile> {
  return locale === before.locale ? profile : { ...profile, locale }
}

function changeOf(before: UserRow, after: UserRow) {
  if (before.active === after.active) return provisioningEvents.updated
  return after.active ? provisioningEvents.provisioned : provisioningEvents.deprovisioned
}

type Names = Pick<ScimInput, 'userName' | 'externalId'>

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
