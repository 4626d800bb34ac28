import { record } from '../../platform/events.ts'
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
  lockOf,
  proveMailbox,
  restoreUser,
} from '../users/users.ts'
import { provisioningEvents } from './events.ts'
import { type Given, readGiven } from './given.ts'
import { type Candidate, findCandidates } from './store.ts'
import { eventOf, orTaken, type Provisioned, putGiven, saidOf, taken, takeOver } from './write.ts'

/**
 * Adds a user whom the client has (RFC 7644 §3.3): brings back the one that it deleted within thirty days under the same
 * externalId, takes over one of the address that nobody provisions, where the organization has proved the domain, or makes
 * a new one, also in the place of one that it deleted. Throws `scim_invalid_value`, `scim_uniqueness`.
 */
export async function provisionUser(work: Work, body: unknown): Promise<Provisioned> {
  const given = readGiven(normaliseResource(userType, body))
  const { userName, externalId, address } = given
  const who = { userName, externalId, emailNorm: address.norm }
  const [candidates, ownsDomain] = await Promise.all([
    findCandidates(work.db, work.directory, who),
    ownsDomainOf(work, address.norm),
  ])
  refuseTaken(candidates)
  const back = candidates.find((one) => one.is_gone && one.has_external_id)
  const same = candidates.find((one) => one.has_email && one.user_id !== back?.user_id)
  if (same && (back || same.scim_managed)) throw taken('address')
  const left = same?.is_gone && !same.active ? same : null
  if (same && !left && !ownsDomain)
    throw scimError(
      scimErrors.uniqueness,
      'A user of this address is here already, and is taken over only where the organization has verified the domain.',
    )
  return orTaken(
    inTx(work, async (work) => {
      if (back) return bringBack(work, back, given, ownsDomain)
      if (left) return succeed(work, left, given, ownsDomain)
      return same ? adopt(work, same, given) : create(work, given, ownsDomain)
    }),
  )
}

function refuseTaken(candidates: Candidate[]): void {
  const there = candidates.filter((one) => one.is_provisioned)
  if (there.some((one) => one.has_user_name)) throw taken('userName')
  if (there.some((one) => one.has_external_id)) throw taken('externalId')
  if (there.some((one) => one.has_email)) throw taken('address')
}

async function bringBack(work: TxWork, { user_id: id, is_deleted }: Candidate, given: Given, ownsDomain: boolean) {
  const user = is_deleted ? await restoreUser(work, id) : await findUserForUpdate(work, id)
  // Another request has brought them back, or the time is over.
  if (!user || user.scim_managed) throw taken('externalId')
  return takeOver(work, user, given, { active: true, ownsDomain })
}

/**
 * Somebody new of the address of one whom the client has deleted (RFC 7644 §3.6): without the same externalId nothing says
 * that they are the same person, who might sign in with what the other one had.
 */
async function succeed(work: TxWork, left: Candidate, given: Given, ownsDomain: boolean): Promise<Provisioned> {
  const user = await findUserForUpdate(work, left.user_id)
  if (!user || user.scim_managed || user.active) throw taken('address')
  await deleteUser(work, user.id, { ifMatch: null })
  // An administrator's lock ends at its time or by an unlock alone: deleting and adding the user again does not lift it.
  return create(work, given, ownsDomain, lockOf(user))
}

async function adopt(work: TxWork, { user_id: id }: Candidate, given: Given): Promise<Provisioned> {
  const user = await findUserForUpdate(work, id)
  if (!user || user.scim_managed || user.email_norm !== given.address.norm) throw taken('address')
  // The organization vouches for the mailbox: what a stranger may have set before goes.
  const proved: HeldUser = await proveMailbox(work, user)
  return takeOver(work, proved, given, { active: proved.active, ownsDomain: true })
}

async function create(work: TxWork, given: Given, ownsDomain: boolean, lock = {}): Promise<Provisioned> {
  const { address, active, profile } = given
  const { displayName: display_name, firstName, lastName, phone, jobTitle: job_title, department, locale } = profile
  const said = { display_name, job_title, department, locale, active: active ?? true }
  const row = { ...said, source: 'scim', scim_managed: true, email_verified: ownsDomain, ...lock }
  const made = await createSignup(work, { ...address, firstName, lastName, phone }, row, 'pending')
  if (!made) throw taken('address')
  await putGiven(work, made.user.id, given)
  await record(work, made.created, eventOf(work, provisioningEvents.provisioned, { row: made.user, names: given }))
  return { row: made.user, said: saidOf(given, NEVER_SHOWN) }
}
