export {
  nameIdFormats,
  ns,
  PARTIAL_LOGOUT,
  REQUESTER,
  SUCCESS,
  UNKNOWN_PRINCIPAL,
} from '../xml/saml-names.ts'
export { type NameId, writeAuthnRequest, writeLogoutRequest, writeLogoutResponse } from './messages.ts'
export { type IdpMetadata, IdpMetadataError } from './metadata.ts'
export { namesMeant, partsOfName } from './name.ts'
export { faceOf, logoutPage, type Outgoing, postFields, redirectUrl } from './outgoing.ts'
export { readPerson } from './person.ts'
export { writeSpMetadata } from './sp-metadata.ts'
export { readIdpMetadata } from './threads.ts'
