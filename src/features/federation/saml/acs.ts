import { hash } from 'node:crypto'
import { ApiError } from '../../../platform/errors.ts'
import type { Redirect } from '../../../platform/http/answer.ts'
import { isAfterRecovery } from '../../../platform/lifecycle/deployment.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'
import { concludeSignIn, refuseSignIn, spOf } from '../connections/connections.ts'
import { findConnection, findConnectionAnywhere, type KnownConnection } from '../connections/known/known.ts'
import { type BareWork, beginUnsolicited, directoryOf, takeFederated } from '../federation/begin/begin.ts'
import {
  assertStillOpen,
  type FailureCode,
  type FederatedPerson,
  FederationFailure,
  federationErrors,
} from '../federation/federation.ts'
import { withMessagePlace, withUnsolicitedPlace } from '../xml/message-pool.ts'
import { XmlRefusal } from '../xml/refusal.ts'
import type { Assertion, Expected } from './assertion.ts'
import { signedOutCheck } from './late.ts'
import { acsUrlsOf, expectedOf, trustOf } from './partner.ts'
import { toFederatedPerson } from './person.ts'
import { TTL_SECONDS } from './protocol.ts'
import { SamlRefusal } from './refusal.ts'
import { insertAssertionRow, isNoted } from './store.ts'
import { verifyResponse } from './threads.ts'

/** The form that an identity provider has the browser post. */
export interface PostedResponse {
  response: string
  relayState: string | null
  /** The connection id in the address it was posted to; null for the shared address. */
  connectionId: string | null
}

/**
 * Ends a sign-in at a SAML provider. Reads only the state from the message until the state's tag proves that this
 * service made it. Throws `state_invalid`, also for a refused response without a request, and `invalid_redirect_uri`
 * if the application's address is no longer allowed.
 */
export async function finishSaml(bare: BareWork, posted: PostedResponse): Promise<Redirect> {
  const found = await stateOf(bare, posted)
  if (found === null) return finishUnsolicited(bare, posted)
  // Waits for a place before the state is used up: if none becomes free, the same response can be posted again.
  return withMessagePlace({ ...bare, directory: found.directory }, () => finishSolicited(bare, posted, found.state))
}

async function finishSolicited(bare: BareWork, posted: PostedResponse, state: string): Promise<Redirect> {
  const taken = await takeFederated(bare, state, 'sso')
  if (!taken) throw federationErrors.stateUnknown()
  const { work, begun } = taken
  const connection = await findConnection(work, begun.source)
  try {
    if (!connection) throw new FederationFailure('connection_not_active')
    await assertStillOpen(work, connection, { isTest: begun.isTest, by: 'saml' })
    const signedInSince = begun.forceAuthn ? begun.beganAt : null
    const accepted = await accept(work, connection, posted, { requestId: `_${begun.state}`, signedInSince })
    return await concludeSignIn(work, begun, connection, readAssertedPerson(work, connection, accepted))
  } catch (error) {
    return refuseSignIn(work, begun, connection, isBusy(error) ? new FederationFailure('rate_limited') : error)
  }
}

/** Too many messages wait for the threads. The state is already used up, so the application has to begin again. */
const isBusy = (error: unknown) => error instanceof ApiError && error.definition.code === 'unavailable'

