import { isSameIdentifier } from '../../../platform/identifier.ts'
import { isOfDomain, parseVouchedEmail } from '../../../platform/mail/address.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { ownsDomainOf } from '../../directory/domains/domains.ts'
import { deleteUser, restoreUser } from '../../directory/users/changes/changes.ts'
import { lockAccess, lockOf } from '../../directory/users/lock/lock.ts'
import { proveMailbox } from '../../directory/users/proof/proof.ts'
import { createSignup, findUserForUpdate, type HeldUser } from '../../directory/users/users.ts'
import { userType } from '../language/core-schemas.ts'
import { normaliseResource } from '../language/normalise.ts'
import { NEVER_SHOWN } from '../language/versions.ts'
import { REPEATED_USER, recordChanges, scimError, scimErrors, warn } from '../scim/scim.ts'
import { provisioningEvents } from './events.ts'
import { lockIntroduction } from './match.ts'
import { readScimInput, type ScimInput } from './scim-input.ts'
import { type Candidate, findCandidates } from './store.ts'
import {
  eventOf,
  mapTakenErrors,
  type Provisioned,
  takenError,
  takeOver,
  toStoredResource,
  writeScimInput,
} from './write.ts'

/**
 * Adds a user for the client (RFC 7644 §3.3). Restores a user that the client deleted in the last thirty days under
 * the same externalId, takes over a user without a client, or creates a new one, also in place of one that the client
 * deleted. A user can be taken over if they have the address and the organization has verified the domain, or if the
 * identity provider named them by this externalId or userName at a sign-in. Throws `scim_invalid_value`,
 * `scim_uniqueness`.
 */
export async function provisionUser(work: Work, body: unknown): Promise<Provisioned> {
  const input = readScimInput(normaliseResource(userType, body))
  const { userName, externalId, address } = input
  const emails = input.emails.map(({ value }) => value)
  const externalIds = externalId === null ? [] : [externalId]
  const ownsDomain = await ownsDomainOf(work, address.norm)
  return mapTakenErrors(
    inTx(work, async (work) => {
      await lockIntroduction(work, { externalIds, userNames: [userName, ...emails], emailNorm: address.norm })
      const named = { userName, externalId, emailNorm: address.norm, emails }
      const candidates = await findCandidates(work.db, work.directory, named)
      refuseTaken(candidates)
      if (candidates.some((one) => one.is_provisioned && one.has_external_id)) warn(work, REPEATED_USER)
      const back = findReturning(candidates) ?? (await findNamed(work, candidates, input, ownsDomain))
      const same = candidates.find((one) => one.has_email && one.user_id !== back?.user_id)
      if (same && (back || same.scim_managed)) throw takenError('address')
      if (back) return restoreOrTakeOver(work, back, input, ownsDomain)
      const locked = [same, candidates.find((one) => one.is_former)].find((one) => one?.is_locked)
      if (!same) return create(work, input, { ownsDomain, locked })
      if (same.is_gone && !same.active) return createInPlaceOf(work, same, input, { ownsDomain, locked })
      if (!ownsDomain)
        throw scimError(
          scimErrors.uniqueness,
          'A user of this address is here already, and is taken over only where the organization has verified the domain.',
        )
      return takeOverByAddress(work, same, input, locked)
    }),
  )
}

function refuseTaken(candidates: Candidate[]): void {
  const there = candidates.filter((one) => one.is_provisioned)
  if (there.some((one) => one.has_user_name)) throw takenError('userName')
  if (there.some((one) => one.has_email)) throw takenError('address')
}

/** The deleted user with the externalId, if no other user has it. (It need not be unique, RFC 7643 §3.1.) */
function findReturning(candidates: Candidate[]): Candidate | null {
  const [one, ...others] = candidates.filter((one) => one.has_external_id)
  return one?.is_gone && others.length === 0 ? one : null
}

/**
 * Finds the one user that the linked connection named at a sign-in, by externalId, or else by userName or address. The
 * address stated when the identity was linked counts while the provider still states it, whatever the user's own
 * address is now. A name counts if the user's own address is one of the resource's addresses. An assigned name also
 * counts alone, but only if the resource has no other address, because the name may otherwise have a new owner. The
 * connection must be allowed to speak for that address and for the new one. A name does not match a user with a
 * different externalId. If a user has the resource's main address, no user is matched by name.
 */
