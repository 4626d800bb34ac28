import { randomUUID } from 'node:crypto'
import { escapeXml } from '../xml/read.ts'
import { bindings, nameIdFormats, ns } from '../xml/saml-names.ts'

export interface NameId {
  value: string
  format: string | null
  /** Qualifiers are part of the name, if the provider sends them (SAML core §2.2.2). */
  nameQualifier: string | null
  spNameQualifier: string | null
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
  /** The user that the provider should ask for; null for any user. */
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

/** An unsigned `LogoutRequest` (SAML core §3.7.1) for one session at the provider. */
export function writeLogoutRequest(request: {
  id: string
  issuedAt: Date
  spEntityId: string
  idpSloUrl: string
  nameId: NameId
  sessionIndex: string | null
}): string {
  const { value, format, nameQualifier, spNameQualifier } = request.nameId
  const qualifiers = Object.entries({ Format: format, NameQualifier: nameQualifier, SPNameQualifier: spNameQualifier })
    .flatMap(([name, text]) => (text === null ? [] : [` ${name}="${escapeXml(text)}"`]))
    .join('')
  const { sessionIndex } = request
  const index = sessionIndex === null ? '' : `<samlp:SessionIndex>${escapeXml(sessionIndex)}</samlp:SessionIndex>`
  return (
    `<samlp:LogoutRequest xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}" ID="${escapeXml(request.id)}" ` +
    `Version="2.0" IssueInstant="${instant(request.issuedAt)}" Destination="${escapeXml(request.idpSloUrl)}">` +
    `<saml:Issuer>${escapeXml(request.spEntityId)}</saml:Issuer>` +
    `<saml:NameID${qualifiers}>${escapeXml(value)}</saml:NameID>${index}</samlp:LogoutRequest>`
  )
}

/**
 * An unsigned `LogoutResponse` (SAML core §3.7.2). `codes` has the status code, and the second-level status code if
 * there is one.
 */
export function writeLogoutResponse(response: {
  inResponseTo: string
  issuedAt: Date
  spEntityId: string
  idpSloUrl: string
  codes: string[]
}): string {
  const status = response.codes.reduceRight((inner, code) => writeCode(code, inner), '')
  return (
    `<samlp:LogoutResponse xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}" ID="_${randomUUID()}" Version="2.0" ` +
    `IssueInstant="${instant(response.issuedAt)}" Destination="${escapeXml(response.idpSloUrl)}" ` +
    `InResponseTo="${escapeXml(response.inResponseTo)}"><saml:Issuer>${escapeXml(response.spEntityId)}</saml:Issuer>` +
    `<samlp:Status>${status}</samlp:Status></samlp:LogoutResponse>`
  )
}

const writeCode = (code: string, inner: string) =>
  `<samlp:StatusCode Value="${code}"${inner === '' ? '/>' : `>${inner}</samlp:StatusCode>`}`

/** A time in the form that messages use (SAML core §1.3.3). */
export function instant(date: Date): string {
  return date.toISOString()
}