const ANSWERED = /InResponseTo=["']_([0-9A-Za-z]{76})["']/
// Base64 characters to search: enough for the response's start tag with every namespace that a provider may declare
// there.
const HEAD_CHARACTERS = 4096

/** The state from RelayState. If the provider does not return that, the state in the id of the answered request. */
async function stateOf(
  bare: BareWork,
  { relayState, response }: PostedResponse,
): Promise<{ state: string; directory: Directory } | null> {
  const returned = relayState === null ? null : await directoryOf(bare, relayState)
  if (relayState !== null && returned) return { state: relayState, directory: returned }
  const head = Buffer.from(response.slice(0, HEAD_CHARACTERS), 'base64').toString('latin1')
  const [, answered = null] = ANSWERED.exec(head) ?? []
  const directory = answered === null ? null : await directoryOf(bare, answered)
  return answered !== null && directory ? { state: answered, directory } : null
}

/**
 * Ends a sign-in that began at the provider. It must be posted to the address of a connection that allows such
 * sign-ins.
 */
async function finishUnsolicited(bare: BareWork, posted: PostedResponse): Promise<Redirect> {
  const found = posted.connectionId === null ? null : await findConnectionAnywhere(bare.platform, posted.connectionId)
  if (!found?.connection.allow_idp_initiated) throw federationErrors.stateUnknown()
  const work = { ...bare, directory: found.directory }
  return withUnsolicitedPlace(work, () => concludeUnsolicited(work, found.connection, posted))
}

async function concludeUnsolicited(work: Work, connection: KnownConnection, posted: PostedResponse): Promise<Redirect> {
  const accepted = await acceptUnsolicited(work, connection, posted)
  const begun = await beginUnsolicited(work, connection.id)
  if (!begun)
    throw federationErrors.stateUnknown({
      detail: 'The organization has no default_redirect_uri, so the browser cannot continue to the application.',
    })
  try {
    return await concludeSignIn(work, begun, connection, readAssertedPerson(work, connection, accepted))
  } catch (error) {
    return refuseSignIn(work, begun, connection, error)
  }
}

const REFUSED = 'What your identity provider sent did not pass its checks. Please sign in from your application.'

/**
 * Accepts a response without a request. A refusal leaves no trace in the records, since anyone can post such a
 * response. Throws `state_invalid`.
 */
async function acceptUnsolicited(work: Work, connection: KnownConnection, posted: PostedResponse): Promise<Accepted> {
  try {
    await assertStillOpen(work, connection, { isTest: false, by: 'saml' })
    return await accept(work, connection, posted, { requestId: null, signedInSince: recently(work, connection) })
  } catch (error) {
    throw error instanceof FederationFailure ? federationErrors.stateUnknown({ detail: REFUSED }) : error
  }
}

/** Checks a response and accepts it only once. Throws FederationFailure. */
async function accept(
  work: Work,
  connection: KnownConnection,
  { response, connectionId }: PostedResponse,
  asked: Pick<Expected, 'requestId' | 'signedInSince'>,
): Promise<Accepted> {
  if (connectionId !== null && connectionId.toLowerCase() !== connection.id)
    throw new FederationFailure('response_invalid', 'The response was posted to the address of another connection.')
  try {
    const acsUrls = acsUrlsOf(work.platform, connectionId)
    const expected = { ...expectedOf(work.platform, connection), acsUrls, ...asked }
    const assertion = await verifyResponse(work, { response, expected, trust: await trustOf(work, connection) })
    const row = { connection_id: connection.id, assertion_hash: hashId(assertion.id), expires_at: assertion.expiresAt }
    const unless = signedOutCheck(work, connection, { assertion, spEntityId: expected.spEntityId })
    const isRemembered = await isAfterRecovery(work.platform, assertion.issuedAt)
    if (isRemembered && (await insertAssertionRow(work.db, work.directory, row, unless)))
      return { assertion, isSignedOut: (later) => isNoted(later.db, later.directory, connection.id, unless) }
    throw new SamlRefusal('replayed', 'It was used before, its user was logged out since, or `recover` ran since.')
  } catch (error) {
    if (!(error instanceof XmlRefusal)) throw error
    throw new FederationFailure(CODES.get(error.reason) ?? 'response_invalid', `${error.message} (${error.reason})`)
  }
}

/** The accepted assertion, and a check whether the user has been signed out since. */
type Accepted = { assertion: Assertion } & Required<Pick<FederatedPerson, 'isSignedOut'>>

function readAssertedPerson({ platform }: Work, connection: KnownConnection, { assertion, isSignedOut }: Accepted) {
  const heard = toFederatedPerson(connection, assertion, spOf(platform, connection.id).entity_id)
  return { ...heard, person: { ...heard.person, isSignedOut } }
}

const CODES = new Map<string, FailureCode>([
  ['status', 'idp_error'],
  ['denied', 'access_denied'],
  ['not_again', 'reauthentication_missing'],
])

/**
 * When the user must have authenticated at the provider, if the connection has `force_authn`. No request said when
 * the sign-in began, so it counts as begun as long ago as a sign-in may take.
 */
function recently({ platform }: Work, { force_authn }: KnownConnection): Date | null {
  // Process clock: the provider set the times in the assertion by its own clock.
  return force_authn ? new Date(platform.clock.now().getTime() - TTL_SECONDS * 1000) : null
}

const hashId = (id: string) => hash('sha256', id, 'buffer')
