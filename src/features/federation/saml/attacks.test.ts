import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { encryptAssertion, signXml, writeResponse } from '../../../../test/peers/saml-messages.ts'
import {
  idp,
  responseOf,
  signedResponse,
  spEncryption,
  verifyPosted,
  verifyXml,
} from '../../../../test/people/saml-world.ts'
import type { RefusalReason } from './refusal.ts'

// Required without types, since they would declare browser globals for the whole program.
const require = createRequire(import.meta.url)
const { DOMParser, XMLSerializer }: Dom = require('@xmldom/xmldom')

interface Dom {
  DOMParser: new () => { parseFromString(text: string, type: string): Document }
  XMLSerializer: new () => { serializeToString(document: Document): string }
}

interface Document extends Pick<Element, 'getElementsByTagNameNS'> {
  documentElement: Element
  createElementNS(namespace: string, name: string): Element
}

interface Element {
  localName: string
  textContent: string
  childNodes: ArrayLike<Element>
  cloneNode(deep: boolean): Element
  getElementsByTagNameNS(namespace: string, name: string): ArrayLike<Element>
  setAttribute(name: string, value: string): void
  appendChild(child: Element): void
  insertBefore(child: Element, before: Element): void
  replaceChild(child: Element, before: Element): void
  removeChild(child: Element): void
}

const EVE = 'eve@acme.com'
const DSIG = 'http://www.w3.org/2000/09/xmldsig#'
const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion'
const plain = writeResponse(responseOf())
const assertionSigned = signedResponse()
const responseSigned = signXml(plain, 'Response', idp)

/** Parses a document, changes it and serializes it. */
function forge(xml: string, change: (parts: Parts, document: Document) => void): string {
  const document = new DOMParser().parseFromString(xml, 'text/xml')
  const response = document.documentElement
  const assertion = document.getElementsByTagNameNS(SAML, 'Assertion')[0]
  const signature = document.getElementsByTagNameNS(DSIG, 'Signature')[0]
  if (!assertion || !signature) throw new Error('The document lacks a part')
  change({ response, assertion, signature }, document)
  return new XMLSerializer().serializeToString(document)
}

interface Parts {
  response: Element
  assertion: Element
  signature: Element
}

/** A copy without a signature. */
function unsignedCopy(element: Element): Element {
  const copy = element.cloneNode(true)
  for (const child of Array.from(copy.childNodes)) if (child.localName === 'Signature') copy.removeChild(child)
  return copy
}

/** Changes an element so that it says Eve signed in, and has another ID. */
function corrupt(element: Element): Element {
  element.setAttribute('ID', '_evil')
  for (const name of Array.from(element.getElementsByTagNameNS(SAML, 'NameID'))) name.textContent = EVE
  return element
}

// The attacks of the paper "On Breaking SAML" (USENIX Security 2012), with their usual numbers.
const wrappings: [string, string][] = [
  [
    'XSW1: the signed response, within the signature of the forged one',
    forge(responseSigned, ({ response, signature }) => {
      signature.appendChild(unsignedCopy(response))
      corruptAround(response, signature)
    }),
  ],
  [
    'XSW2: the signed response, before the signature',
    forge(responseSigned, ({ response, signature }) => {
      response.insertBefore(unsignedCopy(response), signature)
      response.setAttribute('ID', '_evil')
      const [, last] = Array.from(response.getElementsByTagNameNS(SAML, 'NameID'))
      if (last) last.textContent = EVE
    }),
  ],
  [
    'XSW3: a forged assertion before the signed one',
    forge(assertionSigned, ({ response, assertion }) => {
      response.insertBefore(corrupt(unsignedCopy(assertion)), assertion)
    }),
  ],
  [
    'XSW4: a forged assertion around the signed one',
    forge(assertionSigned, ({ response, assertion }) => {
      const evil = corrupt(unsignedCopy(assertion))
      response.replaceChild(evil, assertion)
      evil.appendChild(assertion)
    }),
  ],
  [
    'XSW5: a forged assertion with the signature, and a copy of the signed one behind it',
    forge(assertionSigned, ({ response, assertion }) => {
      response.appendChild(unsignedCopy(assertion))
      corrupt(assertion)
    }),
  ],
  [
    'XSW6: the signed assertion within the signature of the forged one',
    forge(assertionSigned, ({ assertion, signature }) => {
      const copy = unsignedCopy(assertion)
      corrupt(assertion)
      signature.appendChild(copy)
    }),
  ],
  [
    'XSW7: a forged assertion in extensions',
    forge(assertionSigned, ({ response, assertion }, document) => {
      const extensions = document.createElementNS('urn:oasis:names:tc:SAML:2.0:protocol', 'samlp:Extensions')
      extensions.appendChild(corrupt(unsignedCopy(assertion)))
      response.insertBefore(extensions, assertion)
    }),
  ],
  [
    'XSW8: the signed assertion in an object of the signature',
    forge(assertionSigned, ({ assertion, signature }, document) => {
      const copy = unsignedCopy(assertion)
      corrupt(assertion)
      const object = document.createElementNS(DSIG, 'ds:Object')
      object.appendChild(copy)
      signature.appendChild(object)
    }),
  ],
]

