import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { brandOf, hasBrand, WatchwordError } from './errors.ts'
import type { SessionsListRevocationsReply } from './gen/schemas.gen.ts'
import type { Watchword } from './index.ts'

/** The claims of an access token (RFC 9068), and those that the setting `token_claims` adds. */
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

const BRAND = brandOf('token')

/** The token does not open what was asked for. */
export class TokenError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is TokenError {
    return hasBrand(value, BRAND)
  }

  override readonly name = 'TokenError'
  readonly [BRAND] = true
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
  /** Only of this organization. Tokens of other organizations are then refused: the feed says nothing about them. */
  subOrgId?: string | undefined
  /** How old the feed may be before it is read again, in seconds. Default 10. */
  maxAge?: number | undefined
  /** How old it may be while Watchword is unreachable, in seconds. Then tokens are refused. Default 60. */
  maxStale?: number | undefined
}

export interface TokenRequirements {
  /** The organization that the request is about: compared with `org_id`. */
  organization?: string | undefined
  /** Permissions that the user must have, all of them. */
  permission?: string | string[] | undefined
}

/** Verifies access tokens with the public keys of the issuer, which it caches. No request for each token. */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions
  readonly #issuer: string
  readonly #keys: IssuerKeys
  readonly #feed: RevocationFeed | null

  /** Throws a TypeError without an issuer or an audience: a check that is left out would accept every token. */
  constructor(options: TokenVerifierOptions) {
    const { issuer, audience, jwksUrl, now = Date.now, revocations } = options
    const audiences = [audience ?? ''].flat()
    if (!issuer || audiences.length === 0 || audiences.some((one) => !one))
      throw new TypeError('`issuer` and `audience` are the `iss` and `aud` of your tokens. Neither may be empty.')
    this.#options = options
    this.#issuer = issuer.replace(/\/+$/, '')
    this.#keys = new IssuerKeys(new URL(jwksUrl ?? `${this.#issuer}/.well-known/jwks.json`), now)
    this.#feed = revocations ? new RevocationFeed(revocations, now) : null
  }

  /** The claims of a token: signature, issuer, audience, type and times are right. Throws a {@link TokenError}. */
  async verify(token: string, required: TokenRequirements = {}): Promise<Claims> {
    const { organization, permission } = required
    // A parameter of a request that is missing must not accept every organization.
    if ('organization' in required && !organization) throw new TypeError('`organization` is empty.')
    if ('permission' in required && !permission?.length) throw new TypeError('`permission` is empty.')
    const claims = await this.#read(token)
    await this.#feed?.check(claims)
    if (organization !== undefined && claims.org_id !== organization)
      throw new TokenError('organization_mismatch', 'The token is of another organization.')
    const missing = [permission ?? []].flat().filter((one) => !claims.permissions.includes(one))
    if (missing.length > 0) throw new TokenError('permission_missing', `The user lacks ${missing.join(', ')}.`)
    return claims
  }

  async #read(token: string): Promise<Claims> {
    const { audience, clockTolerance = 5, now = Date.now } = this.#options
    const { payload } = await this.#keys.use((keys) =>
      jwtVerify(token, keys, {
        issuer: this.#issuer,
        audience,
        typ: 'at+jwt',
        algorithms: ['ES256'],
        clockTolerance,
        currentDate: new Date(now()),
        requiredClaims: ['sub', 'sid', 'exp'],
      }),
    )
    const claims = { roles: [], permissions: [], amr: [], org_id: null, ...payload } as unknown as Claims
    const lists: unknown[] = [claims.roles, claims.permissions, claims.amr]
    if (!lists.every(Array.isArray))
      throw new TokenError('token_invalid', 'The token is not valid: a claim is no list.')
    return claims
  }
}

/** How long keys serve that could not be read again, and how long nothing is asked after a failure, in milliseconds. */
const KEYS_KEPT = 24 * 60 * 60 * 1000
const PAUSE = 30_000

/** The public keys of an issuer. While they cannot be read again, those that were read last are used. */
class IssuerKeys {
  readonly #remote: ReturnType<typeof createRemoteJWKSet>
  readonly #now: () => number
  #last: { keys: JWTVerifyGetKey; at: number } | null = null
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(url: URL, now: () => number) {
    this.#remote = createRemoteJWKSet(url)
    this.#now = now
  }

