import { expect, test } from 'vitest'
import {
  encryptAssertion,
  encryptName,
  type Said,
  signXml,
  writeResponse,
} from '../../../../test/peers/saml-messages.ts'
import {
  expected,
  idp,
  otherIdp,
  responseOf,
  secondsFromNow,
  signedResponse,
  spEncryption,
  verifyXml,
} from '../../../../test/people/saml-world.ts'
import { readPerson } from '../saml-metadata/saml-metadata.ts'
import { readXml } from '../xml/read.ts'
import { ns } from '../xml/saml-names.ts'
import type { Expected } from './assertion.ts'
import type { RefusalReason } from './refusal.ts'
import { checkStatus, type Trust } from './response.ts'

const plain = writeResponse(responseOf())
const bothSigned = signXml(signXml(plain, 'Assertion', idp), 'Response', idp)

test.each([
  ['the assertion is signed', signedResponse()],
  ['the response is signed', signXml(plain, 'Response', idp)],
  ['both are signed', bothSigned],
  ['a signed assertion is encrypted', encryptAssertion(signedResponse(), spEncryption.certificatePem)],
  [
    'an encrypted assertion is signed by the response',
    signXml(encryptAssertion(plain, spEncryption.certificatePem), 'Response', idp),
  ],
  [
    'by AES-128 and the OAEP of XML Encryption 1.1',
    encryptAssertion(signedResponse(), spEncryption.certificatePem, { cipher: 'aes128-gcm', key: 'rsa-oaep' }),
  ],
  ['the name is encrypted by itself', signXml(encryptName(plain, spEncryption.certificatePem), 'Assertion', idp)],
  ['by SHA-512', signXml(plain, 'Assertion', idp, SHA512())],
  ['with a declaration and white space', `<?xml version="1.0" encoding="UTF-8"?>\r\n${signedResponse()}\n`],
])('a response is accepted where %s', async (_, xml) => {
  const { assertion, refused } = await verifyXml(xml)
  expect(refused).toBeNull()
  expect(assertion).toEqual({
    sessionEndsAt: null,
    id: '_a1',
    issuer: expected.idpEntityId,
    nameId: {
      value: 'ada@acme.com',
      format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      nameQualifier: null,
      spNameQualifier: null,
    },
    attributes: new Map([
      ['email', ['ada@acme.com']],
      ['firstName', ['Ada']],
      ['groups', ['Staff', 'Admins']],
    ]),
    sessionIndex: 's-1',
    authnContext: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    issuedAt: expect.any(Date),
    expiresAt: new Date(secondsFromNow(360)),
  })
})

function SHA512() {
  return {
    signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
  }
}

test('any of the pinned certificates may have signed, and no other', async () => {
  const certificates = [otherIdp.certificatePem, idp.certificatePem]
  expect((await verifyXml(bothSigned, { trust: { certificates } })).refused).toBeNull()
  expect((await verifyXml(bothSigned, { trust: { certificates: certificates.slice(0, 1) } })).refused).toBe('signature')
  // The certificate in the message belongs to no connection.
  expect((await verifyXml(signXml(plain, 'Assertion', otherIdp))).refused).toBe('signature')
})

