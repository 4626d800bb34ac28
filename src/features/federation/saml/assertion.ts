import type { NameId } from '../saml-metadata/saml-metadata.ts'
import { decryptElement } from '../xml/decryption.ts'
import { parseMessage, readUtf8 } from '../xml/message.ts'
import { attributeOf, childrenOf, onlyChild, trimLayout, trimXml, type XmlElement } from '../xml/read.ts'
import { BEARER, ENTITY, nameIdFormats, ns } from '../xml/saml-names.ts'
import { type RefusalReason, SamlRefusal } from './refusal.ts'

/** The values that a response must have to be valid for this sign-in. */
export interface Expected {
  /** The provider's entity ID. The issuer of the response and of the assertion must be exactly this text. */
  idpEntityId: string
  /** This service's entity ID, which must be the audience. */
  spEntityId: string
  /** Spellings of the address that the response was posted to. The response must name one of them. */
  acsUrls: string[]
  /** The ID of the answered request. Null: the response must be unsolicited. */
  requestId: string | null
  /** The user must have signed in at the provider at this time or later. Null: at any time. */
  signedInSince: Date | null
  now: Date
}

/** The content of an assertion, after all checks. */
export interface Assertion {
  id: string
  issuer: string
  nameId: NameId
  /** The exact texts of all values that are not blank, by attribute name. */
  attributes: Map<string, string[]>
  sessionIndex: string | null
  authnContext: string | null
  /** When the session at the provider ends (SAML core §2.7.2). Null if the provider does not say. */
  sessionEndsAt: Date | null
  issuedAt: Date
  /** The assertion cannot be presented after this time. */
  expiresAt: Date
}

const SKEW_MS = 60_000
// Limits how long the IDs of assertions are stored, even if the provider states longer times.
export const MAX_AGE_MS = 24 * 3600_000
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const KNOWN_CONDITIONS = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'])

/**
 * Checks an assertion according to the Web Browser SSO profile (SAML profiles §4.1.4.3) and reads it. The signature
 * of the assertion, or of the response around it, must be verified already. Throws XmlRefusal.
 */
export function readAssertion(assertion: XmlElement, expected: Expected, decryptionKeys: string[]): Assertion {
  const id = attributeOf(assertion, 'ID')
  if (id === null || attributeOf(assertion, 'Version') !== '2.0')
    throw new SamlRefusal('structure', 'The assertion is not one of SAML 2.0.')
  const issuer = checkIssuer(assertion, expected)
  if (issuer === null) throw new SamlRefusal('issuer', 'The assertion names no issuer.')
  const issuedAt = timeOf(assertion, 'IssueInstant')
  if (issuedAt === null) throw new SamlRefusal('conditions', 'The assertion does not say when it was issued.')
  checkWindow('The assertion', { from: issuedAt, until: issuedAt + MAX_AGE_MS }, expected)
  const subject = onlyChild(assertion, ns.assertion, 'Subject')
  if (!subject) throw new SamlRefusal('subject', 'The assertion has not one subject.')
  const nameId = readNameId(subject, decryptionKeys)
  const until = checkConfirmation(subject, expected)
  checkConditions(assertion, expected)
  return {
    id,
    issuer,
    nameId,
    attributes: readAttributes(assertion),
    ...readSignIn(assertion, expected),
    issuedAt: new Date(issuedAt),
    expiresAt: new Date(Math.min(until, issuedAt + MAX_AGE_MS) + SKEW_MS),
  }
}

/** The issuer, which must be the connection's provider. Null if there is no issuer. Throws SamlRefusal. */
export function checkIssuer(element: XmlElement, { idpEntityId }: Pick<Expected, 'idpEntityId'>): string | null {
  const issuers = childrenOf(element, ns.assertion, 'Issuer')
  const [issuer] = issuers
  if (!issuer) return null
  const format = attributeOf(issuer, 'Format')
  if (issuers.length > 1 || issuer.text !== idpEntityId || (format !== null && format !== ENTITY))
    throw new SamlRefusal(
      'issuer',
      `The issuer is ${shown(issuer.text)}, and the connection's idp_entity_id ${shown(idpEntityId)}.`,
    )
  return issuer.text
}

