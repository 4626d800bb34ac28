/** Namespaces of XML Signature and XML Encryption. */
export const xmlNamespaces = {
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  encryption11: 'http://www.w3.org/2009/xmlenc11#',
}

export const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
export const RSA_SHA512 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512'
export const RSA_PSS_SHA256 = 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1'

export const SHA1 = 'http://www.w3.org/2000/09/xmldsig#sha1'
export const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'
export const SHA512 = 'http://www.w3.org/2001/04/xmlenc#sha512'

export const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
