import { identify } from '../../platform/crypto/identity.ts'
import { ApiError } from '../../platform/errors.ts'
import { changedFrom, record } from '../../platform/events.ts'
import type { Redirect } from '../../platform/http/answer.ts'
import { newId } from '../../platform/ids.ts'
import { type EmailAddress, parseEmail } from '../../platform/mail/address.ts'
import { inTxUnlessConsumed } from '../../platform/unless-consumed.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { ownsDomainOf } from '../domains/domains.ts'
import {
  assertMaySignIn,
  completeLogin,
  completeMailboxLogin,
  findSignInFacts,
  loginEvents,
  type SessionReply,
  type SignInFacts,
} from '../login/login.ts'
import { createSignup, findUserForUpdate, type HeldUser, toUser, userEvents } from '../users/users.ts'
import type { Begun } from './begin.ts'
import { FederationFailure, isFailureCode } from './errors.ts'
import { federationEvents } from './events.ts'
import { failFederated, handBack } from './hand-back.ts'
import { toIdentity } from './schema.ts'
import { findIdentityRow, type IdentityRow, identityUsed, insertIdentityRow, setRoleRow } from './store.ts'

/** What a provider says of a person, after every check of its protocol. */
export interface FederatedPerson {
  issuer: string
  subject: string
  email: string | null
  /** Whether the provider vouches for the address: with the boolean `true`, or by what is known of it. */
  emailVerified: boolean
  firstName: string | null
  lastName: string | null
  displayName: string | null
  /** RFC 8176: what the provider is trusted for, if anything. */
  amr: string[]
  /** Whether the person has proved two factors there, and the provider is trusted for that. */
  isTwoFactor: boolean
}

/** What the connection, or the settings of the provider, allow. */
export interface FederationRules {
  /** Whether an unknown person becomes a user. */
  jit: boolean
  defaultRole: 'admin' | 'member'
  /** What the groups of the person say; null where they say nothing. */
  role: 'admin' | 'member' | null
  /** Whether an address counts by its domain, which the organization must have proved, instead of the provider's word. */
  needsOwnDomain: boolean
}

/**
 * The end of every sign-in at a provider: finds the user, links or makes one, asks every gate, opens the session, and
 * sends the browser on. What fails sends it on with a fixed code.
 */
export async function completeFederated(
  work: Work,
  begun: Begun,
  person: FederatedPerson,
  rules: FederationRules,
): Promise<Redirect> {
  try {
    return await handBack(work, begun, await signIn(work, begun, person, rules))
  } catch (error) {
    const code = codeOf(error)
    if (code === null) throw error
    return failFederated(work, begun, code)
  }
}

/** The code for the application; null for what is no failure of a sign-in. */
export function codeOf(error: unknown) {
  if (error instanceof FederationFailure) return error.code
  const code = error instanceof ApiError ? error.definition.code : ''
  return isFailureCode(code) ? code : null
}

async function signIn(
  work: Work,
  begun: Begun,
  person: FederatedPerson,
  rules: FederationRules,
): Promise<SessionReply> {
  const { method, source } = begun
  const { issuer, subject } = person
  const known = await findIdentityRow(work.db, work.directory, { method, source, issuer, subject })
  const reply = known
    ? await signInKnown(work, { begun, person, rules }, known)
    : await signInUnknown(work, { begun, person, rules })
  // Cut off, deleted or linked by another request at the same moment.
  if (!reply) throw new FederationFailure('expired')
  return reply
}

interface Arrival {
  begun: Begun
  person: FederatedPerson
  rules: FederationRules
}

async function signInKnown(work: Work, arrival: Arrival, identity: IdentityRow): Promise<SessionReply | null> {
  const facts = await findSignInFacts(work, { userId: identity.user_id })
  if (!facts) throw new FederationFailure('account_not_linked')
  await assertMaySignIn(work, facts)
  const proof = { ...proofOf(arrival), beside: [used(identity, arrival.person)] }
  if (arrival.rules.role === null || arrival.rules.role === facts.role) return completeLogin(work, facts, proof)
  return inTxUnlessConsumed(work, async (work) => {
    const role = await holdAndGiveRole(work, facts, arrival.rules.role)
    return role === null ? null : completeLogin(work, { ...facts, role }, proof)
  })
}