function corruptAround(response: Element, signature: Element): void {
  response.setAttribute('ID', '_evil')
  for (const name of Array.from(response.getElementsByTagNameNS(SAML, 'NameID')))
    if (!isWithin(name, signature)) name.textContent = EVE
}

function isWithin(element: Element, around: Element): boolean {
  return Array.from(around.getElementsByTagNameNS(SAML, 'NameID')).includes(element)
}

test.each(wrappings)('%s, is refused', async (_, xml) => {
  expect(xml).toContain(EVE)
  expect((await verifyXml(xml)).refused).toBe('structure')
})

const evil = assertionSigned.replace(/<saml:Assertion.*<\/saml:Assertion>/, (assertion) =>
  assertion
    .replace(/<ds:Signature.*<\/ds:Signature>/, '')
    .replace('"_a1"', '"_evil"')
    .replaceAll('ada@', 'eve@'),
)
const evilAssertion = /<saml:Assertion.*<\/saml:Assertion>/.exec(evil)?.[0] ?? ''
const signature = /<ds:Signature.*<\/ds:Signature>/.exec(assertionSigned)?.[0] ?? ''
const signedInfo = /<ds:SignedInfo.*<\/ds:SignedInfo>/.exec(assertionSigned)?.[0] ?? ''
const change = (from: string | RegExp, to: string) => assertionSigned.replace(from, () => to)

