import { escapeXml } from '../xml/read.ts'
import { bindings, nameIdFormats, ns } from '../xml/saml-names.ts'

/** What a provider must know of the service. */
export interface SpDescription {
  entityId: string
  acsUrl: string
  sloUrl: string
  signsRequests: boolean
  wantsAssertionsSigned: boolean
  /** PEM; all that may sign now or before long, or still did a while ago. */
  signingCertificates: string[]
  /** The one to encrypt for: of several, providers take the first, the last or none. Null: not wanted. */
  encryptionCertificate: string | null
}

/** The metadata of a service provider (SAML metadata §2.4.4). */
export function writeSpMetadata(sp: SpDescription): string {
  const keys = [
    ...sp.signingCertificates.map((pem) => writeKey('signing', pem)),
    ...(sp.encryptionCertificate === null ? [] : [writeKey('encryption', sp.encryptionCertificate)]),
  ]
  const logout = [bindings.redirect, bindings.post].map(
    (binding) => `<md:SingleLogoutService Binding="${binding}" Location="${escapeXml(sp.sloUrl)}"/>`,
  )
  const formats = [nameIdFormats.persistent, nameIdFormats.email, nameIdFormats.unspecified].map(
    (format) => `<md:NameIDFormat>${format}</md:NameIDFormat>`,
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${ns.metadata}" xmlns:ds="${ns.signature}" entityID="${escapeXml(sp.entityId)}">`,
    `<md:SPSSODescriptor AuthnRequestsSigned="${sp.signsRequests}" WantAssertionsSigned="${sp.wantsAssertionsSigned}"` +
      ` protocolSupportEnumeration="${ns.protocol}">`,
    ...keys,
    ...logout,
    ...formats,
    `<md:AssertionConsumerService Binding="${bindings.post}" Location="${escapeXml(sp.acsUrl)}" index="0" isDefault="true"/>`,
    '</md:SPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n')
}

// In the order of preference; what the service decrypts.
const METHODS = [`${ns.encryption11}aes256-gcm`, `${ns.encryption11}aes128-gcm`, `${ns.encryption}rsa-oaep-mgf1p`]

function writeKey(use: 'signing' | 'encryption', pem: string): string {
  const methods = use === 'encryption' ? METHODS.map((method) => `<md:EncryptionMethod Algorithm="${method}"/>`) : []
  const certificate = pem.replace(/-----[A-Z ]+-----|\s/g, '')
  return (
    `<md:KeyDescriptor use="${use}"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate>` +
    `</ds:X509Data></ds:KeyInfo>${methods.join('')}</md:KeyDescriptor>`
  )
}
