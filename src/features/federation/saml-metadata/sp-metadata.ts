import { escapeXml } from '../xml/read.ts'
import { bindings, nameIdFormats, ns } from '../xml/saml-names.ts'

/** The data that a provider needs about the service. */
export interface SpDescription {
  entityId: string
  acsUrl: string
  sloUrl: string
  signsRequests: boolean
  wantsAssertionsSigned: boolean
  /** The certificates of all keys that sign now, will sign soon, or signed recently, in PEM. */
  signingCertificates: string[]
  /**
   * The only certificate to encrypt for: if there were several, providers would use the first, the last or none. Null:
   * encryption is not wanted.
   */
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

// The encryption algorithms that the service accepts, in order of preference.
const METHODS = [`${ns.encryption11}aes256-gcm`, `${ns.encryption11}aes128-gcm`, `${ns.encryption}rsa-oaep-mgf1p`]

function writeKey(use: 'signing' | 'encryption', pem: string): string {
  const methods = use === 'encryption' ? METHODS.map((method) => `<md:EncryptionMethod Algorithm="${method}"/>`) : []
  const certificate = pem.replace(/-----[A-Z ]+-----|\s/g, '')
  return (
    `<md:KeyDescriptor use="${use}"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate>` +
    `</ds:X509Data></ds:KeyInfo>${methods.join('')}</md:KeyDescriptor>`
  )
}
