import { record } from '../../platform/events.ts'
import { isOfDomain, parseVouchedEmail } from '../../platform/mail/address.ts'
import { userType } from '../../platform/scim/core-schemas.ts'
import { normaliseResource } from '../../platform/scim/normalise.ts'
import { NEVER_SHOWN } from '../../platform/scim/versions.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { ownsDomainOf } from '../domains/domains.ts'
import { scimError, scimErrors } from '../scim/scim.ts'
import {
  createSignup,
  deleteUser,
  findUserForUpdate,
  type HeldUser,
  type LockColumns,
  lockOf,
  proveMailbox,
  restoreUser,
} from '../users/users.ts'
import { provisioningEvents } from './events.ts'
import { type Given, readGiven } from './given.ts'
import { holdIntroduction } from './match.ts'
import { type Candidate, findCandidates } from './store.ts'
import { eventOf, orTaken, type Provisioned, putGiven, saidOf, taken, takeOver } from './write.ts'

/**
 * Adds a user for the client (RFC 7644 §3.3): restores the one that it deleted within thirty days under the same externalId,
 * takes over one without a client, or makes a new one, also in the place of one that it deleted. It takes over a user of the
 * address, if the organization has verified the domain, or a user that the identity provider has named
 * by this externalId or userName at a sign-in. Throws `scim_invalid_value`, `scim_uniqueness`.
 */
export async function provisionUser(work: Work, body: unknown): Promise<Provisioned> {
  const given = readGiven(normaliseResource(userType, body))
  const { userName, externalId, address } = given
  const emails = given.emails.map(({ value }) => value)
  const externalIds = externalId === null ? [] : [externalId]
  const ownsDomain = await ownsDomainOf(work, address.norm)
  return orTaken(
    inTx(work, async (work) => {
      await holdIntroduction(work, { externalIds, userNames: [userName, ...emails], emailNorm: address.norm })
      const named = { userName, externalId, emailNorm: address.norm, emails }
      const candidates = await findCandidates(work.db, work.directory, named)
      refuseTaken(candidates)
      const back = findReturning(candidates) ?? (await findNamed(work, candidates, given, ownsDomain))
      const same = candidates.find((one) => one.has_email && one.user_id !== back?.user_id)
      if (same && (back || same.scim_managed)) throw taken('address')
      if (back) return bringBack(work, back, given, ownsDomain)
      const former = candidates.find((one) => one.is_former)
      if (!same) return create(work, given, ownsDomain, former)
      if (same.is_gone && !same.active) return succeed(work, { left: same, former }, given, ownsDomain)
      if (!ownsDomain)
        throw scimError(
          scimErrors.uniqueness,
          'A user of this address is here already, and is taken over only where the organization has verified the domain.',
        )
      return adopt(work, same, given)
    }),
  )
}

function refuseTaken(candidates: Candidate[]): void {
  const there = candidates.filter((one) => one.is_provisioned)
  if (there.some((one) => one.has_user_name)) throw taken('userName')
  if (there.some((one) => one.has_email)) throw taken('address')
}

/** The deleted user of the externalId, if no other user has it (RFC 7643 §3.1: it need not be unique). */
function findReturning(candidates: Candidate[]): Candidate | null {
  const [one, ...others] = candidates.filter((one) => one.has_external_id)
  return one?.is_gone && others.length === 0 ? one : null
}

/**
 * Finds the one user that the linked connection has named at a sign-in: by externalId, or else by userName or an address. An
 * assigned name, and the address of the link while the provider states it, count whatever the user's own address is by now. Another
 * name counts if the user's own address is one of the resource: people can often choose such names. The connection must be
 * allowed to speak for that address and for the new one. No name is that of a user with another externalId. The user of the main address comes before a user of a name.
 */