const refused: [string, Partial<Said>, RefusalReason][] = [
  ['another issuer of the assertion', { assertionIssuer: 'https://evil.example' }, 'issuer'],
  ['no issuer of the assertion', { assertionIssuer: null }, 'issuer'],
  ['an issuer with white space', { assertionIssuer: `${expected.idpEntityId} ` }, 'issuer'],
  ['another issuer of the response', { issuer: 'https://evil.example' }, 'issuer'],
  ['another destination', { destination: 'https://other.example/acs' }, 'destination'],
  ['no destination', { destination: null }, 'destination'],
  ['an answer to another request', { inResponseTo: '_other' }, 'in_response_to'],
  ['a confirmation for another request', { confirmedInResponseTo: '_other' }, 'in_response_to'],
  ['a confirmation for no request', { confirmedInResponseTo: null }, 'in_response_to'],
  ['a failed status', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }, 'status'],
  ['no name', { nameId: null }, 'subject'],
  ['an empty name', { nameId: ' ' }, 'subject'],
  ['no bearer', { method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' }, 'confirmation'],
  ['a confirmation without an end', { confirmedUntil: null }, 'confirmation'],
  ['another recipient', { recipient: 'https://other.example/acs' }, 'recipient'],
  ['no recipient', { recipient: null }, 'recipient'],
  ['a confirmation that has expired', { confirmedUntil: secondsFromNow(-60) }, 'expired'],
  ['a confirmation that begins later', { confirmedFrom: secondsFromNow(61) }, 'not_yet_valid'],
  ['no conditions', { conditions: null }, 'audience'],
  ['another audience', { audience: 'https://other.example' }, 'audience'],
  ['no audience', { audience: null }, 'audience'],
  ['conditions that have expired', { conditions: { notBefore: null, notOnOrAfter: secondsFromNow(-60) } }, 'expired'],
  [
    'conditions that begin later',
    { conditions: { notBefore: secondsFromNow(61), notOnOrAfter: null } },
    'not_yet_valid',
  ],
  ['a time that is none', { confirmedUntil: 'tomorrow' }, 'conditions'],
  ['a session that has ended', { sessionNotOnOrAfter: secondsFromNow(-60) }, 'expired'],
  ['an assertion of the day before yesterday', { issuedAt: secondsFromNow(-86_460) }, 'expired'],
  ['an assertion of the future', { issuedAt: secondsFromNow(61) }, 'not_yet_valid'],
  [
    'a second statement of a session that has ended',
    { more: `<saml:AuthnStatement AuthnInstant="2026-11-22T12:00:00Z" SessionNotOnOrAfter="${secondsFromNow(-60)}"/>` },
    'expired',
  ],
  ['a second subject', { more: '<saml:Subject/>' }, 'subject'],
]

test.each(refused)('a signed response is refused that has %s', async (_, said, reason) => {
  expect((await verifyXml(signedResponse(said))).refused).toBe(reason)
  // This is also refused if the signature covers the whole response.
  expect((await verifyXml(signXml(writeResponse(responseOf(said)), 'Response', idp))).refused).toBe(reason)
})

test.each([
  ['a condition that is not known', '<saml:Condition/>', 'conditions'],
  [
    'another audience besides',
    '<saml:AudienceRestriction><saml:Audience>https://other.example</saml:Audience></saml:AudienceRestriction>',
    'audience',
  ],
])('a signed response is refused that has %s', async (_, more, reason) => {
  const xml = plain.replace('</saml:AudienceRestriction>', `</saml:AudienceRestriction>${more}`)
  expect((await verifyXml(signXml(xml, 'Assertion', idp))).refused).toBe(reason)
})

test('a second confirmation does not help the first', async () => {
  const [confirmation = ''] = /<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/.exec(plain) ?? []
  const xml = plain.replace(confirmation, confirmation.replace('_state', '_other') + confirmation)
  expect((await verifyXml(signXml(xml, 'Assertion', idp))).refused).toBe('confirmation')
})

test('clocks may differ by less than a minute', async () => {
  const late = {
    confirmedUntil: secondsFromNow(-59),
    conditions: { notBefore: null, notOnOrAfter: secondsFromNow(-59) },
  }
  const early = { issuedAt: secondsFromNow(59), conditions: { notBefore: secondsFromNow(59), notOnOrAfter: null } }
  expect((await verifyXml(signedResponse(late))).refused).toBeNull()
  expect((await verifyXml(signedResponse(early))).refused).toBeNull()
})

const strict: [string, string, { expected?: Partial<Expected>; trust?: Partial<Trust> }, RefusalReason][] = [
  ['nothing is signed', plain, {}, 'not_signed'],
  ['it was not asked for', signedResponse(), { expected: { requestId: null } }, 'in_response_to'],
  ['encryption is required', signedResponse(), { trust: { requireEncryption: true } }, 'not_encrypted'],
  [
    'the signature of the response is of somebody else, and that of the assertion right',
    signXml(signedResponse(), 'Response', otherIdp),
    {},
    'signature',
  ],
  [
    'the signature of the assertion is of somebody else, and that of the response right',
    signXml(signXml(plain, 'Assertion', otherIdp), 'Response', idp),
    {},
    'signature',
  ],
  [
    'an encrypted assertion is signed by nobody',
    encryptAssertion(plain, spEncryption.certificatePem),
    {},
    'not_signed',
  ],
  [
    'its name was encrypted for somebody else',
    signXml(encryptName(plain, otherIdp.certificatePem), 'Assertion', idp),
    {},
    'decryption',
  ],
  [
    'a name stands beside the encrypted one',
    signXml(
      encryptName(plain, spEncryption.certificatePem).replace('<saml:EncryptedID>', '<saml:NameID>x</saml:NameID>$&'),
      'Assertion',
      idp,
    ),
    {},
    'subject',
  ],
  [
    'the name was encrypted after the signature',
    encryptName(signedResponse(), spEncryption.certificatePem),
    {},
    'signature',
  ],
  ['it was encrypted for somebody else', encryptAssertion(signedResponse(), otherIdp.certificatePem), {}, 'decryption'],
]

test.each(strict)('a response is refused where %s', async (_, xml, more, reason) => {
  expect((await verifyXml(xml, more)).refused).toBe(reason)
})

test('an unsolicited response says of no request', async () => {
  const unsolicited = signedResponse({ inResponseTo: null, confirmedInResponseTo: null })
  expect((await verifyXml(unsolicited, { expected: { requestId: null } })).refused).toBeNull()
  expect((await verifyXml(unsolicited)).refused).toBe('in_response_to')
})

test('what is signed by SHA-1 is accepted only where the connection allows it', async () => {
  for (const signing of [
    { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' },
    { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' },
  ]) {
    const xml = signXml(plain, 'Assertion', idp, signing)
    expect((await verifyXml(xml)).refused).toBe('algorithm')
    expect((await verifyXml(xml, { trust: { allowSha1: true } })).refused).toBeNull()
  }
})

test.each([
  ['RSA 1.5', { key: 'rsa-1_5' as const }],
  ['CBC', { cipher: 'aes256-cbc' as const }],
])('what is encrypted by %s is refused', async (_, encryption) => {
  const xml = encryptAssertion(signedResponse(), spEncryption.certificatePem, encryption)
  expect((await verifyXml(xml)).refused).toBe('algorithm')
})

test('an encrypted assertion of which a byte was changed is refused', async () => {
  const xml = encryptAssertion(plain, spEncryption.certificatePem)
  const values = [...xml.matchAll(/<xenc:CipherValue>([^<]*)</g)].map(([, value = '']) => value)
  for (const value of values) {
    const bytes = Buffer.from(value, 'base64')
    bytes[20] = (bytes[20] ?? 0) ^ 1
    const changed = xml.replace(value, bytes.toString('base64'))
    expect((await verifyXml(changed)).refused).toBe('decryption')
  }
})

test.each([
  ['a space that does not break', '\u00a0'],
  ['a mark of the order of bytes', '\ufeff'],
  ['a wide space', '\u3000'],
])('%s is a part of the name, and so of another person', async (_, space) => {
  const nameId = `ada@acme.com${space}`
  expect((await verifyXml(signedResponse({ nameId }))).nameId).toBe(nameId)
  const { assertion } = await verifyXml(signedResponse({ attributes: { uid: [`\n 7${space}\n\t`] } }))
  if (!assertion) throw new Error('No assertion')
  expect(readPerson(assertion, { subject: 'uid' }).subject).toBe(`7${space}`)
})

test('white space of XML is no part of an address, and one with a line break no part of an identifier', async () => {
  const named = async (nameId: string, format: string) => {
    const nameIdFormat = `urn:oasis:names:tc:SAML:${format}`
    const { assertion } = await verifyXml(signedResponse({ nameId, nameIdFormat }))
    return [assertion?.nameId.value, assertion && readPerson(assertion, {}).subject]
  }
  for (const format of [
    '2.0:nameid-format:persistent',
    '1.1:nameid-format:unspecified',
    '1.1:nameid-format:emailAddress',
  ]) {
    const isAddress = format.endsWith('emailAddress')
    for (const name of ['ada', 'ada@acme.com', 'a  b']) {
      for (const text of [name, `\n\t ${name} \r\n`, `\n${name}`, `${name}\r\n  `])
        expect(await named(text, format)).toEqual([name, name])
      for (const text of [` ${name}`, `${name} `, `\t${name}`, ` ${name}\t`]) {
        const expected = isAddress ? name : text
        expect(await named(text, format), JSON.stringify([text, format])).toEqual([expected, expected])
      }
      expect(await named(` ${name}\n `, format)).toEqual(isAddress ? [name, name] : [` ${name}`, ` ${name}`])
    }
  }
  for (const blank of [' ', '\n', ' \n\t'])
    expect((await verifyXml(signedResponse({ nameId: blank }))).refused).toBe('subject')
  const said = { email: ' ada@acme.com\n', firstName: '\tAda ', upn: ' ada ', groups: 'Admins ', locale: ' de ' }
  const attributes = Object.fromEntries(Object.entries(said).map(([name, text]) => [name, [text, ' \n']]))
  const { assertion } = await verifyXml(signedResponse({ attributes }))
  if (!assertion) throw new Error('No assertion')
  expect(readPerson(assertion, {})).toMatchObject({
    email: 'ada@acme.com',
    firstName: 'Ada',
    principalNames: ['ada@acme.com', ' ada '],
    groups: ['Admins '],
    locale: 'de',
  })
  const printed = await verifyXml(signedResponse({ attributes: { groups: ['\n  Admins\n', '\n\t Two \n', ' \n'] } }))
  expect(printed.assertion && readPerson(printed.assertion, {}).groups).toEqual(['Admins', 'Two'])
})

test('what a refusal says is one line in a trace, bounded, and marked as possibly unsigned', () => {
  const text = `a\u2028b\u202e\u0085c${'d'.repeat(1000)}`
  const status = `<p:Status><p:StatusCode Value="urn:x"/><p:StatusMessage>${text}</p:StatusMessage></p:Status>`
  const message = readXml(`<p:Response xmlns:p="${ns.protocol}">${status}</p:Response>`)
  expect(() => checkStatus(message)).toThrow(/may be unsigned, answered: urn:x, a b cd{488}$/)
})

test('a provider that has chosen not to respond is told from one that failed', () => {
  const refusalOf = (second: string) => {
    const code = (value: string, inner = '') =>
      `<p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${value}">${inner}</p:StatusCode>`
    const status = `<p:Status>${code('Responder', code(second))}</p:Status>`
    try {
      checkStatus(readXml(`<p:Response xmlns:p="${ns.protocol}">${status}</p:Response>`))
    } catch (error) {
      return error
    }
  }
  expect(refusalOf('RequestDenied')).toMatchObject({ reason: 'denied' })
  expect(refusalOf('AuthnFailed')).toMatchObject({ reason: 'status' })
})
