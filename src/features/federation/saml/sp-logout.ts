import { ApiError } from '../../../platform/errors.ts'
import type { Redirect } from '../../../platform/http/answer.ts'
import { publicUrl } from '../../../platform/http/public-url.ts'
import type { Work } from '../../../platform/work.ts'
import { spOf } from '../connections/connections.ts'
import { findConnection, type KnownConnection } from '../connections/known/known.ts'
import { provideSpKeys, spKeys } from '../connections/sp-keys/sp-keys.ts'
import { type BareWork, directoryOf } from '../federation/begin/begin.ts'
import { FederationFailure, federationErrors, type LogoutFailureCode } from '../federation/federation.ts'
import { endLogout, type LogoutDemand, takeLogout } from '../federation/logout/logout.ts'
import { type NameId, type OutgoingMessage, redirectUrl, writeLogoutRequest } from '../saml-metadata/saml-metadata.ts'
import { withMessagePlace } from '../xml/message-pool.ts'
import { attributeOf, elementsOf } from '../xml/read.ts'
import { XmlRefusal } from '../xml/refusal.ts'
import { PARTIAL_LOGOUT } from '../xml/saml-names.ts'
import { readLogoutMessage } from './logout-message.ts'
import type { PostedLogout } from './posted-logout.ts'
import { SamlRefusal } from './refusal.ts'
import { checkStatus } from './response.ts'

/**
 * The address where the user signs out at the provider (SAML profiles §4.4.3.1). Null if the provider has no such
 * address, or if the connection has another provider than when the user signed in.
 */
export async function startLogout(
  work: Work,
  connection: KnownConnection,
  demand: LogoutDemand,
): Promise<string | null> {
  const { idp_slo_url: target, idp_entity_id, slo_binding } = connection
  if (target === null || idp_entity_id !== demand.issuer) return null
  // The profile requires that logout requests are signed, even if sign-in requests need not be.
  await provideSpKeys(work.platform, work.directory)
  if (slo_binding === 'redirect') return redirectUrl(target, await requestOf(work, connection, target, demand))
  const page = new URL(publicUrl(work.platform, `/v1/auth/login/sso/saml/request/${connection.id}`))
  page.searchParams.set('state', demand.state)
  return page.href
}

/** The logout request. Its ID is the state. */
export async function requestOf(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  connection: KnownConnection,
  idpSloUrl: string,
  { state, hint }: Pick<LogoutDemand, 'state' | 'hint'>,
): Promise<OutgoingMessage> {
  const said: { nameId: NameId; sessionIndex: string | null } = JSON.parse(hint)
  const [current = null] = (await spKeys(platform, directory)).signing
  // Process clock: the provider compares the time of the request with its own clock.
  const xml = writeLogoutRequest({
    ...said,
    id: `_${state}`,
    issuedAt: platform.clock.now(),
    spEntityId: spOf(platform, connection.id).entity_id,
    idpSloUrl,
  })
  return { field: 'SAMLRequest', xml, relayState: state, pair: current }
}

/**
 * Ends a logout at the provider. The session has ended before, so this only sends the browser back to the
 * application, with the result. Throws `state_invalid`, `invalid_redirect_uri`.
 */
export async function finishLogout(bare: BareWork, posted: PostedLogout): Promise<Redirect> {
  const state = posted.relayState ?? ''
  const directory = await directoryOf(bare, state)
  if (!directory) throw federationErrors.stateUnknown()
  return withMessagePlace({ ...bare, directory }, async () => {
    const taken = await takeLogout(bare, state)
    if (!taken) throw federationErrors.stateUnknown()
    const { work, logout } = taken
    const connection = await findConnection(work, logout.source)
    return endLogout(work, logout, await findFailure(work, connection, { ...posted, requestId: `_${logout.state}` }))
  })
}

async function findFailure(
  work: Work,
  connection: KnownConnection | null,
  posted: PostedLogout & { requestId: string },
): Promise<LogoutFailureCode | null> {
  if (connection?.protocol !== 'saml' || connection.id !== posted.connectionId.toLowerCase()) return 'response_invalid'
  try {
    const { root } = await readLogoutMessage(work, connection, { ...posted, name: 'LogoutResponse' })
    if (attributeOf(root, 'InResponseTo') !== posted.requestId)
      throw new SamlRefusal('in_response_to', 'It answers another request.')
    // The code may accompany a success or a failure (SAML core §3.7.3.2).
    if (elementsOf(root).some((one) => one.name === 'StatusCode' && attributeOf(one, 'Value') === PARTIAL_LOGOUT))
      return 'partial_logout'
    checkStatus(root)
    return null
  } catch (error) {
    if (error instanceof XmlRefusal)
      return ['status', 'denied'].includes(error.reason) ? 'idp_error' : 'response_invalid'
    // The session has ended and the state is used up. The error says that the outcome at the provider is unknown.
    if (error instanceof FederationFailure || error instanceof ApiError) return 'response_invalid'
    throw error
  }
}
