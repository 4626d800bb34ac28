export { type IdpMetadata, IdpMetadataError, readIdpMetadata } from './idp-metadata.ts'
export { type NameId, writeAuthnRequest, writeLogoutRequest, writeLogoutResponse } from './messages.ts'
export { BEARER, ENTITY, nameIdFormats, ns, PARTIAL_LOGOUT, SUCCESS } from './names.ts'
export { writeSpMetadata } from './sp-metadata.ts'
