import type { Expected } from '../../src/features/federation/saml/assertion.ts'
import { readResponse, type Trust } from '../../src/features/federation/saml/response.ts'
import { readPosted } from '../../src/features/federation/xml/message.ts'
import { XmlRefusal } from '../../src/features/federation/xml/refusal.ts'
import { makeCertificate } from '../../src/platform/crypto/certificates.ts'
import { encodeMessage, type Said, signXml, writeResponse } from '../peers/saml-messages.ts'

const NOW = new Date('2026-11-22T12:00:00Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000).toISOString()

export const idp = await makeCertificate({ commonName: 'idp', years: 3, from: NOW })
export const otherIdp = await makeCertificate({ commonName: 'other idp', years: 3, from: NOW })
export const spEncryption = await makeCertificate({ commonName: 'sp', years: 3, from: NOW })

export const expected: Expected = {
  idpEntityId: 'https://idp.acme.com/metadata',
  spEntityId: 'https://auth.example.com/v1/auth/login/sso/saml/metadata/c1',
  acsUrls: ['https://auth.example.com/v1/auth/login/sso/saml/acs/c1'],
  signedInSince: null,
  requestId: '_state',
  now: NOW,
}

export const trust: Trust = {
  certificates: [idp.certificatePem],
  decryptionKeys: [spEncryption.privateKeyPem],
  allowSha1: false,
  requireEncryption: false,
}

/** What the provider says of Ada, or what else is told. */
export function responseOf(more: Partial<Said> = {}): Said {
  return {
    responseId: '_r1',
    assertionId: '_a1',
    issuer: expected.idpEntityId,
    assertionIssuer: expected.idpEntityId,
    destination: expected.acsUrls[0] ?? null,
    inResponseTo: expected.requestId,
    confirmedInResponseTo: expected.requestId,
    status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    nameId: 'ada@acme.com',
    nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
    recipient: expected.acsUrls[0] ?? null,
    confirmedFrom: null,
    confirmedUntil: at(300),
    conditions: { notBefore: at(-5), notOnOrAfter: at(300) },
    audience: expected.spEntityId,
    issuedAt: at(0),
    signedInAt: at(-1),
    sessionIndex: 's-1',
    sessionNotOnOrAfter: null,
    context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    attributes: { email: ['ada@acme.com'], firstName: ['Ada'], groups: ['Staff', 'Admins'] },
    more: '',
    ...more,
  }
}

/** A moment by its distance from the clock of these tests. */
export const secondsFromNow = at

/** A response whose assertion is signed, as most providers send it. */
export function signedResponse(more: Partial<Said> = {}): string {
  return signXml(writeResponse(responseOf(more)), 'Assertion', idp)
}

/** What becomes of a response: who signed in, or why it was refused. What else is thrown fails the test. */
export async function verifyXml(xml: string, more: { expected?: Partial<Expected>; trust?: Partial<Trust> } = {}) {
  return verifyPosted(encodeMessage(xml), more)
}

/** The same for the text that a form brought. */
export async function verifyPosted(
  posted: string,
  more: { expected?: Partial<Expected>; trust?: Partial<Trust> } = {},
) {
  try {
    const assertion = await readResponse(
      readPosted(posted),
      { ...expected, ...more.expected },
      { ...trust, ...more.trust },
    )
    return { nameId: assertion.nameId.value, assertion, refused: null }
  } catch (error) {
    if (!(error instanceof XmlRefusal)) throw error
    return { nameId: null, assertion: null, refused: error.reason }
  }
}
