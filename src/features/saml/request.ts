import { randomUUID } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { signQuery, writeQuery } from '../../platform/xml/query-signatures.ts'
import { escapeXml } from '../../platform/xml/read.ts'
import { bindings, nameIdFormats, ns, SUCCESS } from '../descriptors/descriptors.ts'
import { signMessage } from './signature.ts'

/** What signs for the service. */
export interface SigningPair {
  certificatePem: string
  privateKeyPem: string
}

export interface AuthnRequest {
  id: string
  issuedAt: Date
  spEntityId: string
  acsUrl: string
  idpSsoUrl: string
  forceAuthn: boolean
  /** Null: whatever the provider prefers. */
  nameIdFormat: string | null
  /** Whom to ask for; null: whoever comes. */
  loginHint: string | null
}

/** An `AuthnRequest` (SAML core §3.4.1), unsigned. */
export function writeAuthnRequest(request: AuthnRequest): string {
  const format = request.nameIdFormat === null ? '' : ` Format="${escapeXml(request.nameIdFormat)}"`
  return (
    `<samlp:AuthnRequest xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}" ID="${escapeXml(request.id)}" ` +
    `Version="2.0" IssueInstant="${instant(request.issuedAt)}" Destination="${escapeXml(request.idpSsoUrl)}" ` +
    `${request.forceAuthn ? 'ForceAuthn="true" ' : ''}ProtocolBinding="${bindings.post}" ` +
    `AssertionConsumerServiceURL="${escapeXml(request.acsUrl)}">` +
    `<saml:Issuer>${escapeXml(request.spEntityId)}</saml:Issuer>` +
    `${writeSubject(request.loginHint)}<samlp:NameIDPolicy${format} AllowCreate="true"/></samlp:AuthnRequest>`
  )
}

function writeSubject(loginHint: string | null): string {
  if (loginHint === null) return ''
  const nameId = `<saml:NameID Format="${nameIdFormats.email}">${escapeXml(loginHint)}</saml:NameID>`
  return `<saml:Subject>${nameId}</saml:Subject>`
}

/** A `LogoutResponse` (SAML core §3.7.2) that says that it was done, unsigned. */
export function writeLogoutResponse(response: {
  inResponseTo: string
  issuedAt: Date
  spEntityId: string
  idpSloUrl: string
}): string {
  return (
    `<samlp:LogoutResponse xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}" ID="_${randomUUID()}" Version="2.0" ` +
    `IssueInstant="${instant(response.issuedAt)}" Destination="${escapeXml(response.idpSloUrl)}" ` +
    `InResponseTo="${escapeXml(response.inResponseTo)}"><saml:Issuer>${escapeXml(response.spEntityId)}</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status></samlp:LogoutResponse>`
  )
}

/** A moment as messages have it (SAML core §1.3.3). */
export function instant(date: Date): string {
  return date.toISOString()
}

/** A message on its way to a provider. */
export interface Outgoing {
  /** The field that has it. */
  field: 'SAMLRequest' | 'SAMLResponse'
  xml: string
  relayState: string | null
  /** Null: it is not signed. */
  pair: SigningPair | null
}

/** The address that takes a message along in its query (SAML bindings §3.4). */
export function redirectUrl(target: string, { field, xml, relayState, pair }: Outgoing): string {
  const fields: [string, string][] = [[field, deflateRawSync(xml).toString('base64')]]
  if (relayState !== null) fields.push(['RelayState', relayState])
  const url = new URL(target)
  url.hash = ''
  const query = pair ? signQuery(fields, pair.privateKeyPem) : writeQuery(fields)
  return `${url.href}${url.search === '' ? '?' : '&'}${query}`
}

/** The fields of a form that takes a message along (SAML bindings §3.5). */
export async function postFields({ field, xml, relayState, pair }: Outgoing): Promise<[string, string][]> {
  const signed = pair ? await signMessage(xml, pair) : xml
  const fields: [string, string][] = [[field, Buffer.from(signed).toString('base64')]]
  return relayState === null ? fields : [...fields, ['RelayState', relayState]]
}
