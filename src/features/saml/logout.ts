import { hash } from 'node:crypto'
import { type Message, readPosted, readQueried, SHORT_MESSAGE } from '../../platform/xml/message.ts'
import { verifyQuery } from '../../platform/xml/query-signatures.ts'
import { attributeOf, childrenOf, type XmlElement } from '../../platform/xml/read.ts'
import { XmlRefusal } from '../../platform/xml/refusal.ts'
import { signatureOf } from '../../platform/xml/signatures.ts'
import { findConnectionAnywhere, type KnownConnection, spKeys, spOf } from '../connections/connections.ts'
import { ns } from '../descriptors/descriptors.ts'
import { type BareWork, endLinkedSessions, FederationFailure, federationErrors } from '../federation/federation.ts'
import { checkIssuer, checkWindow, readNameId, timeOf } from './assertion.ts'
import { expectedOf, spellingsOf, trustOf } from './partner.ts'
import { SamlRefusal } from './refusal.ts'
import { redirectUrl, writeLogoutResponse } from './request.ts'
import { verifySigned } from './signature.ts'
import { insertAssertionRow } from './store.ts'
import { checkSoleStructure } from './structure.ts'

/** A request to log out, as a provider has a browser bring it: by a form, or by a query that is signed as it was sent. */
export interface PostedLogout {
  connectionId: string
  request: string
  relayState: string | null
  query: { octets: string; algorithm: string; signature: string } | null
}

const MAX_AGE_MS = 300_000

/**
 * Ends the sessions of somebody who signs out at the provider (SAML profiles §4.4): all, since which of them began by which
 * session there is not kept. Returns where to send the browser with the answer; null if the provider has no address for it.
 * Throws `state_invalid` for a request that does not pass its checks.
 */
export async function logOut(bare: BareWork, posted: PostedLogout): Promise<string | null> {
  const found = await findConnectionAnywhere(bare.platform, posted.connectionId)
  if (found?.connection.protocol !== 'saml') throw federationErrors.stateUnknown()
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

type LogoutWork = Parameters<typeof trustOf>[0]

async function readRequest(work: LogoutWork, connection: KnownConnection, posted: PostedLogout) {
  try {
    const root = await verified(work, connection, posted)
    const expected = expectedOf(work.platform, connection)
    const urls = spellingsOf(work.platform, `/v1/auth/login/sso/saml/slo/${connection.id}`)
    const issuer = checkIssuer(root, expected)
    const [id, issuedAt] = [attributeOf(root, 'ID'), timeOf(root, 'IssueInstant')]
    if (issuer === null || id === null || issuedAt === null)
      throw new SamlRefusal('structure', 'The request lacks its issuer, ID or time.')
    if (!urls.includes(attributeOf(root, 'Destination') ?? ''))
      throw new SamlRefusal('destination', 'The request was made for another address.')
    checkWindow('The request', { from: issuedAt, until: issuedAt + MAX_AGE_MS }, expected)
    checkWindow('The request', { from: null, until: timeOf(root, 'NotOnOrAfter') }, expected)
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

/** What the provider signed: the message itself, or with the query that has it. */
async function verified(work: LogoutWork, connection: KnownConnection, posted: PostedLogout): Promise<XmlElement> {
  const { certificates, allowSha1 } = await trustOf(work, connection)
  const message: Message = posted.query
    ? readQueried(posted.request, SHORT_MESSAGE)
    : readPosted(posted.request, SHORT_MESSAGE)
  const { root } = message
  if (root.namespace !== ns.protocol || root.name !== 'LogoutRequest' || attributeOf(root, 'Version') !== '2.0')
    throw new SamlRefusal('structure', 'It is no request to log out.')
  if (childrenOf(root, ns.assertion, 'NameID').length !== 1)
    throw new SamlRefusal('subject', 'The request has not one NameID.')
  checkSoleStructure(root, { allowSha1 })
  if (posted.query) {
    verifyQuery(posted.query, certificates, allowSha1)
    return root
  }
  if (!signatureOf(root)) throw new SamlRefusal('not_signed', 'The request is not signed.')
  return (await verifySigned(message.text, 'document', root, certificates)).root
}

/** The octets of a query that its signature covers (SAML bindings §3.4.4.1): these fields as they came, in this order. */
export function signedOctets(query: string): string {
  const fields = query.split('&')
  const find = (name: string) => fields.find((field) => field.startsWith(`${name}=`))
  return ['SAMLRequest', 'RelayState', 'SigAlg']
    .map(find)
    .filter((field) => field !== undefined)
    .join('&')
}
