import { expect, test } from 'vitest'
import { elliptic, many, weak } from '../../../../test/peers/weak-certificates.ts'
import { idp, otherIdp } from '../../../../test/people/saml-world.ts'
import { readIdpMetadata } from './idp-metadata.ts'
import { IdpMetadataError } from './metadata.ts'

const bare = (pem: string) => pem.replace(/-----[A-Z ]+-----/g, '')
const key = (pem: string, use = ' use="signing"') =>
  `<md:KeyDescriptor${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${bare(pem)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
const service = (name: string, binding: string, url: string) =>
  `<md:${name} Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${url}"/>`
const entity = (content: string, more = '') =>
  `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="urn:idp"${more}>${content}</md:EntityDescriptor>`
const provider = (content: string) =>
  `<md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${content}</md:IDPSSODescriptor>`
const services =
  service('SingleLogoutService', 'HTTP-Redirect', 'https://idp.example/slo').replace(
    '/>',
    ' ResponseLocation="https://idp.example/slo/done"/>',
  ) +
  service('SingleSignOnService', 'SOAP', 'https://idp.example/soap') +
  service('SingleSignOnService', 'HTTP-POST', 'https://idp.example/post?a=1&amp;b=2') +
  service('SingleSignOnService', 'HTTP-Redirect', 'https://idp.example/sso')

test('metadata gives the entity ID, the addresses by binding, every key for signatures, and how long it holds', () => {
  const keys = key(idp.certificatePem) + key(otherIdp.certificatePem, '') + key(idp.certificatePem, ' use="encryption"')
  const xml = entity(
    `<!-- a <comment> -->${provider(keys + services)}<md:SPSSODescriptor/>`,
    ' validUntil="2027-01-01T00:00:00Z"',
  )
  expect(readIdpMetadata(`\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n${xml}`)).toEqual({
    entityId: 'urn:idp',
    ssoUrls: { redirect: 'https://idp.example/sso', post: 'https://idp.example/post?a=1&b=2' },
    sloUrls: { redirect: 'https://idp.example/slo', post: null },
    sloResponseUrls: { redirect: 'https://idp.example/slo/done', post: null },
    certificates: [idp.certificatePem, otherIdp.certificatePem].map((pem) => `${pem.trim()}\n`),
    wantsSignedRequests: true,
    validUntil: new Date('2027-01-01T00:00:00Z'),
  })
})

test('the one provider among several entities is found', () => {
  const sp = entity('<md:SPSSODescriptor/>').replace('urn:idp', 'urn:sp')
  const one = entity(provider(key(idp.certificatePem) + services))
  const around = (content: string) =>
    `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${content}</md:EntitiesDescriptor>`
  expect(readIdpMetadata(around(sp + one)).entityId).toBe('urn:idp')
  expect(() => readIdpMetadata(around(one + one.replace('urn:idp', 'urn:other')))).toThrow('several')
})

test('keys whose signatures are not taken are left out', () => {
  const keys = [weak, elliptic, idp.certificatePem].map((pem) => key(pem)).join('')
  expect(readIdpMetadata(entity(provider(keys + services))).certificates).toEqual([`${idp.certificatePem.trim()}\n`])
})

const good = provider(key(idp.certificatePem) + services)
test.each([
  ['no XML', 'hello'],
  ['a page', '<!DOCTYPE html><html></html>'],
  ['a document type', `<!DOCTYPE x [<!ENTITY e "x">]>${entity(good)}`],
  ['an entity', entity(good.replace('https://idp.example/sso', '&e;'))],
  ['no provider', entity('<md:SPSSODescriptor/>')],
  ['no key', entity(provider(services))],
  ['only a key for encryption', entity(provider(key(idp.certificatePem, ' use="encryption"') + services))],
  ['no certificate', entity(provider(key('AAAA') + services))],
  ['more certificates than a connection has', entity(provider(many.map((pem) => key(pem)).join('') + services))],
  ['a weak key alone', entity(provider(key(weak) + services))],
  ['a key of another kind alone', entity(provider(key(elliptic) + services))],
  ['no entity ID', entity(good).replace(' entityID="urn:idp"', '')],
  ['SAML 1.1 alone', entity(good.replace('SAML:2.0:protocol"', 'SAML:1.1:protocol"'))],
  ['too much', `<a>${'x'.repeat(1024 * 1024)}</a>`],
])('metadata with %s is refused', (_, xml) => {
  expect(() => readIdpMetadata(xml)).toThrow(IdpMetadataError)
})