  /** Verifies with the keys. Throws a {@link TokenError}. */
  async use<T>(verify: (keys: JWTVerifyGetKey) => Promise<T>): Promise<T> {
    if (this.#last && this.#now() - this.#failedAt < PAUSE) return this.#useLast(verify, this.#last.keys)
    try {
      const verified = await verify(this.#remote)
      this.#remember()
      return verified
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal.code !== 'keys_unavailable') throw refusal
      this.#failedAt = this.#now()
      const isKept = this.#last && this.#now() - this.#last.at < KEYS_KEPT
      if (!this.#last || !isKept) throw refusal
      return this.#useLast(verify, this.#last.keys)
    }
  }

  async #useLast<T>(verify: (keys: JWTVerifyGetKey) => Promise<T>, keys: JWTVerifyGetKey): Promise<T> {
    return verify(keys).catch((error: unknown) => {
      // A key that is not among those may be a new one.
      if (error instanceof errors.JWKSNoMatchingKey) throw unavailable(error)
      throw refusalOf(error)
    })
  }

  #remember(): void {
    const found = this.#remote.jwks()
    if (found) this.#last = { keys: createLocalJWKSet(found), at: this.#now() }
  }
}

const unavailable = (cause: unknown) =>
  new TokenError('keys_unavailable', 'The public keys could not be read.', { cause })

/** Errors of jose that say something about the keys, and nothing about the token. */
const OF_KEYS = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS'])

function refusalOf(error: unknown): TokenError {
  if (error instanceof TokenError) return error
  if (error instanceof errors.JWTExpired)
    return new TokenError('token_expired', 'The token has expired.', { cause: error })
  if (!(error instanceof errors.JOSEError) || OF_KEYS.has(error.code)) return unavailable(error)
  return new TokenError('token_invalid', `The token is not valid: ${error.message}.`, { cause: error })
}

/** Longer than any access token lives, which is a day at most, in milliseconds. */
const KEPT = 25 * 60 * 60 * 1000
/** How long a reading may take, in milliseconds, and how long none is begun after a failure. */
const READING_TIME = 5000
const FAILURE_PAUSE = 1000
/** How long a token waits for a reading that is not needed yet, in milliseconds. */
const PATIENCE = 250

/** The sessions that have ended, as the feed of revocations lists them. */
class RevocationFeed {
  readonly #options: RevocationOptions
  readonly #now: () => number
  readonly #ended = new Map<string, number>()
  #after: string | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #failure: { at: number; cause: unknown } | null = null
  #reading: Promise<void> | null = null

  constructor(options: RevocationOptions, now: () => number) {
    this.#options = options
    this.#now = now
  }

  /** Throws if the session of the token has ended, or if that cannot be said. */
  async check({ sid, org_id: organization }: Claims): Promise<void> {
    const { maxAge = 10, maxStale = 60, subOrgId } = this.#options
    if (subOrgId !== undefined && organization !== subOrgId)
      throw new TokenError('organization_mismatch', 'The token is of an organization whose revocations are not read.')
    const isOlderThan = (seconds: number) => this.#now() - this.#readAt > seconds * 1000
    // While the last reading is recent enough, the next one is not waited for long.
    if (isOlderThan(maxStale)) await this.#read()
    else if (isOlderThan(maxAge)) await atMost(PATIENCE, this.#read())
    if (isOlderThan(maxStale)) {
      const message = 'The revocations could not be read.'
      throw new TokenError('revocations_unavailable', message, { cause: this.#failure?.cause })
    }
    if (this.#ended.has(sid)) throw new TokenError('token_revoked', 'The session of the token has ended.')
  }

  /** Reads what is new, once for all that wait. Never rejects. */
  #read(): Promise<void> {
    const isPaused = this.#failure !== null && this.#now() - this.#failure.at < FAILURE_PAUSE
    if (isPaused) return Promise.resolve()
    this.#reading ??= this.#readPages()
      .then(
        () => {
          this.#failure = null
        },
        (cause: unknown) => {
          this.#failure = { at: this.#now(), cause }
        },
      )
      .finally(() => {
        this.#reading = null
      })
    return this.#reading
  }

  async #readPages(): Promise<void> {
    const { client, subOrgId } = this.#options
    const startedAt = this.#now()
    for (let hasMore = true; hasMore; ) {
      const page = await this.#readPage(client, subOrgId)
      for (const { session_id: session, revoked_at } of page.revocations)
        this.#ended.set(session, Date.parse(revoked_at))
      hasMore = page.has_more && page.next_cursor !== this.#after
      this.#after = page.next_cursor
    }
    this.#readAt = startedAt
    for (const [session, at] of this.#ended) if (at < startedAt - KEPT) this.#ended.delete(session)
  }

  async #readPage(client: Watchword, subOrgId: string | undefined): Promise<SessionsListRevocationsReply> {
    const limits = { timeout: READING_TIME, maxRetries: 0 }
    try {
      return await client.sessions.listRevocations({ subOrgId, after: this.#after }, limits)
    } catch (error) {
      const isExpired = error instanceof WatchwordError && error.code === 'cursor_expired'
      if (!isExpired || this.#after === undefined) throw error
      // A restored database does not know the place: from the beginning. What is known stays known.
      this.#after = undefined
      return client.sessions.listRevocations({ subOrgId }, limits)
    }
  }
}

/** Ends with the work, or after so many milliseconds. */
async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, end])
  clearTimeout(timer)
}
