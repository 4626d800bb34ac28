import { escapeXml } from '../xml/read.ts'

/** The content of a SAML response. Tests can change or leave out each part. */
export interface Said {
  responseId: string
  assertionId: string
  issuer: string | null
  assertionIssuer: string | null
  destination: string | null
  /** `InResponseTo` of the response and of the confirmation. */
  inResponseTo: string | null
  confirmedInResponseTo: string | null
  status: string
  nameId: string | null
  nameIdFormat: string | null
  method: string
  recipient: string | null
  confirmedFrom: string | null
  confirmedUntil: string | null
  conditions: { notBefore: string | null; notOnOrAfter: string | null } | null
  audience: string | null
  issuedAt: string
  signedInAt: string
  sessionIndex: string | null
  sessionNotOnOrAfter: string | null
  context: string
  attributes: Record<string, string[]>
  /** More elements of the assertion, as XML. */
  more: string
}

const attribute = (name: string, value: string | null) => (value === null ? '' : ` ${name}="${escapeXml(value)}"`)
const element = (name: string, value: string | null) => (value === null ? '' : `<${name}>${escapeXml(value)}</${name}>`)

const NAMESPACES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"'

/** An unsigned response in the form that identity providers use. */
export function writeResponse(said: Said): string {
  return (
    `<samlp:Response ${NAMESPACES} ID="${said.responseId}" Version="2.0" IssueInstant="${said.issuedAt}"` +
    `${attribute('Destination', said.destination)}${attribute('InResponseTo', said.inResponseTo)}>` +
    `${element('saml:Issuer', said.issuer)}` +
    `<samlp:Status><samlp:StatusCode Value="${escapeXml(said.status)}"/></samlp:Status>` +
    `${writeAssertion(said)}</samlp:Response>`
  )
}

function writeAssertion(said: Said): string {
  const { conditions } = said
  const restriction =
    said.audience === null
      ? ''
      : `<saml:AudienceRestriction>${element('saml:Audience', said.audience)}</saml:AudienceRestriction>`
  return (
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${said.assertionId}" Version="2.0" ` +
    `IssueInstant="${said.issuedAt}">${element('saml:Issuer', said.assertionIssuer)}${writeSubject(said)}` +
    (conditions === null
      ? ''
      : `<saml:Conditions${attribute('NotBefore', conditions.notBefore)}` +
        `${attribute('NotOnOrAfter', conditions.notOnOrAfter)}>${restriction}</saml:Conditions>`) +
    `<saml:AuthnStatement AuthnInstant="${said.signedInAt}"${attribute('SessionIndex', said.sessionIndex)}` +
    `${attribute('SessionNotOnOrAfter', said.sessionNotOnOrAfter)}><saml:AuthnContext>` +
    `${element('saml:AuthnContextClassRef', said.context)}</saml:AuthnContext></saml:AuthnStatement>` +
    `${writeAttributes(said.attributes)}${said.more}</saml:Assertion>`
  )
}

function writeSubject(said: Said): string {
  const nameId =
    said.nameId === null
      ? ''
      : `<saml:NameID${attribute('Format', said.nameIdFormat)}>${escapeXml(said.nameId)}</saml:NameID>`
  return (
    `<saml:Subject>${nameId}<saml:SubjectConfirmation Method="${said.method}"><saml:SubjectConfirmationData` +
    `${attribute('InResponseTo', said.confirmedInResponseTo)}${attribute('NotBefore', said.confirmedFrom)}` +
    `${attribute('NotOnOrAfter', said.confirmedUntil)}${attribute('Recipient', said.recipient)}/>` +
    '</saml:SubjectConfirmation></saml:Subject>'
  )
}

function writeAttributes(attributes: Said['attributes']): string {
  const all = Object.entries(attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${escapeXml(name)}">${values.map((one) => element('saml:AttributeValue', one)).join('')}</saml:Attribute>`,
  )
  return all.length === 0 ? '' : `<saml:AttributeStatement>${all.join('')}</saml:AttributeStatement>`
}