async function findNamed(
  work: Work,
  candidates: Candidate[],
  input: ScimInput,
  ownsDomain: boolean,
): Promise<Candidate | null> {
  const { address, userName, emails } = input
  const free = candidates.filter((one) => !one.is_provisioned && !one.is_deleted && !one.scim_managed)
  const byId = free.filter((one) => one.is_said_external_id)
  if (byId.length > 0) return byId.length === 1 ? (byId[0] ?? null) : null
  if (candidates.some((one) => one.has_email)) return null
  const addresses = [userName, ...emails.map(({ value }) => value)]
  const isOwn = (norm: string) => addresses.some((value) => parseVouchedEmail(value)?.norm === norm)
  const isNameAlone = emails.every(({ value }) => isSameIdentifier(value, userName))
  const addressOf = (one: Candidate) => {
    const stated = one.said_addresses.find(isOwn) ?? (one.is_said_name && isOwn(one.email_norm) ? one.email_norm : null)
    return stated ?? (one.is_said_principal && isNameAlone ? address.norm : null)
  }
  const byName = free.flatMap((one) => ({ one, norm: one.is_gone || one.is_said_other ? null : addressOf(one) }))
  const [found, ...others] = byName.filter(({ norm }) => norm !== null)
  if (!found || found.norm === null || others.length > 0 || !ownsDomain) return null
  const { one, norm } = found
  const isOfConnection = (norm: string) => one.domains.length === 0 || isOfDomain(norm, one.domains)
  const isVouchedFor = isOfConnection(address.norm) && isOfConnection(norm) && (await ownsDomainOf(work, norm))
  return isVouchedFor ? one : null
}

/** Restores a deleted user, or takes over a user that the identity provider has named. */
async function restoreOrTakeOver(work: TxWork, candidate: Candidate, input: ScimInput, ownsDomain: boolean) {
  const { user_id: id, is_gone, is_deleted } = candidate
  const user = is_deleted ? await restoreUser(work, id, input.address, ownsDomain) : await findUserForUpdate(work, id)
  // Another request has restored the user, or the thirty days are over.
  if (!user || user.scim_managed) throw takenError('externalId')
  return takeOver(work, user, input, { active: is_gone || user.active, ownsDomain })
}

/**
 * Creates a new user with the address of a user that the client deleted (RFC 7644 §3.6). With a different externalId
 * it may be another person, who must not sign in with the old user's credentials.
 */
async function createInPlaceOf(work: TxWork, left: Candidate, input: ScimInput, how: Making): Promise<Provisioned> {
  const user = await findUserForUpdate(work, left.user_id)
  if (!user || user.scim_managed || user.active) throw takenError('address')
  await deleteUser(work, user.id, { ifMatch: null, force: true })
  return create(work, input, how)
}

async function takeOverByAddress(
  work: TxWork,
  { user_id: id }: Candidate,
  input: ScimInput,
  locked: Candidate | undefined,
): Promise<Provisioned> {
  const user = await findUserForUpdate(work, id)
  if (!user || user.scim_managed || user.email_norm !== input.address.norm) throw takenError('address')
  // The organization vouches for the mailbox, so anything that a stranger may have set up before is removed.
  const proved: HeldUser = await proveMailbox(work, user)
  const held = locked && locked.user_id !== id ? await lockAs(work, proved, locked) : proved
  return takeOver(work, held, input, { active: held.active, ownsDomain: true })
}

/** Gives a user the lock of the deleted user with the same userName. */
async function lockAs(work: TxWork, user: HeldUser, locked: Candidate): Promise<HeldUser> {
  const { access_lock_reason, access_locked_until: until } = locked
  const { user: after } = await lockAccess(work, user, { reason: access_lock_reason ?? '', until })
  return { ...after, held: true }
}

interface Making {
  ownsDomain: boolean
  /**
   * The locked user whose address or userName the new user has. Deleting a user and adding them again does not end a
   * lock.
   */
  locked: Candidate | undefined
}

async function create(work: TxWork, input: ScimInput, { ownsDomain, locked }: Making): Promise<Provisioned> {
  const { address, active, profile } = input
  const { displayName: display_name, firstName, lastName, phone, jobTitle: job_title, department, locale } = profile
  const columns = { display_name, job_title, department, locale, active: active ?? true }
  const row = {
    ...columns,
    source: 'scim',
    scim_managed: true,
    email_verified: ownsDomain,
    ...(locked && lockOf(locked)),
  }
  const made = await createSignup(work, { ...address, firstName, lastName, phone }, row, 'pending')
  if (!made) throw takenError('address')
  await writeScimInput(work, made.user.id, input)
  await recordChanges(
    work,
    made.created,
    eventOf(work, provisioningEvents.provisioned, { row: made.user, names: input }),
  )
  return { row: made.user, stored: toStoredResource(input, NEVER_SHOWN) }
}
