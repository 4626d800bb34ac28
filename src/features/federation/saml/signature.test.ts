import { createSign } from 'node:crypto'
import { expect, test } from 'vitest'
import { signXml, writeResponse } from '../../../../test/peers/saml-messages.ts'
import { idp, otherIdp, responseOf, verifyXml } from '../../../../test/people/saml-world.ts'
import { elementsOf, readXml, type XmlElement } from '../xml/read.ts'
import { verifySigned } from './signature.ts'

const SHA1 = 'http://www.w3.org/2000/09/xmldsig#sha1'
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'
const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const plain = writeResponse(responseOf())
const signed = signXml(plain, 'Assertion', idp)

const named = (root: XmlElement, name: string) => elementsOf(root).filter((one) => one.name === name)

function assertionIn(xml: string): XmlElement {
  const [assertion] = named(readXml(xml), 'Assertion')
  if (!assertion) throw new Error('There is no assertion')
  return assertion
}

/**
 * Verifies the assertion in `text`, after the structure of `checked` was checked. With different texts, this acts as
 * if the two parsers read one text differently.
 */
async function verify(text: string, checked = signed): Promise<{ nameId: string[] } | { refused: string }> {
  try {
    const { root } = await verifySigned(text, 'assertion', assertionIn(checked), [idp.certificatePem])
    return { nameId: named(root, 'NameID').map((one) => one.text) }
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) }
  }
}

const REFUSED = { refused: 'The signature does not fit any certificate of the connection.' }

test('the signed assertion is what is read', async () => {
  expect(await verify(signed)).toEqual({ nameId: ['ada@acme.com'] })
})

test.each([
  ['of the digest', { digest: SHA1 }, SHA1, SHA256],
  ['of the signature', { signature: RSA_SHA1, digest: SHA1 }, RSA_SHA1, RSA_SHA256],
])('an algorithm %s that was not checked is not used', async (_, signing, used, checked) => {
  const text = signXml(plain, 'Assertion', idp, signing)
  expect(text).toContain(used)
  expect(await verify(text, text)).toEqual({ nameId: ['ada@acme.com'] })
  expect(await verify(text, text.replace(`"${used}"`, `"${checked}"`))).toEqual(REFUSED)
})

test('a SignedInfo that was not checked is not believed, though the provider signed it', async () => {
  const other = signXml(plain, 'Assertion', idp).replace('URI="#_a1"', 'URI="#_r1"')
  expect(await verify(signed, other)).toEqual(REFUSED)
})

const signature = /<ds:Signature .*<\/ds:Signature>/.exec(signed)?.[0] ?? ''
const signedInfo = /<ds:SignedInfo.*<\/ds:SignedInfo>/.exec(signed)?.[0] ?? ''
test.each([
  ['two signatures', signed.replace(signature, signature + signature)],
  ['two SignedInfo', signed.replace(signedInfo, signedInfo + signedInfo)],
  ['two assertions', signed.replace('</samlp:Response>', '<saml:Assertion ID="_a1"/></samlp:Response>')],
  ['no signature', plain],
  ['an entity', `<!DOCTYPE x [<!ENTITY e "eve">]>${signed.replace('>ada@', '>&e;@')}`],
  ['a tag without an end', signed.replace('</samlp:Response>', '')],
])('a text with %s is refused, whatever was checked before', async (_, text) => {
  expect(await verify(text)).toEqual(REFUSED)
})

test('a comment cuts no name: the canonical octets are read', async () => {
  const whole = signXml(writeResponse(responseOf({ nameId: 'ada@acme.com.evil.example' })), 'Assertion', idp)
  const text = whole.replace('ada@acme.com.evil', 'ada@acme.com<!-- -->.evil')
  expect(await verify(text, whole)).toEqual({ nameId: ['ada@acme.com.evil.example'] })
})

test('a comment hides no digest', async () => {
  const digest = /(?<=<ds:DigestValue>)[^<]+/.exec(signed)?.[0] ?? ''
  const text = signed.replace(digest, `<!--${digest}-->${digest}`)
  expect(await verify(text.replace('>ada@', '>eve@'))).toEqual(REFUSED)
})

test('the keys in a message are ignored', async () => {
  const forged = signXml(plain, 'Assertion', otherIdp)
  const certificateIn = (xml: string) => /<ds:KeyInfo>.*<\/ds:KeyInfo>/.exec(xml)?.[0] ?? ''
  expect(certificateIn(forged)).toContain('X509Certificate')
  expect((await verifyXml(forged)).refused).toBe('signature')
  expect((await verifyXml(forged.replace(certificateIn(forged), certificateIn(signed)))).refused).toBe('signature')
  for (const keyInfo of ['', certificateIn(forged)])
    expect((await verifyXml(signed.replace(certificateIn(signed), keyInfo))).refused).toBeNull()
})

const NAMESPACES = {
  ds: 'http://www.w3.org/2000/09/xmldsig#',
  samlp: 'urn:oasis:names:tc:SAML:2.0:protocol',
  xs: 'http://www.w3.org/2001/XMLSchema',
}

/**
 * Signs with a PrefixList. The peer's library also adds one to the enveloped signature transform, which must have
 * none. So this removes it, and canonicalizes and signs the SignedInfo again by hand.
 */
function signWithPrefixes(what: 'Response' | 'Assertion'): string {
  const declared = plain.replace('<samlp:Response', `<samlp:Response xmlns:xs="${NAMESPACES.xs}"`)
  const xml = signXml(declared, what, idp, { prefixes: ['xs', 'samlp', 'unknown'] })
  const cleaned = xml.replace(/(<ds:Transform Algorithm="[^"]*enveloped-signature")>.*?<\/ds:Transform>/, '$1/>')
  const declarations = Object.entries(NAMESPACES).map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`)
  const canonical = (/<ds:SignedInfo.*<\/ds:SignedInfo>/.exec(cleaned)?.[0] ?? '')
    .replace('<ds:SignedInfo', `<ds:SignedInfo${declarations.join('')}`)
    .replace(/<([\w:]+)([^>]*)\/>/g, '<$1$2></$1>')
    .replace(/( PrefixList="[^"]*")( xmlns="[^"]*")/g, '$2$1')
  const value = createSign('RSA-SHA256').update(canonical).sign(idp.privateKeyPem, 'base64')
  return cleaned.replace(/(?<=<ds:SignatureValue>)[^<]*/, value)
}

test.each(['Response', 'Assertion'] as const)(
  'signed as %s, the canonical forms have the prefixes of a list',
  async (what) => {
    const xml = signWithPrefixes(what)
    expect(xml.match(/PrefixList="xs samlp unknown"/g)).toHaveLength(2)
    expect(await verifyXml(xml)).toMatchObject({ refused: null, nameId: 'ada@acme.com' })
    // The declaration is part of the signed text, although nothing uses it.
    expect((await verifyXml(xml.replace('XMLSchema"', 'XMLSchema2"'))).refused).toBe('signature')
  },
)
