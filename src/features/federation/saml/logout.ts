import { hash } from 'node:crypto'
import type { Redirect } from '../../../platform/http/answer.ts'
import type { RenderedPage } from '../../../platform/pages/card.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { spOf } from '../connections/connections.ts'
import { findConnectionAnywhere, type KnownConnection } from '../connections/known/known.ts'
import { spKeys } from '../connections/sp-keys/sp-keys.ts'
import type { BareWork } from '../federation/begin/begin.ts'
import {
  endSessionsOfProvider,
  FederationFailure,
  federationErrors,
  type ProviderLogout,
} from '../federation/federation.ts'
import {
  logoutPage,
  namesOfLogout,
  type OutgoingMessage,
  redirectUrl,
  writeLogoutResponse,
} from '../saml-metadata/saml-metadata.ts'
import { withUnsolicitedPlace } from '../xml/message-pool.ts'
import { childrenOf, trimXml } from '../xml/read.ts'
import { XmlRefusal } from '../xml/refusal.ts'
import { ns, REQUESTER, SUCCESS, UNKNOWN_PRINCIPAL } from '../xml/saml-names.ts'
import { checkWindow, timeOf } from './assertion.ts'
import { noteLogout } from './late.ts'
import { MAX_AGE_MS, readLogoutMessage } from './logout-message.ts'
import { expectedOf } from './partner.ts'
import type { PostedLogout } from './posted-logout.ts'
import { SamlRefusal } from './refusal.ts'
import { insertAssertionRow } from './store.ts'

/**
 * Ends the sessions of a user who signs out at the provider (SAML core §3.7.3): the sessions that the request names,
 * or all sessions from this connection. Returns how the browser takes the response to the provider; null if the
 * provider has no address for it. Throws `state_invalid` if the request fails its checks.
 */
export async function logOut(bare: BareWork, posted: PostedLogout): Promise<Redirect | RenderedPage | null> {
  const found = await findConnectionAnywhere(bare.platform, posted.connectionId)
  // A connection that is not active may not sign users out.
  if (found?.connection.protocol !== 'saml' || found.connection.status !== 'active')
    throw federationErrors.stateUnknown({ detail: REFUSED })
  const { connection, directory } = found
  const work = { ...bare, directory }
  return withUnsolicitedPlace(work, () => endSessions(work, connection, posted))
}

async function endSessions(
  work: Work,
  connection: KnownConnection,
  posted: PostedLogout,
): Promise<Redirect | RenderedPage | null> {
  const { id, issuedAt, said } = await readRequest(work, connection, posted)
  // One transaction: if ending the sessions fails, the provider may send the same request again.
  const isKnown = await inTx(work, async (work) => {
    const row = {
      connection_id: connection.id,
      assertion_hash: hash('sha256', id, 'buffer'),
      expires_at: new Date(issuedAt + 2 * MAX_AGE_MS),
    }
    if (!(await insertAssertionRow(work.db, work.directory, row)))
      throw refused(new SamlRefusal('replayed', 'The request was used before.'))
    await noteLogout(work, said, issuedAt)
    return endSessionsOfProvider(work, said)
  })
  return answerTo(work, connection, { id, relayState: posted.relayState, isKnown })
}

/**
 * Answers with the provider's binding. If the user is known but has no session, the answer is success: they are
 * already signed out.
 */
async function answerTo(
  work: Work,
  { id: connectionId, idp_slo_url, idp_slo_response_url, slo_binding }: KnownConnection,
  { id, relayState, isKnown }: { id: string; relayState: string | null; isKnown: boolean },
): Promise<Redirect | RenderedPage | null> {
  const target = idp_slo_response_url ?? idp_slo_url
  if (target === null) return null
  const { platform, directory } = work
  const [current = null] = (await spKeys(platform, directory)).signing
  // Process clock: the provider compares the time of the response with its own clock.
  const xml = writeLogoutResponse({
    inResponseTo: id,
    issuedAt: platform.clock.now(),
    spEntityId: spOf(platform, connectionId).entity_id,
    idpSloUrl: target,
    // SAML core §3.2.2.2
    codes: isKnown ? [SUCCESS] : [REQUESTER, UNKNOWN_PRINCIPAL],
  })
  const message: OutgoingMessage = { field: 'SAMLResponse', xml, relayState, pair: current }
  return slo_binding === 'post' ? logoutPage(work, target, message) : { redirectTo: redirectUrl(target, message) }
}

async function readRequest(
  work: Work,
  connection: KnownConnection,
  posted: PostedLogout,
): Promise<{ id: string; issuedAt: number; said: ProviderLogout }> {
  try {
    const { root, nameId, id, issuer, issuedAt } = await readLogoutMessage(work, connection, {
      ...posted,
      name: 'LogoutRequest',
    })
    const until = timeOf(root, 'NotOnOrAfter')
    checkWindow('The request', { from: null, until }, expectedOf(work.platform, connection))
    if (nameId === null) throw new SamlRefusal('subject', 'There is not one NameID.')
    const { idpEntityId, spEntityId } = expectedOf(work.platform, connection)
    const said = {
      source: connection.id,
      issuer,
      // If another attribute is mapped to the subject, the NameID is not the subject.
      subject: connection.attribute_mapping.subject === undefined ? nameId.value : null,
      names: namesOfLogout(nameId, { idpEntityId, spEntityId }),
      sessions: childrenOf(root, ns.protocol, 'SessionIndex').flatMap(({ text }) => trimXml(text) || []),
    }
    return { id, issuedAt, said }
  } catch (error) {
    if (error instanceof XmlRefusal || error instanceof FederationFailure) throw refused(error)
    throw error
  }
}

const refused = (cause: Error) => federationErrors.stateUnknown({ detail: REFUSED, cause })

const REFUSED = 'What your identity provider sent did not pass its checks. To sign out, go back to your application.'
