import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { hasBrand, WatchwordError } from './errors.ts'
import type { SessionsListRevocationsReply } from './gen/schemas.gen.ts'
import type { Watchword } from './index.ts'

/** The claims of an access token (RFC 9068), and the claims that the setting `token_claims` adds. */
export interface Claims {
  /** The issuer: the URL of the environment. */
  iss: string
  /** The audience: the account id, or the setting `audience`. */
  aud: string | string[]
  /** The user's auth account. */
  sub: string
  /** The id of the session. */
  sid: string
  /** The user's organization. Null: the account level. */
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
  /** Every permission that the roles give. */
  permissions: string[]
  /** The proofs of the sign-in (RFC 8176). */
  amr: string[]
  /** `aal1`: one factor. `aal2`: two factors. */
  aal: string
  /** When the user signed in, in seconds since 1970. */
  auth_time: number
  /** The slug of the environment. */
  env: string
  /** The connection of a SAML or OIDC sign-in, or null. */
  connection_id?: string | null
  /** The person who acts for the user in an impersonation session (RFC 8693). */
  act?: { sub: string } & Record<string, unknown>
  /** Times in seconds since 1970. */
  iat: number
  exp: number
  jti: string
  [claim: string]: unknown
}

/**
 * Why a token is refused. For `token_expired`, refresh the token. For `keys_unavailable` and
 * `revocations_unavailable`, the token may be valid, but Watchword was unreachable. For `organization_mismatch` and
 * `permission_missing`, respond with 403.
 */
export type TokenErrorCode =
  | 'token_invalid'
  | 'token_expired'
  | 'token_revoked'
  | 'organization_mismatch'
  | 'permission_missing'
  | 'keys_unavailable'
  | 'revocations_unavailable'

const BRAND: unique symbol = Symbol.for('watchword.token')

/** The token was refused, or does not allow what the request needs. */
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
  /** Also refuses tokens of sessions that have ended, using the revocation feed. */
  revocations?: RevocationOptions | undefined
  /** The URL of the public keys. By default it is below the issuer. */
  jwksUrl?: string | undefined
  /** The current time in milliseconds since 1970. */
  now?: (() => number) | undefined
}

export interface RevocationOptions {
  /** A client whose key has the scope `sessions.read`. */
  client: Watchword
  /**
   * Reads the feed of this organization only. Tokens of other organizations are then refused, because the feed does
   * not cover them.
   */
  subOrgId?: string | undefined
  /** The age in seconds at which the feed is read again. Default 10. */
  maxAge?: number | undefined
  /**
   * The age in seconds up to which the feed is used while Watchword is unreachable. After that, tokens are refused.
   * Default 60.
   */
  maxStale?: number | undefined
}

export interface TokenRequirements {
  /** The organization that the request is about. Compared with `org_id`. */
  organization?: string | undefined
  /** The permissions that the user must have. All of them are required. */
  permission?: string | string[] | undefined
}

/** Verifies access tokens with the issuer's public keys. The keys are cached, so most tokens need no request. */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions
  readonly #issuer: string
  readonly #keys: IssuerKeys
  readonly #feed: RevocationFeed | null

  /** Throws a TypeError without an issuer or an audience, because leaving out a check would accept every token. */
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

  /**
   * A verifier for the environment of a client's API key: asks Watchword for the issuer and for the account id, which is the audience
   * unless you have set another one (`options.audience`).
   */
  static async of(client: Watchword, options: Partial<TokenVerifierOptions> = {}): Promise<TokenVerifier> {
    const { accountId, environment } = await client.apiKeys.getCurrent()
    const { issuer } = await client.tokens.getMetadata(accountId, environment)
    return new TokenVerifier({ issuer, audience: accountId, ...options })
  }

  /** The claims of a token: signature, issuer, audience, type and times are right. Throws a {@link TokenError}. */
  async verify(token: string, required: TokenRequirements = {}): Promise<Claims> {
    const { organization, permission } = required
    // A missing request parameter must not accept every organization.
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
      }).catch((error: unknown) => {
        throw withoutClaims(error, { iss: this.#issuer, aud: audience })
      }),
    )
    const claims = { roles: [], permissions: [], amr: [], org_id: null, ...payload } as unknown as Claims
    const lists: unknown[] = [claims.roles, claims.permissions, claims.amr]
    if (!lists.every(Array.isArray))
      throw new TokenError('token_invalid', 'The token is not valid: a claim is no list.')
    return claims
  }
}

