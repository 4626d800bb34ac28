import { identify } from '../../../../platform/crypto/identity.ts'
import { ApiError } from '../../../../platform/errors.ts'
import { record } from '../../../../platform/events/events.ts'
import { asProvenUser } from '../../../../platform/events/origin.ts'
import type { Redirect } from '../../../../platform/http/answer.ts'
import { newId } from '../../../../platform/ids.ts'
import type { UsedProof } from '../../../../platform/joined/proofs.ts'
import { inTxUnlessConsumed } from '../../../../platform/joined/unless-consumed.ts'
import { type EmailAddress, parseVouchedEmail } from '../../../../platform/mail/address.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../../platform/mail/outbox.ts'
import type { TxWork, Work } from '../../../../platform/work.ts'
import { insertFederatedSession, makeFederatedSession } from '../../../access/federated-sessions/federated-sessions.ts'
import {
  askGates,
  assertMaySignIn,
  completeLogin,
  doorSettings,
  findSignInFacts,
  loginErrors,
  loginEvents,
  type SessionReply,
  type SignInFacts,
} from '../../../access/login/login.ts'
import {
  giveGroupRoles,
  hasGrant,
  lockGroupRoles,
  mapGroups,
  type RoleMapping,
} from '../../../directory/roles/sso/sso.ts'
import { proveMailbox } from '../../../directory/users/proof/proof.ts'
import { createSignup, findUserForUpdate, type HeldUser, type UserRow } from '../../../directory/users/users.ts'
import type { Begun } from '../begin/begin.ts'
import { linkedMail } from '../emails.ts'
import { type FailureCode, FederationFailure, isFailureCode } from '../errors.ts'
import { federationEvents } from '../events.ts'
import { type FederatedPerson, keptNames, toStorable, trimmed } from '../person.ts'
import { assertStillAllowed, endTest, failFederated, redirectToApp } from '../redirect-to-app.ts'
import { toIdentity } from '../schema.ts'
import {
  findIdentityRow,
  type IdentityRow,
  identityProof,
  insertIdentityRow,
  type KnownIdentity,
  lockConnectionForSignIn,
} from '../store.ts'
import { makeExchangeCode } from './exchange.ts'
import { assertNotProvisioned, assertOnlySubject, isIntroduced, type RecognitionRules, recognise } from './recognise.ts'

export { exchangeCode } from './exchange.ts'

/** What the connection, or the provider's settings, allow. */
export interface FederationRules extends RecognitionRules {
  defaultRole: 'admin' | 'member'
  /** Null for a social provider. `names` is null if the provider sends no groups. `mapping` gives roles to groups. */
  groups: { names: readonly string[] | null; mapping: RoleMapping } | null
  /** The name that users know the connection or provider by. */
  sourceName: string
}

/**
 * Ends every sign-in at a provider. Finds the user, links or creates one, asks the gates, and redirects the browser
 * with the session or with a code for it. If the sign-in fails, redirects with a fixed error code. A test changes
 * nothing and only shows that the sign-in would have succeeded.
 */
export async function settleFederated(
  work: Work,
  begun: Begun,
  heard: FederatedPerson,
  { rules, traceId }: { rules: FederationRules; traceId?: string },
): Promise<{ redirect: Redirect; code: FailureCode | null; detail: string | null }> {
  // Checked first, so that no session is created that cannot be delivered.
  await assertStillAllowed(work, begun.redirectUri)
  const seen: Arrival['seen'] = { userId: null }
  try {
    const person = toStorable(heard)
    const arrival = { begun, person, rules, spends: [], seen }
    const redirect = begun.isTest
      ? await tryOut(work, begun, arrival)
      : await redirectToApp(work, begun, await signIn(work, arrival))
    return { redirect, code: null, detail: null }
  } catch (error) {
    const code = codeOf(error)
    if (code === null) throw error
    const detail = error instanceof FederationFailure ? error.detail : null
    const failed = { userId: seen.userId, identity: statedIdentity(work, heard), ...(traceId ? { traceId } : {}) }
    return { redirect: await failFederated(work, begun, code, failed), code, detail }
  }
}

