import { xmlNamespaces } from './names.ts'

/** Namespaces of SAML 2.0, XML Signature and XML Encryption. */
export const ns = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  ...xmlNamespaces,
}

export const bindings = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
}

export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
export const REQUESTER = 'urn:oasis:names:tc:SAML:2.0:status:Requester'
export const UNKNOWN_PRINCIPAL = 'urn:oasis:names:tc:SAML:2.0:status:UnknownPrincipal'
export const PARTIAL_LOGOUT = 'urn:oasis:names:tc:SAML:2.0:status:PartialLogout'
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
export const ENTITY = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity'

export const nameIdFormats = {
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
}