async function findNamed(
  work: Work,
  candidates: Candidate[],
  given: Given,
  ownsDomain: boolean,
): Promise<Candidate | null> {
  const { address, userName, emails } = given
  const free = candidates.filter((one) => !one.is_provisioned && !one.is_deleted && !one.scim_managed)
  const byId = free.filter((one) => one.is_said_external_id)
  if (byId.length > 0) return byId.length === 1 ? (byId[0] ?? null) : null
  if (candidates.some((one) => one.has_email)) return null
  const addresses = [userName, ...emails.map(({ value }) => value)]
  const isOwn = (norm: string) => addresses.some((value) => parseVouchedEmail(value)?.norm === norm)
  const addressOf = (one: Candidate) => {
    if (one.is_said_principal) return address.norm
    return one.said_addresses.find(isOwn) ?? (one.is_said_name && isOwn(one.email_norm) ? one.email_norm : null)
  }
  const byName = free.flatMap((one) => ({ one, norm: one.is_gone || one.is_said_other ? null : addressOf(one) }))
  const [found, ...others] = byName.filter(({ norm }) => norm !== null)
  if (!found || found.norm === null || others.length > 0 || !ownsDomain) return null
  const { one, norm } = found
  const isOfConnection = (norm: string) => one.domains.length === 0 || isOfDomain(norm, one.domains)
  const isVouchedFor = isOfConnection(address.norm) && isOfConnection(norm) && (await ownsDomainOf(work, norm))
  return isVouchedFor ? one : null
}

/** Restores who was deleted, and takes over who is named at the identity provider. */
async function bringBack(work: TxWork, candidate: Candidate, given: Given, ownsDomain: boolean) {
  const { user_id: id, is_gone, is_deleted } = candidate
  const user = is_deleted ? await restoreUser(work, id, given.address, ownsDomain) : await findUserForUpdate(work, id)
  // Another request has brought them back, or the time is over.
  if (!user || user.scim_managed) throw taken('externalId')
  return takeOver(work, user, given, { active: is_gone || user.active, ownsDomain })
}

/**
 * Somebody new of the address of one whom the client has deleted (RFC 7644 §3.6): without the same externalId nothing says
 * that they are the same person, who might sign in with what the other one had.
 */
async function succeed(
  work: TxWork,
  { left, former = left }: { left: Candidate; former: Candidate | undefined },
  given: Given,
  ownsDomain: boolean,
): Promise<Provisioned> {
  const user = await findUserForUpdate(work, left.user_id)
  if (!user || user.scim_managed || user.active) throw taken('address')
  await deleteUser(work, user.id, { ifMatch: null })
  const isLockedByName = user.access_locked_at === null && former.user_id !== user.id
  return create(work, given, ownsDomain, isLockedByName ? former : user)
}

async function adopt(work: TxWork, { user_id: id }: Candidate, given: Given): Promise<Provisioned> {
  const user = await findUserForUpdate(work, id)
  if (!user || user.scim_managed || user.email_norm !== given.address.norm) throw taken('address')
  // The organization vouches for the mailbox: what a stranger may have set before goes.
  const proved: HeldUser = await proveMailbox(work, user)
  return takeOver(work, proved, given, { active: proved.active, ownsDomain: true })
}

/** Makes a user, with the lock of the one whose place they take: deleting and adding a user again does not end it. */
async function create(work: TxWork, given: Given, ownsDomain: boolean, former?: LockColumns): Promise<Provisioned> {
  const { address, active, profile } = given
  const { displayName: display_name, firstName, lastName, phone, jobTitle: job_title, department, locale } = profile
  const said = { display_name, job_title, department, locale, active: active ?? true }
  const row = { ...said, source: 'scim', scim_managed: true, email_verified: ownsDomain, ...(former && lockOf(former)) }
  const made = await createSignup(work, { ...address, firstName, lastName, phone }, row, 'pending')
  if (!made) throw taken('address')
  await putGiven(work, made.user.id, given)
  await record(work, made.created, eventOf(work, provisioningEvents.provisioned, { row: made.user, names: given }))
  return { row: made.user, said: saidOf(given, NEVER_SHOWN) }
}
