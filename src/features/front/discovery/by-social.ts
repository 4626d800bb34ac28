import { type Identity, identify } from '../../../platform/crypto/identity.ts'
import { parseVouchedEmail } from '../../../platform/mail/address.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import type { SessionReply } from '../../access/login/login.ts'
import { ownsDomainOf } from '../../directory/domains/domains.ts'
import {
  type DiscoveredPerson,
  findLinkedUser,
  listLinkedUsers,
} from '../../federation/federation/discovered/discovered.ts'
import { accessOf, assertAccess, enterSocial, maySignUp } from '../../federation/social/social.ts'
import { proveGranted } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'
import { type Candidate, findOrganizations, grantCodes, MAX_FOUND, type ProofRules, toDiscovered } from './discovery.ts'
import { toDiscovery } from './schema.ts'
import { selectOrganizations } from './store.ts'
import type { DiscoveredSocial } from './token.ts'

/**
 * The organizations that a person can enter after a social sign-in, and the token to enter one. These are the
 * organizations of users that the person is linked to, and, if the provider vouches for the address, the
 * organizations of the address. `work` is in the environment's account-level directory. Returns null if the code of
 * the sign-in was already used.
 */
export async function discoverBySocial(
  work: Work,
  person: DiscoveredPerson,
  spend: (work: TxWork) => Promise<boolean>,
): Promise<SessionReply | null> {
  const who = vouchedIdentity(work, person)
  const found = await findOrganizations(work, who, wayOf(person), await findLinked(work, person))
  const granted = await grantCodes(work, { found, who, spend })
  if (!granted) return null
  const said = { ...person, ...granted, method: 'social' as const }
  return { session: null, ...toDiscovery(await toDiscovered(work, said, found)) }
}

/** The organizations in which the person is linked to a user. */
async function findLinked({ platform, db, directory }: Work, person: DiscoveredPerson): Promise<Candidate[]> {
  const users = await listLinkedUsers(db, directory, person, MAX_FOUND)
  const places = await Promise.all(users.map(({ directory_id }) => findDirectory(platform, directory_id)))
  const ids = places.flatMap((place) => place?.organizationId ?? [])
  const organizations = ids.length > 0 ? await selectOrganizations(db, ids) : []
  return users.flatMap(({ directory_id, user_id: userId, email, email_norm: norm }, n) => {
    const organization = organizations.find(({ organization_id: id }) => id === places[n]?.organizationId)
    const row = organization && { ...organization, directory_id, state: 'active' as const }
    return row ? [{ row, userId, who: identify(platform, { email, norm }) }] : []
  })
}

const wayOf = (person: DiscoveredPerson): ProofRules => ({
  proof: { method: 'social', amr: ['fed'], aal: 'aal1' },
  // An organization with its own application is shown, too: entering it is refused with an error that says how to go
  // on.
  isOffered: async (inside) => (await accessOf(inside, person)) !== 'off',
  maySignUp: (inside) => maySignUp(inside, person.openSignup),
})

/** The person's address, if the provider vouches for it. */
export function vouchedIdentity(
  { platform }: Pick<Work, 'platform'>,
  { email, emailVerified }: Pick<DiscoveredPerson, 'email' | 'emailVerified'>,
): Identity | null {
  const address = email !== null && emailVerified ? parseVouchedEmail(email) : null
  return address && identify(platform, address)
}

/**
 * Signs the person in to an organization, as a social sign-in there would. Returns null if the token is not valid, or
 * no longer valid. Throws `service_disabled`, `provider_disabled`, `social_start_required`, `sso_required` with the
 * connection to start, and what `completeLogin` throws.
 */
export async function enterBySocial(work: Work, said: DiscoveredSocial): Promise<SessionReply | null> {
  await assertAccess(work, said)
  const linked = await findLinkedUser(work.db, work.directory, said)
  const who = linked
    ? identify(work.platform, { email: linked.email, norm: linked.email_norm })
    : vouchedIdentity(work, said)
  const granted = who && (await proveGranted(work, who, said))
  if (!granted) return null
  // The organization no longer has the domain that allowed the person to join.
  if (!granted.facts && !(await ownsDomainOf(work, who.address.norm))) return null
  return enterSocial(work, said, granted.spends)
}
