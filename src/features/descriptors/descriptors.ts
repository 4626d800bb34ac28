export { type IdpMetadata, IdpMetadataError, readIdpMetadata } from './idp-metadata.ts'
export { BEARER, bindings, ENTITY, nameIdFormats, ns, SUCCESS } from './names.ts'
export { writeSpMetadata } from './sp-metadata.ts'
