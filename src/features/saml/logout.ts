import { hash } from 'node:crypto'
import type { Work } from '../../platform/work.ts'
import { childrenOf } from '../../platform/xml/read.ts'
import { XmlRefusal } from '../../platform/xml/refusal.ts'
import { findConnectionAnywhere, type KnownConnection, spKeys, spOf } from '../connections/connections.ts'
import { ns, writeLogoutResponse } from '../descriptors/descriptors.ts'
import { type BareWork, endLinkedSessions, FederationFailure, federationErrors } from '../federation/federation.ts'
import { checkWindow, readNameId, timeOf } from './assertion.ts'
import { MAX_AGE_MS, type PostedLogout, readLogoutMessage } from './logout-message.ts'
import { expectedOf } from './partner.ts'
import { SamlRefusal } from './refusal.ts'
import { redirectUrl } from './request.ts'
import { insertAssertionRow } from './store.ts'

/**
 * Ends the sessions of somebody who signs out at the provider (SAML profiles §4.4): all of
 * them. Returns where to send the browser with the answer; null if the provider has no address for it.
 * Throws `state_invalid` for a request that does not pass its checks.
 */
export async function logOut(bare: BareWork, posted: PostedLogout): Promise<string | null> {
  const found = await findConnectionAnywhere(bare.platform, posted.connectionId)
  // A provider that may sign nobody in any longer has no say on who is signed out.
  if (found?.connection.protocol !== 'saml' || found.connection.status !== 'active')
    throw federationErrors.stateUnknown({ detail: REFUSED })
  const { connection, directory } = found
  const work = { ...bare, directory }
  const { id, issuer, subject } = await readRequest(work, connection, posted)
  await endLinkedSessions(work, { method: 'sso', source: connection.id, issuer, subject })
  if (connection.idp_slo_url === null) return null
  const [current] = (await spKeys(bare.platform, directory)).signing
  const xml = writeLogoutResponse({
    inResponseTo: id,
    issuedAt: bare.platform.clock.now(),
    spEntityId: spOf(bare.platform, connection.id).entity_id,
    idpSloUrl: connection.idp_slo_url,
  })
  const { relayState } = posted
  return redirectUrl(connection.idp_slo_url, { field: 'SAMLResponse', xml, relayState, pair: current ?? null })
}

async function readRequest(work: Work, connection: KnownConnection, posted: PostedLogout) {
  try {
    const { root, id, issuer, issuedAt } = await readLogoutMessage(work, connection, {
      ...posted,
      name: 'LogoutRequest',
    })
    if (childrenOf(root, ns.assertion, 'NameID').length !== 1)
      throw new SamlRefusal('subject', 'The request has not one NameID.')
    const until = timeOf(root, 'NotOnOrAfter')
    checkWindow('The request', { from: null, until }, expectedOf(work.platform, connection))
    const row = {
      connection_id: connection.id,
      assertion_hash: hash('sha256', id, 'buffer'),
      expires_at: new Date(issuedAt + 2 * MAX_AGE_MS),
    }
    if (!(await insertAssertionRow(work.db, work.directory, row)))
      throw new SamlRefusal('replayed', 'The request was used before.')
    return { id, issuer, subject: readNameId(root).value }
  } catch (error) {
    if (error instanceof XmlRefusal || error instanceof FederationFailure)
      throw federationErrors.stateUnknown({ detail: REFUSED, cause: error })
    throw error
  }
}

const REFUSED = 'What your identity provider sent did not pass its checks.'
