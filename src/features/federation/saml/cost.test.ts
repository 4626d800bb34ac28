import { expect, test } from 'vitest'
import { idp, otherIdp, signedResponse, verifyXml } from '../../../../test/people/saml-world.ts'

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const certificates = [...Array.from({ length: 9 }, () => otherIdp), idp].map(({ certificatePem }) => certificatePem)
const elements = `<x:a xmlns:x="urn:x">${'<x:b x:q="" x:r="" x:s="" x:t=""/>'.repeat(1900)}</x:a>`
const full = signedResponse().replace('</saml:Assertion>', `${elements}</saml:Assertion>`)
// Anyone can write such a document with something like a signature, but not a signature of the provider.
const forged = full.replace(/(?<=<ds:DigestValue>)[^<]{8}/, 'AAAAAAAA')

test('an assertion that nobody signed is refused before it is canonicalized, however many certificates there are', async () => {
  // The first messages load and compile modules, which is not part of the measured work.
  for (let count = 0; count < 3; count++) await verifyXml(forged, { trust: { certificates } })
  const before = process.cpuUsage()
  expect((await verifyXml(forged, { trust: { certificates } })).refused).toBe('signature')
  const { user, system } = process.cpuUsage(before)
  // The expected time is 50 ms. Canonicalizing for each certificate would take 1500 ms.
  expect(user + system).toBeLessThan(400_000)
})

test('one of several certificates is known by the signature, and the content is digested for it alone', async () => {
  expect((await verifyXml(signedResponse(), { trust: { certificates } })).refused).toBeNull()
  expect((await verifyXml(full, { trust: { certificates } })).refused).toBe('signature')
})

const inclusive = (content: string) =>
  `<e:InclusiveNamespaces xmlns:e="${EXCLUSIVE}" ${content}</e:InclusiveNamespaces>`
const listed = (of: 'CanonicalizationMethod' | 'Transform', content: string) =>
  signedResponse().replace(
    `<ds:${of} Algorithm="${EXCLUSIVE}"/>`,
    `<ds:${of} Algorithm="${EXCLUSIVE}">${content}</ds:${of}>`,
  )

test.each([
  ['a long list of prefixes', inclusive(`PrefixList="${'a '.repeat(300)}">`)],
  ['two lists of prefixes', inclusive('PrefixList="a">').repeat(2)],
  ['elements in its list of prefixes', inclusive('PrefixList="a"><x/>')],
])('a canonicalization that has %s is refused', async (_, content) => {
  for (const part of ['CanonicalizationMethod', 'Transform'] as const) {
    const xml = listed(part, content)
    expect(xml).toContain('InclusiveNamespaces')
    expect((await verifyXml(xml)).refused).toBe('structure')
  }
})

test('what a signature says by attributes of other namespaces is refused', async () => {
  const xml = signedResponse().replace(
    '<ds:SignatureMethod ',
    '<ds:SignatureMethod xmlns:x="urn:x" x:Algorithm="urn:x" ',
  )
  expect((await verifyXml(xml)).refused).toBe('structure')
})
