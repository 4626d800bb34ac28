import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto'
import { SignedXml } from 'xml-crypto'

// The development identity provider writes the same responses.
export { type Said, writeResponse } from '../../src/features/federation/dev-idp/response.ts'

/** A key of an identity provider, with its certificate. */
export interface ProviderPair {
  certificatePem: string
  privateKeyPem: string
}

/** By which algorithms a provider signs. */
export interface Signing {
  signature?: string
  digest?: string
  canonicalization?: string
  transforms?: string[]
  /** The PrefixList of both canonicalizations. */
  prefixes?: string[]
}

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** Signs the response or the assertion in it, as identity providers do: behind the issuer, or else as first child. */
export function signXml(
  xml: string,
  what: 'Response' | 'Assertion' | 'LogoutRequest' | 'LogoutResponse',
  pair: ProviderPair,
  signing: Signing = {},
): string {
  const place = `//*[local-name(.)='${what}']`
  const signer = new SignedXml({
    privateKey: pair.privateKeyPem,
    publicCert: pair.certificatePem,
    signatureAlgorithm: signing.signature ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: signing.canonicalization ?? EXCLUSIVE,
    ...(signing.prefixes ? { inclusiveNamespacesPrefixList: signing.prefixes } : {}),
  })
  signer.addReference({
    xpath: place,
    transforms: signing.transforms ?? ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', EXCLUSIVE],
    digestAlgorithm: signing.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
    ...(signing.prefixes ? { inclusiveNamespacesPrefixList: signing.prefixes } : {}),
  })
  const hasIssuer = new RegExp(`<\\w+:${what}[^>]*><saml:Issuer`).test(xml)
  const location = hasIssuer
    ? { reference: `${place}/*[local-name(.)='Issuer']`, action: 'after' as const }
    : { reference: place, action: 'prepend' as const }
  signer.computeSignature(xml, { prefix: 'ds', location })
  return signer.getSignedXml()
}

/** By which algorithms a provider encrypts. */
export interface Encryption {
  cipher?: 'aes128-gcm' | 'aes256-gcm' | 'aes256-cbc'
  key?: 'rsa-oaep-mgf1p' | 'rsa-oaep' | 'rsa-1_5'
}

const XENC = 'http://www.w3.org/2001/04/xmlenc#'
const XENC11 = 'http://www.w3.org/2009/xmlenc11#'

/** Puts the assertion of a response under encryption for a certificate. */
export function encryptAssertion(xml: string, certificatePem: string, encryption: Encryption = {}): string {
  return encryptElement(xml, { name: 'Assertion', by: 'EncryptedAssertion' }, certificatePem, encryption)
}

/** The same for the name of who is meant. */
export function encryptName(xml: string, certificatePem: string): string {
  const declared = xml.replace('<saml:NameID', '<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"')
  return encryptElement(declared, { name: 'NameID', by: 'EncryptedID' }, certificatePem, {})
}

function encryptElement(
  xml: string,
  { name, by }: { name: string; by: string },
  certificatePem: string,
  encryption: Encryption,
): string {
  const { cipher = 'aes256-gcm', key = 'rsa-oaep-mgf1p' } = encryption
  const contentKey = randomBytes(cipher === 'aes128-gcm' ? 16 : 32)
  const start = xml.indexOf(`<saml:${name}`)
  const end = xml.indexOf(`</saml:${name}>`) + `</saml:${name}>`.length
  const wrapped = publicEncrypt(
    key === 'rsa-1_5'
      ? { key: certificatePem, padding: constants.RSA_PKCS1_PADDING }
      : {
          key: certificatePem,
          padding: constants.RSA_PKCS1_OAEP_PADDING,
          oaepHash: key === 'rsa-oaep' ? 'sha256' : 'sha1',
        },
    contentKey,
  )
  const method =
    key === 'rsa-oaep'
      ? `<xenc:EncryptionMethod Algorithm="${XENC11}rsa-oaep"><ds:DigestMethod Algorithm="${XENC}sha256"/>` +
        `<x11:MGF xmlns:x11="${XENC11}" Algorithm="${XENC11}mgf1sha256"/></xenc:EncryptionMethod>`
      : `<xenc:EncryptionMethod Algorithm="${XENC}${key}"/>`
  const encrypted =
    `<saml:${by}><xenc:EncryptedData xmlns:xenc="${XENC}" Type="${XENC}Element">` +
    `<xenc:EncryptionMethod Algorithm="${cipher.endsWith('gcm') ? XENC11 : XENC}${cipher}"/>` +
    `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey>${method}` +
    `${cipherData(wrapped)}</xenc:EncryptedKey></ds:KeyInfo>` +
    `${cipherData(seal(cipher, contentKey, xml.slice(start, end)))}</xenc:EncryptedData></saml:${by}>`
  return `${xml.slice(0, start)}${encrypted}${xml.slice(end)}`
}

const cipherData = (bytes: Buffer) =>
  `<xenc:CipherData><xenc:CipherValue>${bytes.toString('base64')}</xenc:CipherValue></xenc:CipherData>`

function seal(cipher: NonNullable<Encryption['cipher']>, key: Buffer, plain: string): Buffer {
  if (cipher === 'aes256-cbc') {
    const iv = randomBytes(16)
    const encipher = createCipheriv('aes-256-cbc', key, iv)
    return Buffer.concat([iv, encipher.update(plain), encipher.final()])
  }
  const iv = randomBytes(12)
  const encipher = createCipheriv(cipher === 'aes128-gcm' ? 'aes-128-gcm' : 'aes-256-gcm', key, iv)
  return Buffer.concat([iv, encipher.update(plain), encipher.final(), encipher.getAuthTag()])
}

/** As a form of the POST binding has it. */
export function encodeMessage(xml: string): string {
  return Buffer.from(xml).toString('base64')
}
