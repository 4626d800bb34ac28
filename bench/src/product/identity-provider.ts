import { makeCertificate } from '../../../src/platform/crypto/certificates.ts'
import { type ProviderPair, signXml, writeResponse } from '../../../test/peers/saml-messages.ts'

/** A key of RSA with 2048 bits, and its certificate. */
export function makeProviderPair(): Promise<ProviderPair> {
  return makeCertificate({ commonName: 'idp', years: 1, from: new Date(Date.now() - 3600_000) })
}

export interface Addresses {
  acsUrl: string
  entityId: string
  idpEntityId: string
}

let responses = 0

/** A response that signs somebody in, as most providers write it: the assertion is signed, by RSA-SHA256. */
export function signedResponse(
  pair: ProviderPair,
  { acsUrl, entityId, idpEntityId }: Addresses,
  { requestId, user }: { requestId: string; user: string },
): string {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
  const n = `${process.pid}-${++responses}`
  const xml = writeResponse({
    responseId: `_r-${n}`,
    assertionId: `_a-${n}`,
    issuer: idpEntityId,
    assertionIssuer: idpEntityId,
    destination: acsUrl,
    inResponseTo: requestId,
    confirmedInResponseTo: requestId,
    status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    nameId: user,
    nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
    recipient: acsUrl,
    confirmedFrom: null,
    confirmedUntil: at(300),
    conditions: { notBefore: at(-5), notOnOrAfter: at(300) },
    audience: entityId,
    issuedAt: at(0),
    signedInAt: at(-1),
    sessionIndex: null,
    sessionNotOnOrAfter: null,
    context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    attributes: { email: [user], firstName: ['Ada'], lastName: ['Lovelace'] },
    more: '',
  })
  return signXml(xml, 'Assertion', pair)
}