/**
 * Checks `InResponseTo` of a response or a confirmation. Returns whether it is present. Throws SamlRefusal if it has
 * an unexpected value.
 */
export function checkInResponseTo(element: XmlElement, { requestId }: Pick<Expected, 'requestId'>): boolean {
  const inResponseTo = attributeOf(element, 'InResponseTo')
  if (inResponseTo !== null && inResponseTo !== requestId)
    throw new SamlRefusal('in_response_to', 'It answers another request than the one of this sign-in.')
  return inResponseTo !== null
}

/**
 * The only NameID of a subject or a logout request. It may be encrypted separately (SAML core §2.2.4), in which case
 * the signature covers its encrypted form. Throws XmlRefusal.
 */
export function readNameId(subject: XmlElement, decryptionKeys: string[]): NameId {
  const names = subject.children.filter(
    ({ namespace, name }) => namespace === ns.assertion && /^(NameID|EncryptedID|BaseID)$/.test(name),
  )
  const [only] = names
  const nameId = only?.name === 'EncryptedID' ? decrypted(only, decryptionKeys) : only
  const text = nameId?.text ?? ''
  const value = nameId && attributeOf(nameId, 'Format') === nameIdFormats.email ? trimXml(text) : trimLayout(text)
  const isName = nameId?.namespace === ns.assertion && nameId.name === 'NameID' && nameId.children.length === 0
  if (names.length !== 1 || !isName || trimXml(value) === '' || value.length > 1024)
    throw new SamlRefusal('subject', 'There is not one NameID.')
  return {
    value,
    format: attributeOf(nameId, 'Format'),
    nameQualifier: attributeOf(nameId, 'NameQualifier'),
    spNameQualifier: attributeOf(nameId, 'SPNameQualifier'),
  }
}

const decrypted = (encrypted: XmlElement, keys: string[]) =>
  parseMessage(readUtf8(decryptElement(encrypted, keys))).root

/** Requires exactly one bearer confirmation, for this address and request. Returns its expiry. */
function checkConfirmation(subject: XmlElement, expected: Expected): number {
  const confirmations = childrenOf(subject, ns.assertion, 'SubjectConfirmation')
  const [confirmation] = confirmations
  if (!confirmation || confirmations.length > 1 || attributeOf(confirmation, 'Method') !== BEARER)
    throw new SamlRefusal('confirmation', 'The subject is not confirmed by exactly one bearer confirmation.')
  const data = onlyChild(confirmation, ns.assertion, 'SubjectConfirmationData')
  const until = data && timeOf(data, 'NotOnOrAfter')
  if (!data || until === null) throw new SamlRefusal('confirmation', 'The confirmation has no NotOnOrAfter.')
  const recipient = attributeOf(data, 'Recipient')
  if (recipient === null || !expected.acsUrls.includes(recipient))
    throw new SamlRefusal('recipient', `The recipient is ${shown(recipient)}, and not ${shown(expected.acsUrls[0])}.`)
  if (!checkInResponseTo(data, expected) && expected.requestId !== null)
    throw new SamlRefusal('in_response_to', 'The confirmation does not say which request it answers.')
  checkWindow('The confirmation', { from: timeOf(data, 'NotBefore'), until }, expected)
  return until
}

function checkConditions(assertion: XmlElement, expected: Expected): void {
  const conditions = onlyChild(assertion, ns.assertion, 'Conditions')
  if (!conditions) throw new SamlRefusal('audience', 'The assertion has no Conditions, so it names no audience.')
  // SAML core §2.5.1.1: a condition that is not understood makes the assertion's validity unknown.
  if (conditions.children.some(({ namespace, name }) => namespace !== ns.assertion || !KNOWN_CONDITIONS.has(name)))
    throw new SamlRefusal('conditions', 'The assertion has a condition that is not known.')
  checkWindow(
    'The assertion',
    { from: timeOf(conditions, 'NotBefore'), until: timeOf(conditions, 'NotOnOrAfter') },
    expected,
  )
  const restrictions = childrenOf(conditions, ns.assertion, 'AudienceRestriction').map((restriction) =>
    childrenOf(restriction, ns.assertion, 'Audience').map(({ text }) => text),
  )
  if (restrictions.length === 0 || !restrictions.every((audiences) => audiences.includes(expected.spEntityId)))
    throw new SamlRefusal(
      'audience',
      `The audience is ${shown(restrictions.flat()[0] ?? null)}, and the entity ID of the service ${shown(expected.spEntityId)}.`,
    )
}