const used = ({ id }: Pick<IdentityRow, 'id'>, { email }: FederatedPerson) =>
  identityUsed({ identity_id: id, identity_email: email === null ? null : email.slice(0, 320) })

function proofOf({ begun, person }: Arrival) {
  return {
    method: { id: begun.method },
    amr: ['fed', ...person.amr],
    ...(person.isTwoFactor ? { aal: 'aal2' as const } : {}),
    spends: [],
  }
}

async function signInUnknown(work: Work, arrival: Arrival): Promise<SessionReply | null> {
  const address = await vouchedAddress(work, arrival)
  const facts = await findSignInFacts(work, identify(work.platform, address))
  if (!facts) return provision(work, arrival, address)
  await assertMaySignIn(work, facts)
  const { role } = arrival.rules
  return completeMailboxLogin(work, { ...facts, role: role ?? facts.role }, proofOf(arrival), async (work, user) => {
    await giveRole(work, user, role)
    await link(work, arrival, facts.user_id)
  })
}

/** The address by which a person who is not known yet may be taken for a user. */
async function vouchedAddress(work: Work, { person, rules }: Arrival): Promise<EmailAddress> {
  const address = person.email === null ? null : parseEmail(person.email)
  if (!address) throw new FederationFailure('email_missing')
  if (rules.needsOwnDomain && !(await ownsDomainOf(work, address.norm)))
    throw new FederationFailure('domain_not_verified')
  if (!rules.needsOwnDomain && !person.emailVerified) throw new FederationFailure('email_not_verified')
  return address
}

async function provision(work: Work, arrival: Arrival, address: EmailAddress): Promise<SessionReply | null> {
  const { begun, person, rules } = arrival
  const { method } = begun
  if (!rules.jit) throw new FederationFailure(method === 'sso' ? 'account_not_linked' : 'signup_disabled')
  return inTxUnlessConsumed(work, async (work) => {
    const { displayName: display_name, firstName, lastName } = trimmed(person)
    const role = rules.role ?? rules.defaultRole
    const mailbox = { email_verified: true, display_name, role, source: method }
    const made = await createSignup(work, { ...address, firstName, lastName }, mailbox)
    // Another request has made one of the same address at the same moment.
    if (!made) return null
    await record(work, made.created)
    await link(work, arrival, made.user.id)
    const facts = await findSignInFacts(work, { userId: made.user.id })
    if (!facts) return null
    const target = { type: 'user', id: made.user.id }
    const events = method === 'social' ? [loginEvents.signedUp({ target, data: { method } })] : []
    await assertMaySignIn(work, facts)
    return completeLogin(work, facts, { ...proofOf(arrival), events })
  })
}

const NAME_LENGTH = 200

/** Names as the columns take them: what a provider says may be anything. */
function trimmed({ displayName, firstName, lastName }: FederatedPerson) {
  const trim = (text: string | null) => {
    const line = text
      ?.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')
      .trim()
      .slice(0, NAME_LENGTH)
    return line ? line : null
  }
  return { displayName: trim(displayName), firstName: trim(firstName), lastName: trim(lastName) }
}

async function link(work: TxWork, { begun, person }: Arrival, userId: string): Promise<void> {
  const { method, source } = begun
  const { issuer, subject, email } = person
  const row = { id: newId(), user_id: userId, method, source, issuer, subject, email }
  const linked = await insertIdentityRow(work.db, work.directory, row)
  if (!linked) throw new FederationFailure('expired')
  await record(work, federationEvents.linked({ target: { type: 'identity', id: linked.id }, data: toIdentity(linked) }))
}

/** The role that the groups say, given to the user with the row locked. Null when the user is another one by now. */
async function holdAndGiveRole(
  work: TxWork,
  { user_id, epoch }: SignInFacts,
  role: FederationRules['role'],
): Promise<string | null> {
  const user = await findUserForUpdate(work, user_id)
  return user?.epoch === epoch ? giveRole(work, user, role) : null
}

async function giveRole(work: TxWork, user: HeldUser, role: FederationRules['role']): Promise<string> {
  const { db, directory } = work
  if (role === null || role === user.role) return user.role
  const data = toUser(await setRoleRow(db, directory, user.id, role), directory.organizationId)
  const previous = changedFrom(toUser(user, directory.organizationId), data)
  await record(work, userEvents.updated({ target: { type: 'user', id: user.id }, data, previous }))
  return role
}