const forged: [string, string, RefusalReason][] = [
  ['a second assertion behind', change('</samlp:Response>', `${evilAssertion}</samlp:Response>`), 'structure'],
  [
    'an assertion in an unknown namespace besides',
    change('</samlp:Status>', '</samlp:Status><x:Assertion xmlns:x="urn:x"/>'),
    'structure',
  ],
  [
    'an assertion in the advice of the assertion',
    change('<saml:AuthnStatement', `<saml:Advice>${evilAssertion}</saml:Advice><saml:AuthnStatement`),
    'structure',
  ],
  [
    'an encrypted assertion besides',
    change('</samlp:Response>', '<saml:EncryptedAssertion/></samlp:Response>'),
    'structure',
  ],
  ['two SignedInfo', change(signedInfo, signedInfo + signedInfo), 'structure'],
  ['two signatures of an assertion', change(signature, signature + signature), 'structure'],
  [
    'two references',
    change(/(<ds:Reference.*<\/ds:Reference>)/, '').replace(
      '</ds:SignedInfo>',
      `${/<ds:Reference.*<\/ds:Reference>/.exec(signedInfo)?.[0].repeat(2)}</ds:SignedInfo>`,
    ),
    'structure',
  ],
  ['a reference to the whole document', change('URI="#_a1"', 'URI=""'), 'structure'],
  ['a reference to another element', change('URI="#_a1"', 'URI="#_r1"'), 'structure'],
  ['a reference by XPointer', change('URI="#_a1"', 'URI="#xpointer(/)"'), 'structure'],
  [
    'the signature elsewhere',
    change(signature, '').replace('<samlp:Status>', `${signature}<samlp:Status>`),
    'structure',
  ],
  ['an object in the signature', change('</ds:Signature>', '<ds:Object/></ds:Signature>'), 'structure'],
  [
    'a transform by a style sheet',
    change(
      '<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>',
      '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"/>',
    ),
    'algorithm',
  ],
  [
    'a third transform',
    change('</ds:Transforms>', '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms>'),
    'structure',
  ],
  [
    'canonical XML with comments',
    change(/(?<=CanonicalizationMethod Algorithm=")[^"]*/, 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments'),
    'algorithm',
  ],
  ['a canonicalization that gives nothing', change('<saml:Subject>', '<saml:Subject xmlns:void="1">'), 'malformed'],
  ['the same ID twice', change('<saml:Subject>', '<saml:Subject ID="_a1">'), 'duplicate_id'],
  ['the same ID in other letters', change('<saml:Subject>', '<saml:Subject Id="_a1">'), 'duplicate_id'],
  ['the same ID in a namespace', change('<saml:Subject>', '<saml:Subject xmlns:x="urn:x" x:ID="_a1">'), 'duplicate_id'],
  [
    'a part of a signature in the subject',
    change(
      '<saml:Subject>',
      `<saml:Subject>${signedInfo.replace('<ds:SignedInfo', `<ds:SignedInfo xmlns:ds="${DSIG}"`)}`,
    ),
    'structure',
  ],
  ['an unknown part in what is signed', change('</ds:SignedInfo>', '<ds:X/></ds:SignedInfo>'), 'structure'],
  [
    'a comment in the name',
    change('>ada@acme.com</saml:NameID>', '>ada@acme.com<!---->.evil.com</saml:NameID>'),
    'malformed',
  ],
  ['a comment in the digest', change('</ds:DigestValue>', '<!--x--></ds:DigestValue>'), 'malformed'],
  ['an element in the digest', change('</ds:DigestValue>', '<x/></ds:DigestValue>'), 'structure'],
  [
    'a section in the name',
    change('>ada@acme.com</saml:NameID>', '><![CDATA[eve@acme.com]]></saml:NameID>'),
    'malformed',
  ],
  ['a processing instruction', change('<saml:Subject>', '<saml:Subject><?x y?>'), 'malformed'],
  [
    'a document type',
    `<!DOCTYPE x [<!ENTITY e "${EVE}">]>${change('>ada@acme.com</saml:NameID>', '>&e;</saml:NameID>')}`,
    'malformed',
  ],
  ['an entity', change('>ada@acme.com</saml:NameID>', '>&e;</saml:NameID>'), 'malformed'],
  ['an attribute twice', change('<saml:Assertion ', '<saml:Assertion ID="_evil" '), 'malformed'],
  [
    'an attribute twice by two prefixes',
    change('<saml:Subject>', '<saml:Subject xmlns:a="urn:x" xmlns:b="urn:x" a:y="1" b:y="2">'),
    'malformed',
  ],
  ['a prefix of SAML for something else', change('<saml:Subject>', '<saml:Subject xmlns:saml="urn:x">'), 'signature'],
  ['the prefix of XML for something else', change('<saml:Subject>', '<saml:Subject xmlns:xml="urn:x">'), 'malformed'],
  ['a second document', `${assertionSigned}${assertionSigned}`, 'malformed'],
  ['no document', '', 'malformed'],
  ['text around', `x${assertionSigned}`, 'malformed'],
  ['another element around', `<x>${assertionSigned}</x>`, 'structure'],
  ['the name of somebody else', change('>ada@acme.com</saml:NameID>', `>${EVE}</saml:NameID>`), 'signature'],
  ['no signature value', change(/(?<=<ds:SignatureValue>)[^<]*/, ''), 'structure'],
  [
    'the signature of another assertion',
    change(signature, /<ds:Signature.*<\/ds:Signature>/.exec(signedResponse({ nameId: EVE }))?.[0] ?? ''),
    'signature',
  ],
  [
    'an assertion within an encrypted one',
    encryptAssertion(
      writeResponse(responseOf({ more: '<saml:Advice><saml:EncryptedAssertion/></saml:Advice>' })),
      spEncryption.certificatePem,
    ),
    'structure',
  ],
  [
    'something else under the encryption',
    encryptAssertion(
      plain.replace('<saml:Assertion', '<saml:Assertion></saml:Assertion><saml:Assertion'),
      spEncryption.certificatePem,
    ),
    'structure',
  ],
]

test.each(forged)('a response is refused that has %s', async (_, xml, reason) => {
  expect((await verifyXml(xml)).refused).toBe(reason)
})

test('a signature by the public key as a secret is refused', async () => {
  const algorithm = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'
  const info = signedInfo.replace('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', algorithm)
  const value = createHmac('sha1', idp.certificatePem).update(info).digest('base64')
  const xml = change(signedInfo, info).replace(/(?<=<ds:SignatureValue>)[^<]*/, value)
  expect((await verifyXml(xml)).refused).toBe('algorithm')
})

test.each([
  ['of another organization', { expected: { spEntityId: 'https://auth.example.com/other' } }, 'audience'],
  ['of another address', { expected: { acsUrls: ['https://auth.example.com/other'] } }, 'destination'],
  ['of another provider', { expected: { idpEntityId: 'https://other.example' } }, 'issuer'],
  ['of another sign-in', { expected: { requestId: '_another' } }, 'in_response_to'],
])('a response %s is refused', async (_, more, reason) => {
  expect((await verifyXml(assertionSigned, more)).refused).toBe(reason)
  expect((await verifyXml(responseSigned, more)).refused).toBe(reason)
})

test('a message other than a response is refused, though the provider signed it', async () => {
  const request = plain.replaceAll('samlp:Response', 'samlp:LogoutRequest')
  expect((await verifyXml(request)).refused).toBe('structure')
})

test.each([
  ['nothing', ''],
  ['no Base64', '<samlp:Response/>'],
  ['Base64 of other bytes than text', Buffer.from([0xff, 0xfe, 0x3c]).toString('base64')],
  ['a character that XML does not have', Buffer.from('<a>\u0001</a>').toString('base64')],
  ['a reference to such a character', Buffer.from('<a>&#0;</a>').toString('base64')],
  ['too much', 'A'.repeat(256 * 1024 + 4)],
])('a form with %s is refused', async (_, posted) => {
  expect((await verifyPosted(posted)).refused).toMatch(/^(malformed|too_large)$/)
})

const REPEAT = 190_000
test.each([
  ['depth', '<a>'.repeat(REPEAT / 3)],
  ['width', `<a>${'<b/>'.repeat(REPEAT / 4)}</a>`],
  ['attributes', `<a ${Array.from({ length: 15_000 }, (_, index) => `a${index}="1"`).join(' ')}/>`],
  ['declarations', `<a ${Array.from({ length: 9_000 }, (_, index) => `xmlns:a${index}="a:b"`).join(' ')}/>`],
  ['entities', `<a>${'&amp;'.repeat(REPEAT / 5)}</a>`],
  ['unknown entities', `<a>${'&e;'.repeat(REPEAT / 3)}</a>`],
  ['a name', `<${'a'.repeat(REPEAT)}`],
  ['white space in a tag', `<a${' '.repeat(REPEAT)}`],
  ['open quotes', `<a b="${'x'.repeat(REPEAT)}`],
  ['less-than signs', '<'.repeat(REPEAT)],
  ['ampersands', `<a>${'&'.repeat(REPEAT)}</a>`],
])('much of %s is refused without much work', async (_, xml) => {
  const before = process.cpuUsage()
  expect((await verifyXml(xml)).refused).toMatch(/^(malformed|structure)$/)
  const { user, system } = process.cpuUsage(before)
  // Measures processor time, not elapsed time. Half a second is far above the expected time, and far below the time
  // that a quadratic algorithm would take.
  expect(user + system).toBeLessThan(500_000)
})