/**
 * How long keys are used if they cannot be read again, and how long the verifier waits after a failure, in
 * milliseconds.
 */
const KEYS_KEPT = 24 * 60 * 60 * 1000
const PAUSE = 30_000

/** The public keys of an issuer. While they cannot be read again, the last keys are used. */
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
      // A key that is not in the list may be new.
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

/** Errors of jose that concern the keys, not the token. */
const OF_KEYS = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS'])

function refusalOf(error: unknown): TokenError {
  if (error instanceof TokenError) return error
  if (error instanceof errors.JWTExpired)
    return new TokenError('token_expired', 'The token has expired.', { cause: error })
  if (!(error instanceof errors.JOSEError) || OF_KEYS.has(error.code)) return unavailable(error)
  return new TokenError('token_invalid', `The token is not valid: ${error.message}.`, { cause: error })
}

/** The error of jose without the claims, such as the address of the user, which are for no log; of some it names what was expected. */
function withoutClaims(error: unknown, expected: Record<string, unknown>): unknown {
  if (!(error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)) return error
  const { claim, reason, payload } = error
  for (const name of ['payload', 'cause']) Reflect.deleteProperty(error, name)
  const [wanted, actual] = [expected[claim], payload[claim]].map((value) => JSON.stringify(value))
  if (reason === 'check_failed' && wanted) error.message = `its "${claim}" is ${actual}, and not ${wanted}`
  return error
}

/** Longer than any access token lives, which is a day at most, in milliseconds. */
const KEPT = 25 * 60 * 60 * 1000
/** How long reading the feed may take, and how long no reading is started after a failure, in milliseconds. */
const READING_TIME = 5000
const FAILURE_PAUSE = 1000
const LIMITS = { timeout: READING_TIME, maxRetries: 0 }
/** How long a token waits for a reading that is not needed yet, in milliseconds. */
const PATIENCE = 250

/** The sessions that have ended, from the revocation feed. */
class RevocationFeed {
  readonly #options: RevocationOptions
  readonly #now: () => number
  readonly #ended = new Map<string, number>()
  /** The only organization whose sessions the feed has. Null: it has those of every organization. Undefined: not read yet. */
  #reach: string | null | undefined
  #after: string | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #failure: { at: number; cause: unknown } | null = null
  #reading: Promise<void> | null = null

  constructor(options: RevocationOptions, now: () => number) {
    this.#options = options
    this.#now = now
  }

  /** Throws if the token's session has ended, or if that cannot be determined. */
  async check({ sid, org_id: organization }: Claims): Promise<void> {
    const { maxAge = 10, maxStale = 60 } = this.#options
    const isOlderThan = (seconds: number) => this.#now() - this.#readAt > seconds * 1000
    // While the last reading is recent enough, the next one is only waited for briefly.
    if (isOlderThan(maxStale)) await this.#read()
    else if (isOlderThan(maxAge)) await atMost(PATIENCE, this.#read())
    if (isOlderThan(maxStale)) {
      const message = 'The revocations could not be read.'
      throw new TokenError('revocations_unavailable', message, { cause: this.#failure?.cause })
    }
    // An org-wide key reads the revocations of every organization, and not those of the account's own team.
    const isRead = this.#reach === null ? organization !== null : (organization ?? 'team') === this.#reach
    if (!isRead)
      throw new TokenError('organization_mismatch', 'The token is of an organization whose revocations are not read.')
    if (this.#ended.has(sid)) throw new TokenError('token_revoked', 'The session of the token has ended.')
  }

  /** Reads new entries, once for all callers that wait. Never rejects. */
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
    // A key may be of one organization. That of a key never changes.
    if (this.#reach === undefined)
      this.#reach = subOrgId ?? client.organization ?? (await client.apiKeys.getCurrent({}, LIMITS)).subOrgId
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
    try {
      return await client.sessions.listRevocations({ subOrgId, after: this.#after }, LIMITS)
    } catch (error) {
      const isExpired = error instanceof WatchwordError && error.code === 'cursor_expired'
      if (!isExpired || this.#after === undefined) throw error
      // A restored database does not know the cursor, so reading starts from the beginning. Known entries are kept.
      this.#after = undefined
      return client.sessions.listRevocations({ subOrgId }, LIMITS)
    }
  }
}

/** Resolves when the work is done, or after this many milliseconds. */
async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, end])
  clearTimeout(timer)
}
