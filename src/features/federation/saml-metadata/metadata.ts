/** What the metadata of a provider says. */
export interface IdpMetadata {
  entityId: string
  ssoUrls: { redirect: string | null; post: string | null }
  sloUrls: { redirect: string | null; post: string | null }
  /** Where answers to requests to log out go, if elsewhere (SAML metadata §2.2.2). */
  sloResponseUrls: { redirect: string | null; post: string | null }
  /** PEM, of every key that may sign. */
  certificates: string[]
  /** Whether it wants requests to be signed; null if it does not say. */
  wantsSignedRequests: boolean | null
  validUntil: Date | null
}

/** The text is not the metadata of one provider. The message says why, for administrators. */
export class IdpMetadataError extends Error {}

/** What signs for the service. */
export interface SigningPair {
  certificatePem: string
  privateKeyPem: string
}