/** The keyed hash of the address from the provider, unless the provider says that the address is not verified. */
function statedIdentity({ platform }: Work, { email, emailVerified }: FederatedPerson): Buffer | null {
  const address = email === null || emailVerified === false ? null : parseVouchedEmail(email)
  return address && identify(platform, address).hash
}

/** Like `settleFederated`, for callers who do not need the error code. */
export async function completeFederated(
  work: Work,
  begun: Begun,
  heard: FederatedPerson,
  rules: FederationRules,
): Promise<Redirect> {
  return (await settleFederated(work, begun, heard, { rules })).redirect
}

/**
 * Ends a sign-in at a social provider in the organization that the person chose afterwards. Returns null if the
 * person may not sign in there, or if a proof in `spends` was already used. Throws `signup_disabled`, and what
 * `completeLogin` throws.
 */
export async function enterFederated(
  work: Work,
  { source, person, rules, spends }: Omit<Arrival, 'begun' | 'seen'> & { source: string },
): Promise<SessionReply | null> {
  const begun = { method: 'social', source, responseMode: 'query' } as const
  try {
    const answer = await signIn(work, { begun, person: toStorable(person), rules, spends, seen: { userId: null } })
    return 'code' in answer ? null : answer
  } catch (error) {
    if (!(error instanceof FederationFailure)) throw error
    if (error.code === 'signup_disabled')
      throw loginErrors.signupDisabled({ detail: 'Sign-up is off in this organization.' })
    return null
  }
}

/** Does everything before the session is created, without changing anything. */
async function tryOut(work: Work, begun: Begun, arrival: Arrival): Promise<Redirect> {
  const known = await findIdentityRow(work.db, work.directory, subjectOf(arrival))
  const { facts, jit } = known
    ? { facts: await findSignInFacts(work, { userId: known.user_id }), jit: false }
    : await recognise(work, arrival)
  arrival.seen.userId = facts?.user_id ?? null
  if (facts) {
    await assertMaySignIn(work, facts)
    if (!known) await assertOnlySubject(work, arrival, facts.user_id)
    else if (known.is_beside_provisioning) await assertNotProvisioned(work, arrival, known)
  } else if (!jit) throw new FederationFailure('account_not_linked')
  return endTest(work, begun)
}

/** The error code for the application; null for an error that is not a failure of the sign-in. */
export function codeOf(error: unknown) {
  if (error instanceof FederationFailure) return error.code
  const code = error instanceof ApiError ? error.definition.code : ''
  return isFailureCode(code) ? code : null
}

interface Arrival {
  begun: Pick<Begun, 'method' | 'source' | 'responseMode'>
  person: FederatedPerson
  rules: FederationRules
  /** Proofs that are used up together with the creation of the session. */
  spends: UsedProof[]
  /** The user found by the sign-in, for the record of a refusal. */
  seen: { userId: string | null }
}

function subjectOf({ begun: { method, source }, person: { issuer, subject, sector = null } }: Arrival) {
  return { method, source, issuer, subject, sector }
}

async function signIn(work: Work, arrival: Arrival): Promise<{ code: string } | SessionReply> {
  const find = () => findIdentityRow(work.db, work.directory, subjectOf(arrival))
  const signInOnce = async (known: KnownIdentity | undefined) =>
    known ? signInKnown(work, arrival, known) : signInUnknown(work, arrival)
  let known = await find()
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const answer = await signInOnce(known)
    if (answer && answer !== 'introduced') return answer
    const before = known
    known = await find()
    // Retry if provisioning or another sign-in has linked the person at the same moment. Otherwise the user was cut
    // off or deleted.
    if (answer === null && (before || !known)) break
  }
  throw new FederationFailure('expired')
}

const MAX_ATTEMPTS = 3

type Answer = { code: string } | SessionReply | null

