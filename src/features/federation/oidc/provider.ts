/** The origin of a request to a provider: failures are counted by source, and documents are cached by directory. */
export interface Asker {
  directoryId: string
  /** The id of the connection, or the name of the provider. */
  source: string
  /** The documents are at addresses that the operator alone decides, and the same for every directory. */
  isShared: boolean
}

/** What the service has to know of an OpenID provider, and of itself there. */
export interface OidcProvider {
  asker: Asker
  /**
   * Exactly as the provider names itself (OpenID Connect Discovery §4.3). With `{tenantid}` in it a template, in whose
   * place the `tid` of each ID token stands: Microsoft's endpoints of many tenants.
   */
  issuer: string
  /** Where the discovery document is, if not below the issuer. */
  discoveryUrl?: string
  clientId: string
  client: ClientAuthentication
  scopes: readonly string[]
  /** The callback, exactly as the provider has it registered. */
  redirectUri: string
}

/**
 * At the token endpoint (OpenID Connect Core §9). `none`: a public client, which PKCE alone protects (RFC 9700 §2.1.1). Some
 * providers do not decode what `client_secret_basic` percent-encodes (RFC 6749 §2.3.1).
 */
export type ClientAuthentication =
  | { method: 'client_secret_basic' | 'client_secret_post'; secret: string }
  | { method: 'private_key_jwt'; key: ClientKey }
  | { method: 'none' }

/** A key pair of RSA, and the digest of its certificate, by which some providers know it (RFC 7515 §4.1.8). */
export interface ClientKey {
  id: string
  privateKeyPem: string
  certificateDigest: string
}

/** What a sign-in remembers between start and callback. */
export interface OidcSignIn {
  state: string
  nonce: string
  codeVerifier: string
}

/** What came back through the browser. */
export interface OidcCallback {
  code?: string
  state?: string
  iss?: string
  error?: string
}

export type Claims = Readonly<Record<string, unknown>>

/** What the provider says of the person, after every check of the protocol. */
export interface OidcAnswer {
  issuer: string
  subject: string
  /** Of the ID token, whose signature, issuer, audience, nonce and times were checked. */
  idToken: Claims
  /** The ID token itself. */
  encodedIdToken: string
  /** Of the userinfo endpoint, for the same subject; null where it was not asked. */
  userinfo: Claims | null
}