/** Reads the authentication statements. If there are several, all must be valid, and the earliest end counts. */
function readSignIn(assertion: XmlElement, expected: Expected) {
  const statements = childrenOf(assertion, ns.assertion, 'AuthnStatement')
  const [first] = statements
  if (!first) throw new SamlRefusal('no_sign_in', 'The assertion has no statement of a sign-in.')
  const ends = statements.flatMap((statement) => {
    checkSignedIn(timeOf(statement, 'AuthnInstant'), expected)
    const until = timeOf(statement, 'SessionNotOnOrAfter')
    // No clock tolerance here: with one, the new session could already be over when it begins.
    if (until !== null && until <= expected.now.getTime())
      throw new SamlRefusal('expired', 'The session at the provider has ended (SessionNotOnOrAfter).')
    return until ?? []
  })
  const contexts = new Set(statements.map(contextOf))
  return {
    sessionIndex: trimXml(attributeOf(first, 'SessionIndex') ?? '') || null,
    // If statements name different contexts, none of them is proved.
    authnContext: contexts.size === 1 ? contextOf(first) : null,
    sessionEndsAt: ends.length > 0 ? new Date(Math.min(...ends)) : null,
  }
}

function contextOf(statement: XmlElement): string | null {
  const context = onlyChild(statement, ns.assertion, 'AuthnContext')
  const reference = context && onlyChild(context, ns.assertion, 'AuthnContextClassRef')
  return reference?.text.trim() ?? null
}

/**
 * Checks that the user was asked to sign in again if that was required (SAML core §3.4.1, ForceAuthn). Only the time
 * of the authentication proves this; the request does not.
 */
function checkSignedIn(at: number | null, { signedInSince: since }: Expected): void {
  if (since === null || (at !== null && at >= since.getTime() - SKEW_MS)) return
  const said =
    at === null ? 'The assertion does not say when the person signed in' : `The person signed in before the start`
  throw new SamlRefusal('not_again', `${said} (AuthnInstant), and was to be asked again.`)
}

function readAttributes(assertion: XmlElement): Map<string, string[]> {
  const attributes = new Map<string, string[]>()
  for (const statement of childrenOf(assertion, ns.assertion, 'AttributeStatement'))
    for (const attribute of childrenOf(statement, ns.assertion, 'Attribute')) {
      const name = attributeOf(attribute, 'Name')
      const values = childrenOf(attribute, ns.assertion, 'AttributeValue').filter(({ text }) => trimXml(text) !== '')
      if (name !== null) attributes.set(name, [...(attributes.get(name) ?? []), ...values.map(({ text }) => text)])
    }
  return attributes
}

/** Refuses what is not valid at this time. Clocks may differ by a minute. */
export function checkWindow(
  what: string,
  { from, until }: { from: number | null; until: number | null },
  { now }: Pick<Expected, 'now'>,
): void {
  const refuse = (reason: RefusalReason, how: string, limit: number) => {
    const seconds = Math.round(Math.abs(now.getTime() - limit) / 1000)
    return new SamlRefusal(reason, `${what} ${how} ${seconds} seconds, by the clock of the service.`)
  }
  if (from !== null && from > now.getTime() + SKEW_MS) throw refuse('not_yet_valid', 'holds only in', from)
  if (until !== null && until <= now.getTime() - SKEW_MS) throw refuse('expired', 'has expired since', until)
}

/** An attribute with a time (SAML core §1.3.3), in milliseconds since the epoch; null if absent. Throws SamlRefusal. */
export function timeOf(element: XmlElement, name: string): number | null {
  const text = attributeOf(element, name)
  if (text === null) return null
  const ms = DATE_TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw new SamlRefusal('conditions', `${name} is not a date and time.`)
  return ms
}

/** A text of a provider's message, quoted for the detail of an error. */
export function shown(text: string | null | undefined): string {
  return text ? `“${text.slice(0, 200)}”` : 'missing'
}
