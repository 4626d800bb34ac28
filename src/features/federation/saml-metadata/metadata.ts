/** What the metadata of a provider says. */
export interface IdpMetadata {
  entityId: string
  ssoUrls: { redirect: string | null; post: string | null }
  sloUrls: { redirect: string | null; post: string | null }
  /** The URL for responses to logout requests, if it is not the request URL (SAML metadata §2.2.2). */
  sloResponseUrls: { redirect: string | null; post: string | null }
  /** The certificates of every key that may sign, in PEM. */
  certificates: string[]
  /** Whether the provider wants requests to be signed. Null if the metadata does not say. */
  wantsSignedRequests: boolean | null
  validUntil: Date | null
}

/** The text is not the metadata of one provider. The message says why, for administrators. */
export class IdpMetadataError extends Error {}

/** The key and certificate with which the service signs. */
export interface SigningPair {
  certificatePem: string
  privateKeyPem: string
}
