import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Watchword } from './index.ts'

/** What an access token says (RFC 9068). Claims of `token_claims` come besides. */
export interface Claims {
  /** Issuer: the URL of the environment. */
  iss: string
  /** Audience: the account id, or the setting `audience`. */
  aud: string | string[]
  /** The auth account of the user. */
  sub: string
  /** The session. */
  sid: string
  /** The organization of the user. Null: the account level. */
  org_id: string | null
  /** The slug of the organization. */
  org_slug?: string | null
  /** The user: `id` in `/v1/users`. */
  directory_user_id: string
  email: string
  email_verified: boolean
  /** The built-in role. */
  role: string
  /** Slugs of the organization's own roles. */
  roles: string[]
  /** Everything the roles allow. */
  permissions: string[]
  /** What the user proved (RFC 8176). */
  amr: string[]
  /** `aal1`: one factor. `aal2`: two. */
  aal: string
  /** When the user signed in, in seconds since 1970. */
  auth_time: number
  /** Slug of the environment. */
  env: string
  /** The connection of a SAML or OIDC sign-in, or null. */
  connection_id?: string | null
  /** Who acts for the user in an impersonation session (RFC 8693). */
  act?: { sub: string } & Record<string, unknown>
  /** Times in seconds since 1970. */
  iat: number
  exp: number
  jti: string
  [claim: string]: unknown
}

/**
 * Why a token is refused. `token_expired`: refresh it. `keys_unavailable` and `revocations_unavailable`: the token may be good,
 * but Watchword was not reachable. `organization_mismatch` and `permission_missing`: answer 403.
 */
export type TokenErrorCode =
  | 'token_invalid'
  | 'token_expired'
  | 'token_revoked'
  | 'organization_mismatch'
  | 'permission_missing'
  | 'keys_unavailable'
  | 'revocations_unavailable'

/** The token does not open what was asked for. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode

  constructor(code: TokenErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export interface TokenVerifierOptions {
  /** The `iss` of your tokens: the URL of the service, or of the environment. */
  issuer: string
  /** The `aud` of your tokens: your account id, or the setting `audience`. */
  audience: string | string[]
  /** How far clocks may differ, in seconds. Default 5. */
  clockTolerance?: number | undefined
  /** Also refuses tokens of sessions that have ended, by the feed of revocations. */
  revocations?: RevocationOptions | undefined
  /** Where the public keys are. Default: below the issuer. */
  jwksUrl?: string | undefined
  /** The current time in milliseconds since 1970. */
  now?: (() => number) | undefined
}

export interface RevocationOptions {
  /** A client whose key has the scope `sessions.read`. */
  client: Watchword
  /** Only of this organization. */
  subOrgId?: string | undefined
  /** How old the feed may be before it is read again, in seconds. Default 10. */
  maxAge?: number | undefined
  /** How old it may be while Watchword is unreachable, in seconds. Then tokens are refused. Default 60. */
  maxStale?: number | undefined
}

export interface Required {
  /** The organization that the request is about: compared with `org_id`. */
  organization?: string | undefined
  /** Permissions that the user must have, all of them. */
  permission?: string | string[] | undefined
}

/** Verifies access tokens with the public keys of the issuer, which it caches. No request for each token. */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions
  readonly #keys: JWTVerifyGetKey
  readonly #feed: RevocationFeed | null

  constructor(options: TokenVerifierOptions) {
    this.#options = options
    const jwks = options.jwksUrl ?? `${options.issuer.replace(/\/+$/, '')}/.well-known/jwks.json`
    this.#keys = createRemoteJWKSet(new URL(jwks))
    this.#feed = options.revocations ? new RevocationFeed(options.revocations, options.now ?? Date.now) : null
  }

  /** The claims of a token: signature, issuer, audience, type and times are right. Throws a {@link TokenError}. */
  async verify(token: string, { organization, permission }: Required = {}): Promise<Claims> {
    const claims = await this.#read(token)
    if (this.#feed && (await this.#feed.hasEnded(claims.sid)))
      throw new TokenError('token_revoked', 'The session of the token has ended.')
    if (organization !== undefined && claims.org_id !== organization)
      throw new TokenError('organization_mismatch', 'The token is of another organization.')
    const missing = [permission ?? []].flat().filter((one) => !claims.permissions.includes(one))
    if (missing.length > 0) throw new TokenError('permission_missing', `The user lacks ${missing.join(', ')}.`)
    return claims
  }

  async #read(token: string): Promise<Claims> {
    const { issuer, audience, clockTolerance = 5, now = Date.now } = this.#options
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        audience,
        typ: 'at+jwt',
        algorithms: ['ES256'],
        clockTolerance,
        currentDate: new Date(now()),
        requiredClaims: ['sub', 'sid', 'exp'],
      })
      return { roles: [], permissions: [], amr: [], org_id: null, ...payload } as unknown as Claims
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

function refusalOf(error: unknown): TokenError {
  if (error instanceof errors.JWTExpired)
    return new TokenError('token_expired', 'The token has expired.', { cause: error })
  const isOfToken = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)
  const isGeneric = error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC'
  return isOfToken && !isGeneric
    ? new TokenError('token_invalid', `The token is not valid: ${error.message}.`, { cause: error })
    : new TokenError('keys_unavailable', 'The public keys could not be read.', { cause: error })
}

/** Longer than any access token lives, in milliseconds. */
const KEPT = 24 * 60 * 60 * 1000

/** The sessions that have ended, as the feed of revocations lists them. */
class RevocationFeed {
  readonly #options: RevocationOptions
  readonly #now: () => number
  readonly #ended = new Map<string, number>()
  #after: string | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(options: RevocationOptions, now: () => number) {
    this.#options = options
    this.#now = now
  }

  async hasEnded(session: string): Promise<boolean> {
    const { maxAge = 10, maxStale = 60 } = this.#options
    const age = () => (this.#now() - this.#readAt) / 1000
    if (age() > maxAge) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null
      })
      await this.#reading.catch((error: unknown) => {
        if (age() > maxStale)
          throw new TokenError('revocations_unavailable', 'The revocations could not be read.', { cause: error })
      })
    }
    return this.#ended.has(session)
  }

  async #read(): Promise<void> {
    const { client, subOrgId } = this.#options
    const startedAt = this.#now()
    for (let more = true; more; ) {
      const page = await client.sessions.listRevocations({ subOrgId, after: this.#after })
      for (const { session_id: session } of page.revocations) this.#ended.set(session, startedAt)
      this.#after = page.next_cursor
      more = page.has_more
    }
    this.#readAt = startedAt
    for (const [session, at] of this.#ended) {
      if (at > startedAt - KEPT) break
      this.#ended.delete(session)
    }
  }
}
