import { identify } from '../../../../platform/crypto/identity.ts'
import { type EmailAddress, isOfDomain, parseVouchedEmail } from '../../../../platform/mail/address.ts'
import type { TxWork, Work } from '../../../../platform/work.ts'
import { findSignInFacts, type SignInFacts } from '../../../access/login/login.ts'
import { ownsDomainOf } from '../../../directory/domains/domains.ts'
import type { Begun } from '../begin/begin.ts'
import { FederationFailure } from '../errors.ts'
import type { FederatedPerson } from '../person.ts'
import { NO_MATCH, provisionedUsers, type SaidNames } from '../provisioned-users/provisioned-users.ts'
import { hasOtherSubject, type KnownIdentity } from '../store.ts'

/** The rules with which a connection, or a provider's settings, match a person to a user. */
export interface RecognitionRules {
  /** Whether a user is created for an unknown person. Null: only while provisioning is off. */
  jit: boolean | null
  /**
   * True: an address counts if the organization has proved its domain. False: it counts if the provider vouches for
   * it.
   */
  needsOwnDomain: boolean
  /** Only addresses of these domains count, unless the list is empty. */
  domains: readonly string[]
  /** Whether a user of the connection may also be linked to another subject. */
  relink: boolean
  /** Whether the connection names the claim that contains provisioning's `externalId`. */
  isClaimNamed: boolean
}

/** A person who signs in at a provider. */
interface Arrival {
  begun: Pick<Begun, 'method' | 'source'>
  person: FederatedPerson
  rules: RecognitionRules
}

interface Recognised {
  facts: SignInFacts | null
  /** The address that counts; null if only provisioning can tell who the person is. */
  address: EmailAddress | null
  /** Whether a user is created for an unknown person. */
  jit: boolean
  /** Whether a provisioning client may add the person at the same moment. */
  isProvisioning: boolean
  /** Whether the organization or the provider vouches for the user's mailbox. */
  isProved: boolean
}

/**
 * Finds the user of a person who is not linked yet: a provisioned user, or else the user with the address. Throws
 * FederationFailure.
 */
export async function recognise(work: Work, arrival: Arrival): Promise<Recognised> {
  const { begun, rules } = arrival
  const said = await vouchedAddress(work, arrival).catch((error: unknown) => {
    if (error instanceof FederationFailure) return error
    throw error
  })
  const address = said instanceof FederationFailure ? null : said
  const match = begun.method === 'sso' ? await matchOf(work, arrival, address) : NO_MATCH
  const { userId, isProved, isProvisioning, refusal } = match
  if (refusal) throw new FederationFailure(refusal.code, refusal.detail)
  const jit = rules.jit ?? !isProvisioning
  const found = { address, jit, isProvisioning }
  if (userId !== null) return { ...found, facts: await findSignInFacts(work, { userId }), isProved }
  if (said instanceof FederationFailure) throw said
  // With provisioning, `matchOf` has already looked for the address.
  const facts = isProvisioning ? null : await findSignInFacts(work, identify(work.platform, said))
  if (isProvisioning && rules.isClaimNamed && (arrival.person.externalIds ?? []).length === 0)
    throw new FederationFailure('account_not_linked', UNNAMED)
  return { ...found, facts, isProved: true }
}

// By changing the scope in the authorization URL, the person could make the provider omit the claim, and would then get
// another user.
const UNNAMED =
  'The provider sends no usable value of the claim or attribute that `scim_match` names, so provisioning cannot recognize ' +
  'the person, and the sign-in creates no user.'

const matchOf = (work: Work, arrival: Arrival, address: EmailAddress | null) =>
  provisionedUsers.of(work.platform).match(work, namesOf(arrival, address))

function namesOf({ begun, person, rules }: Arrival, address: EmailAddress | null): SaidNames {
  const { externalIds = [], userNames = [], principalNames = [] } = person
  const { domains, isClaimNamed } = rules
  const { email, issuer, subject } = person
  return {
    connectionId: begun.source,
    identity: [begun.source, issuer, subject].join('\n'),
    externalIds,
    isClaimNamed,
    userNames,
    principalNames,
    emailNorm: address?.norm ?? null,
    statedNorm: email === null ? null : (parseVouchedEmail(email)?.norm ?? ''),
    isDenied: person.emailVerified === false,
    domains,
  }
}

const OTHER_SUBJECT =
  'The user signs in by this connection as another subject already. Remove that identity of the user, or turn `relink` ' +
  'on while the identity provider changes its subjects.'

/**
 * Refuses a second subject for the same user: another person may have got the user's name or address. Throws
 * FederationFailure.
 */
export async function assertOnlySubject(work: Work, { begun, person, rules }: Arrival, userId: string): Promise<void> {
  const { method, source } = begun
  const { issuer, subject } = person
  if (method !== 'sso' || rules.relink) return
  if (await hasOtherSubject(work.db, work.directory, userId, { method, source, issuer, subject }))
    throw new FederationFailure('account_not_linked', OTHER_SUBJECT)
}

/**
 * Refuses a person who is linked to a user that no provisioning client manages, if their names belong to another user
 * that a client manages. Deprovisioning would not end the access of the linked user. Names that the provider omits
 * now are taken from the last sign-in. Throws FederationFailure.
 */
export async function assertNotProvisioned(
  work: Work,
  arrival: Arrival,
  { user_id, last_address_norm, last_principal_names }: KnownIdentity,
): Promise<void> {
  const { person } = arrival
  const { principalNames = [], userNames = [] } = person
  const assigned = principalNames.length > 0 ? principalNames : (last_principal_names ?? [])
  const email = (person.emailVerified === false ? null : person.email) ?? last_address_norm
  const address = email === null ? null : parseVouchedEmail(email)
  const isOfConnection =
    address && (arrival.rules.domains.length === 0 || isOfDomain(address.norm, arrival.rules.domains))
  const named = {
    ...person,
    email,
    emailVerified: null,
    principalNames: assigned,
    userNames: [...userNames, ...assigned],
  }
  const said = namesOf({ ...arrival, person: named }, isOfConnection ? address : null)
  const refusal = await provisionedUsers.of(work.platform).refuseOther(work, said, user_id)
  if (refusal) throw new FederationFailure(refusal.code, refusal.detail)
}

/** The address by which an unknown person may be matched to a user. Throws FederationFailure. */
async function vouchedAddress(work: Work, { person, rules }: Arrival): Promise<EmailAddress> {
  const address = person.email === null ? null : parseVouchedEmail(person.email)
  if (!address) throw new FederationFailure('email_missing')
  if (rules.needsOwnDomain && !(await ownsDomainOf(work, address.norm)))
    throw new FederationFailure('domain_not_verified')
  if (rules.domains.length > 0 && !isOfDomain(address.norm, rules.domains))
    throw new FederationFailure('domain_not_verified', 'The address is of none of the domains of the connection.')
  // A verified domain vouches for the address, unless the provider says that the address is not verified.
  const isVouchedFor = rules.needsOwnDomain ? person.emailVerified !== false : person.emailVerified
  if (!isVouchedFor) throw new FederationFailure('email_not_verified')
  return address
}

/**
 * Whether provisioning has added the person meanwhile. From now on provisioning waits for this sign-in, and then
 * finds its user.
 */
export async function isIntroduced(work: TxWork, arrival: Arrival, address: EmailAddress): Promise<boolean> {
  await provisionedUsers.of(work.platform).hold(work, namesOf(arrival, address))
  const { userId, refusal } = await matchOf(work, arrival, address)
  return userId !== null || refusal !== null
}
