/** Who asks a provider. Failures are counted by source, and documents are cached by directory. */
export interface Asker {
  directoryId: string
  /** The id of the connection, or the name of the provider. */
  source: string
  /**
   * Whether the documents may be cached for all directories: only the operator chose their addresses, and they are
   * the same everywhere.
   */
  isShared: boolean
}

/** The configuration of an OpenID provider, and of this service as its client. */
export interface OidcProvider {
  asker: Asker
  /**
   * Exactly the name that the provider uses for itself (OpenID Connect Discovery §4.3). If it contains the
   * placeholder `{tenantid}`, the `tid` of each ID token replaces it; Microsoft's endpoints for several tenants need
   * that.
   */
  issuer: string
  /** The address of the discovery document, if it is not below the issuer. */
  discoveryUrl?: string
  clientId: string
  client: ClientAuthentication
  scopes: readonly string[]
  /** The redirect URI, exactly as it is registered at the provider. */
  redirectUri: string
}

/**
 * Client authentication at the token endpoint (OpenID Connect Core §9). `none` is a public client, which only PKCE
 * protects (RFC 9700 §2.1.1). Some providers do not decode what `client_secret_basic` percent-encodes (RFC 6749
 * §2.3.1).
 */
export type ClientAuthentication =
  | { method: 'client_secret_basic' | 'client_secret_post'; secret: string }
  | { method: 'private_key_jwt'; key: ClientKey }
  | { method: 'none' }

/** An RSA key pair, and the digest of its certificate, by which some providers identify it (RFC 7515 §4.1.8). */
export interface ClientKey {
  id: string
  privateKeyPem: string
  certificateDigest: string
}

/** The data of a sign-in that is kept between start and callback. */
export interface OidcSignIn {
  state: string
  nonce: string
  codeVerifier: string
}

/** The parameters that the browser brings back from the provider. */
export interface OidcCallback {
  code?: string
  state?: string
  iss?: string
  error?: string
}

export type Claims = Readonly<Record<string, unknown>>

/** The provider's answer about a person, after all checks of the protocol. */
export interface OidcAnswer {
  issuer: string
  subject: string
  /** The claims of the ID token, whose signature, issuer, audience, nonce and times were checked. */
  idToken: Claims
  /** The encoded ID token. */
  encodedIdToken: string
  /** The claims of the userinfo endpoint, for the same subject; null if it was not asked. */
  userinfo: Claims | null
}