/** Returns the session or a code for it. A user refused by a gate gets no code. */
async function finishSignIn(
  work: Work,
  { begun, person, spends }: Arrival,
  facts: SignInFacts,
  identity: IdentityRow,
): Promise<Answer> {
  // Checked after the user was read and, for a first link, the connection was locked: any later logout finds and ends
  // this session.
  if (await person.isSignedOut?.(work))
    throw new FederationFailure('response_invalid', 'The provider has signed this user out since.')
  const amr = ['fed', ...person.amr]
  const aal = person.isTwoFactor ? ('aal2' as const) : ('aal1' as const)
  const { user_id: userId, epoch } = facts
  const federated = await makeFederatedSession(work, identity, person)
  if (begun.responseMode === 'code') {
    await dryRunGates(work, facts, { method: begun.method, amr, aal })
    const code = await makeExchangeCode(work, {
      userId,
      epoch,
      method: begun.method,
      source: begun.source,
      amr,
      aal,
      federated,
      names: keptNames(begun.method, person),
    })
    return code === null ? null : { code }
  }
  const names = keptNames(begun.method, person)
  const identity_email = person.email?.slice(0, 320) ?? null
  const used = identityProof({
    identity_id: identity.id,
    identity_email,
    identity_ids: names.external_ids,
    identity_names: names.user_names,
    identity_principals: names.principal_names,
    identity_address: names.address_norm,
  })
  const proof = {
    method: { id: begun.method },
    amr,
    ...(aal === 'aal2' ? { aal } : {}),
    spends: [...spends, used],
    beside: [await insertFederatedSession(work, federated)],
    sessionEndsAt: federated.sessionEndsAt,
    connectionId: connectionOf(begun),
  }
  return completeLogin(work, facts, proof)
}

/** The id of the connection; null for a social provider. */
function connectionOf({ method, source }: Pick<Begun, 'method' | 'source'>): string | null {
  return method === 'sso' ? source : null
}

/**
 * Asks the gates early, so that a refused user gets the error now and not when the code is exchanged. Throws what the
 * gates throw.
 */
async function dryRunGates(work: Work, facts: SignInFacts, proof: { method: string; amr: string[]; aal: string }) {
  await askGates(work, { facts, ...proof, session: null, isTentative: true }, null)
}

async function signInKnown(work: Work, arrival: Arrival, identity: KnownIdentity): Promise<Answer> {
  const facts = await findSignInFacts(work, { userId: identity.user_id })
  if (!facts) throw new FederationFailure('account_not_linked')
  arrival.seen.userId = facts.user_id
  await assertMaySignIn(work, facts)
  if (identity.is_beside_provisioning) await assertNotProvisioned(work, arrival, identity)
  const { groups } = arrival.rules
  if (!groups || hasGrant(identity.grant, mapGroups(groups.mapping, groups.names)))
    return finishSignIn(work, arrival, facts, identity)
  return inTxUnlessConsumed(work, async (work) => {
    const roles = await prepareRoles(work, arrival, await lockSource(work, arrival))
    const user = await findUserForUpdate(work, facts.user_id)
    if (user?.epoch !== facts.epoch) return null
    await roles.give(user)
    const given = await findSignInFacts(work, { userId: user.id })
    return given && finishSignIn(work, arrival, given, identity)
  })
}

async function signInUnknown(work: Work, arrival: Arrival): Promise<Answer | 'introduced'> {
  const { facts, address, jit, isProved, isProvisioning } = await recognise(work, arrival)
  if (!facts) {
    if (jit && address) return (await provision(work, arrival, address, isProvisioning)) ?? 'introduced'
    throw new FederationFailure(arrival.begun.method === 'sso' ? 'account_not_linked' : 'signup_disabled')
  }
  arrival.seen.userId = facts.user_id
  await assertMaySignIn(work, facts)
  if (facts.pending && !(await doorSettings.effective(work)).allow_sign_up)
    throw new FederationFailure('signup_disabled')
  return inTxUnlessConsumed(work, async (work) => {
    const roles = await prepareRoles(work, arrival, await lockSource(work, arrival))
    const user = await findUserForUpdate(work, facts.user_id)
    if (user?.epoch !== facts.epoch) return null
    const proved = isProved ? await proveMailbox(asProvenUser(work, user.id), user, { by: arrival.begun.method }) : user
    await roles.give(proved)
    await assertOnlySubject(work, arrival, user.id)
    await queueMail(work, linkedMail(proved, arrival.rules.sourceName), NOTICE_USEFUL_SECONDS)
    return arrive(work, arrival, proved)
  })
}

