import { randomUUID } from 'node:crypto'
import type { Platform } from '../../../platform/platform.ts'
import { spOf } from '../connections/connections.ts'
import { findConnectionAnywhere } from '../connections/known/known.ts'
import { redirectUrl, signMessage, writeLogoutResponse } from '../saml-metadata/saml-metadata.ts'
import { defineThreadWork } from '../xml/message-pool.ts'
import { escapeXml } from '../xml/read.ts'
import { BEARER, bindings, nameIdFormats, ns, REQUESTER, SUCCESS } from '../xml/saml-names.ts'
import { isOwnUrl, providerUrl } from './addresses.ts'
import { type Fault, providerTime } from './faults.ts'
import { devKey, expiredKey } from './keys.ts'
import type { DevPerson } from './people.ts'
import type * as requestWorker from './request-worker.ts'
import { writeResponse } from './response.ts'

/** A sign-in request from this service. */
export interface SamlRequest {
  /** Null for a sign-in that begins at the provider. */
  id: string | null
  acsUrl: string
  spEntityId: string
  /** The address in the request, if there is one. */
  loginHint: string | null
}

const CERTIFICATE_LINES = /-----[A-Z ]+-----|\s/g

/** The metadata of a domain's provider (SAML metadata §2.4.3). */
export async function samlMetadata(platform: Platform, domain: string): Promise<string> {
  const url = providerUrl(platform, domain)
  const { certificatePem } = await devKey(platform)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${ns.metadata}" xmlns:ds="${ns.signature}" entityID="${escapeXml(entityIdOf(url))}">`,
    `<md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${ns.protocol}">`,
    '<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>' +
      `${certificatePem.replace(CERTIFICATE_LINES, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
    `<md:SingleLogoutService Binding="${bindings.redirect}" Location="${escapeXml(url)}/saml/logout"/>`,
    `<md:NameIDFormat>${nameIdFormats.email}</md:NameIDFormat>`,
    `<md:SingleSignOnService Binding="${bindings.redirect}" Location="${escapeXml(url)}/saml/sso"/>`,
    '</md:IDPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n')
}

/** The entity ID is the metadata's address, as SAML recommends (metadata §2.3.2). */
const entityIdOf = (url: string) => `${url}/saml/metadata`

const inThread = defineThreadWork<typeof requestWorker>(new URL('./request-worker.ts', import.meta.url))

// The message queue is fair between directories. This provider counts as one directory.
const ownerOf = (platform: Platform) => ({ platform, directory: { id: 'dev-idp' } })

function readRequest(platform: Platform, text: string): Promise<requestWorker.ReadRequest | null> {
  return inThread(ownerOf(platform), { name: 'readRequest', bytes: text.length }, text)
}

/** Reads the `SAMLRequest` of a query. Null if it is not a sign-in request from this service. */
export async function readSamlRequest(platform: Platform, text: string): Promise<SamlRequest | null> {
  const request = await readRequest(platform, text)
  if (request?.name !== 'AuthnRequest' || request.acsUrl === null || !isOwnUrl(platform, request.acsUrl)) return null
  return { id: request.id, acsUrl: request.acsUrl, spEntityId: request.issuer, loginHint: request.nameId }
}

/**
 * The data for an unsolicited response to a connection, in the form of a request. Null if there is no such
 * connection.
 */
export async function unsolicitedRequest(platform: Platform, connectionId: string): Promise<SamlRequest | null> {
  const found = await findConnectionAnywhere(platform, connectionId)
  if (found?.connection.protocol !== 'saml') return null
  const { entity_id: spEntityId, acs_url: acsUrl } = spOf(platform, found.connection.id)
  return { id: null, acsUrl, spEntityId, loginHint: null }
}

/** The signed response that signs a person in (SAML core §3.3.3), in Base64. */
export async function samlResponse(
  platform: Platform,
  domain: string,
  { request, person, fault }: { request: SamlRequest; person: DevPerson; fault: Fault },
): Promise<string> {
  const issuer = entityIdOf(providerUrl(platform, domain))
  const now = providerTime(platform, fault)
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString()
  const said = {
    ...{ responseId: `_${randomUUID()}`, assertionId: `_${randomUUID()}`, sessionIndex: `_${randomUUID()}` },
    ...{ issuer, assertionIssuer: issuer, destination: request.acsUrl, recipient: request.acsUrl },
    ...{ inResponseTo: request.id, confirmedInResponseTo: request.id },
    ...nameOf(person, fault),
    status: SUCCESS,
    method: BEARER,
    ...{ confirmedFrom: null, confirmedUntil: at(300), conditions: { notBefore: at(-5), notOnOrAfter: at(300) } },
    audience: fault === 'wrong_audience' ? 'https://another-application.example' : request.spEntityId,
    ...{ issuedAt: at(0), signedInAt: at(-1), sessionNotOnOrAfter: null },
    context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    more: '',
  }
  if (fault === 'cancelled') return encode(refusal(issuer, request, at(0)))
  const key = await (fault === 'unknown_certificate' ? expiredKey(platform) : devKey(platform))
  return encode(await signMessage(ownerOf(platform), writeResponse(said), key, 'assertion'))
}

function nameOf({ subject, email, firstName, lastName, groups }: DevPerson, fault: Fault) {
  const attributes = { objectidentifier: [subject], firstName: [firstName], lastName: [lastName], groups }
  // The NameID stays: with another NameID, the sign-in would link the person to another subject. The attribute for
  // the address takes precedence over it.
  const address = fault === 'missing_email' ? '-' : email
  return { nameId: email, nameIdFormat: nameIdFormats.email, attributes: { ...attributes, email: [address] } }
}

function refusal(issuer: string, { id, acsUrl }: SamlRequest, issuedAt: string): string {
  return (
    `<samlp:Response xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}" ID="_${randomUUID()}" Version="2.0" ` +
    `IssueInstant="${issuedAt}" Destination="${escapeXml(acsUrl)}"${id === null ? '' : ` InResponseTo="${escapeXml(id)}"`}>` +
    `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${REQUESTER}">` +
    '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:RequestDenied"/></samlp:StatusCode></samlp:Status>' +
    '</samlp:Response>'
  )
}

const encode = (xml: string) => Buffer.from(xml).toString('base64')

/** The address to send the logout response to. Null if the logout request is not from this service. */
export async function samlLogoutUrl(
  platform: Platform,
  domain: string,
  { SAMLRequest: text = '', RelayState: relayState }: { SAMLRequest?: string; RelayState?: string },
): Promise<string | null> {
  const request = await readRequest(platform, text)
  if (request?.name !== 'LogoutRequest') return null
  // A connection's entity ID is the address of its metadata. The address for logouts is next to it.
  const target = request.issuer.replace('/saml/metadata/', '/saml/slo/')
  if (!isOwnUrl(platform, target)) return null
  const xml = writeLogoutResponse({
    inResponseTo: request.id,
    issuedAt: providerTime(platform),
    spEntityId: entityIdOf(providerUrl(platform, domain)),
    idpSloUrl: target,
    codes: [SUCCESS],
  })
  return redirectUrl(target, {
    field: 'SAMLResponse',
    xml,
    relayState: relayState ?? null,
    pair: await devKey(platform),
  })
}
