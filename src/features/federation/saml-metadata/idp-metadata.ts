import { X509Certificate } from 'node:crypto'
import { hasStrongKey } from '../../../platform/crypto/certificates.ts'
import { attributeOf, childrenOf, elementsOf, readXml, type XmlElement, XmlError } from '../xml/read.ts'
import { bindings, ns } from '../xml/saml-names.ts'
import { type IdpMetadata, IdpMetadataError } from './metadata.ts'

// The metadata of AD FS lists every claim that it knows, three times over.
const BOUNDS = { maxElements: 20_000, maxAttributes: 100_000, allowComments: true }
// A connection can have 10 certificates.
const MAX_CERTIFICATES = 10
const MAX_CHARACTERS = 1024 * 1024

/** Reads the metadata of an identity provider (SAML metadata §2.4.3). Throws IdpMetadataError. */
export function readIdpMetadata(xml: string): IdpMetadata {
  if (xml.length > MAX_CHARACTERS) throw new IdpMetadataError('The metadata is larger than 1 MB.')
  const entity = findProvider(read(xml.replace(/^\uFEFF/, '').trimStart()))
  const [descriptor, ...more] = descriptorsOf(entity)
  const entityId = attributeOf(entity, 'entityID') ?? ''
  if (!descriptor || more.length > 0) throw new IdpMetadataError('The metadata has not one IDPSSODescriptor.')
  if (entityId === '' || entityId.length > 1024) throw new IdpMetadataError('The metadata has no entityID.')
  const certificates = readCertificates(descriptor)
  if (certificates.length === 0) throw new IdpMetadataError('The metadata has no certificate for signatures.')
  const wants = attributeOf(descriptor, 'WantAuthnRequestsSigned')
  return {
    entityId,
    ssoUrls: readAddresses(descriptor, 'SingleSignOnService'),
    sloUrls: readAddresses(descriptor, 'SingleLogoutService'),
    sloResponseUrls: readAddresses(descriptor, 'SingleLogoutService', 'ResponseLocation'),
    certificates,
    wantsSignedRequests: wants === null ? null : wants === 'true' || wants === '1',
    validUntil: readValidUntil([descriptor, entity]),
  }
}

function read(xml: string): XmlElement {
  try {
    return readXml(xml, BOUNDS)
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw new IdpMetadataError(`The metadata is not XML as SAML has it: ${error.message}.`)
  }
}

function findProvider(root: XmlElement): XmlElement {
  const entities = elementsOf(root).filter(
    (one) => one.namespace === ns.metadata && one.name === 'EntityDescriptor' && descriptorsOf(one).length > 0,
  )
  const [entity, ...more] = entities
  if (!entity) throw new IdpMetadataError('The metadata describes no identity provider.')
  if (more.length > 0) throw new IdpMetadataError('The metadata describes several identity providers.')
  return entity
}

function descriptorsOf(entity: XmlElement): XmlElement[] {
  return childrenOf(entity, ns.metadata, 'IDPSSODescriptor').filter((one) =>
    (attributeOf(one, 'protocolSupportEnumeration') ?? ns.protocol).split(/\s+/).includes(ns.protocol),
  )
}

function readAddresses(descriptor: XmlElement, name: string, attribute = 'Location'): IdpMetadata['ssoUrls'] {
  const find = (binding: string) => {
    const service = childrenOf(descriptor, ns.metadata, name).find((one) => attributeOf(one, 'Binding') === binding)
    return service ? attributeOf(service, attribute) : null
  }
  return { redirect: find(bindings.redirect), post: find(bindings.post) }
}

function readCertificates(descriptor: XmlElement): string[] {
  const keys = childrenOf(descriptor, ns.metadata, 'KeyDescriptor').filter((key) =>
    [null, 'signing'].includes(attributeOf(key, 'use')),
  )
  const texts = keys
    .flatMap(elementsOf)
    .filter(({ namespace, name }) => namespace === ns.signature && name === 'X509Certificate')
    .map(({ text }) => text.replace(/\s/g, ''))
  const all = [...new Set(texts)].map(readCertificate)
  const strong = all.filter(hasStrongKey)
  if (all.length > 0 && strong.length === 0)
    throw new IdpMetadataError('The metadata has no certificate of an RSA key of at least 2048 bits.')
  if (strong.length > MAX_CERTIFICATES) throw new IdpMetadataError('The metadata has too many certificates.')
  return strong.map((certificate) => certificate.toString())
}

function readCertificate(base64: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'))
  } catch {
    throw new IdpMetadataError('The metadata has a certificate that cannot be read.')
  }
}

function readValidUntil(elements: XmlElement[]): Date | null {
  const times = elements
    .map((one) => Date.parse(attributeOf(one, 'validUntil') ?? ''))
    .filter((ms) => !Number.isNaN(ms))
  return times.length === 0 ? null : new Date(Math.min(...times))
}