type Arrived = Pick<UserRow, 'id' | 'auth_account_id'>

/**
 * Links the person to the user and signs them in. Returns null if another sign-in has linked them at the same moment.
 */
async function arrive(work: TxWork, arrival: Arrival, user: Arrived): Promise<Answer> {
  const identity = await link(asProvenUser(work, user.id), arrival, user)
  if (!identity) return null
  const facts = await findSignInFacts(work, { userId: user.id })
  if (!facts) return null
  await assertMaySignIn(work, facts)
  return finishSignIn(work, arrival, facts, identity)
}

async function provision(
  work: Work,
  arrival: Arrival,
  address: EmailAddress,
  isProvisioning: boolean,
): Promise<Answer> {
  const { begun, person, rules } = arrival
  const { method } = begun
  return inTxUnlessConsumed(work, async (work) => {
    const mapping = await lockSource(work, arrival)
    if (isProvisioning && (await isIntroduced(work, arrival, address))) return null
    const roles = await prepareRoles(work, arrival, mapping)
    const { displayName: display_name, firstName, lastName, locale } = trimmed(person)
    // If groups give roles, they also give the default role, which then ends with the groups.
    const own_role = roles.hasMapping ? 'member' : rules.defaultRole
    const role = roles.isAdmin ? 'admin' : own_role
    const given = { role, own_role, sso_role: roles.isAdmin ? 'admin' : null }
    const mailbox = { email_verified: true, display_name, locale, ...given, source: method }
    const made = await createSignup(work, { ...address, firstName, lastName }, mailbox)
    // Another request has created a user with this address at the same moment.
    if (!made) return null
    const target = { type: 'user', id: made.user.id }
    await record(
      work,
      made.created,
      ...(method === 'social' ? [loginEvents.signedUp({ target, data: { method } })] : []),
    )
    if (roles.givesAny) await roles.give({ ...made.user, held: true })
    return arrive(work, arrival, made.user)
  })
}

/**
 * Locks the connection, before the user is locked. So no link is created for a connection that is deleted meanwhile,
 * and no role is given that the mapping no longer has. Returns the mapping; null for a social provider. Throws
 * `connection_not_active`.
 */
async function lockSource(work: TxWork, { begun: { method, source } }: Arrival): Promise<RoleMapping | null> {
  if (method !== 'sso') return null
  const held = await lockConnectionForSignIn(work.db, work.directory, source)
  if (!held) throw new FederationFailure('connection_not_active')
  return held.mapping
}

/** Locks the roles that this sign-in gives, before the user is locked. Returns a function that gives them. */
async function prepareRoles(work: TxWork, { begun: { source }, rules }: Arrival, mapping: RoleMapping | null) {
  if (!mapping || !rules.groups) return { isAdmin: false, givesAny: false, hasMapping: false, give: async () => {} }
  const given = mapGroups(mapping, rules.groups.names)
  const roles = await lockGroupRoles(work, given)
  return {
    isAdmin: given.isAdmin,
    givesAny: given.isAdmin || roles.length > 0,
    hasMapping: Object.keys(mapping.group_role_mapping).length > 0,
    give: (user: HeldUser) => giveGroupRoles(work, { user, connectionId: source }, { given, held: roles }),
  }
}

async function link(work: TxWork, { begun, person }: Arrival, user: Arrived): Promise<IdentityRow | null> {
  const { method, source } = begun
  const { issuer, subject, sector = null, email } = person
  const names = keptNames(method, person)
  const { address_norm, principal_names: last_principal_names } = names
  const last = { linked_address_norm: address_norm, last_address_norm: address_norm, last_principal_names }
  const row = { id: newId(), user_id: user.id, method, source, issuer, subject, sector, email, ...names, ...last }
  const linked = await insertIdentityRow(work.db, work.directory, row)
  if (!linked) return null
  const target = { type: 'identity', id: linked.id }
  await record(work, federationEvents.linked({ target, data: toIdentity(linked, user) }))
  return linked
}
