import { decodeJwt } from 'jose'
import { ConnectionError, hasBrand, WatchwordError } from './errors.ts'
import type { SessionTokens, TokensRefreshRequest } from './gen/schemas.gen.ts'
import type { UserOperations, Watchword } from './index.ts'
import { Refreshes } from './refreshes.ts'
import { headerOf, type IncomingRequest } from './request.ts'
import { SealedCookie } from './sealed-cookie.ts'
import { type Claims, TokenError, type TokenVerifier } from './tokens.ts'

export type { IncomingRequest } from './request.ts'
export { assertAllowed, ForbiddenError, type Requirements } from './requirements.ts'
export { SealedCookie, type SealedCookieOptions } from './sealed-cookie.ts'

export interface SessionsOptions {
  /** A client whose key has the scope `auth.login`. */
  client: Watchword
  /** Verifies the access tokens of your environment. */
  verifier: TokenVerifier
  /** The origin at which browsers reach your application, such as `https://app.example.com`. */
  origin: string
  /** Allows an http `origin` on hosts other than this machine. The cookie is then not `Secure`. */
  insecure?: boolean | undefined
  /** At least 32 random characters. To change the secret, pass the new one first, then the old one. */
  secret: string | readonly string[]
  /** The name of the cookie. Default `session`. */
  cookieName?: string | undefined
  /** The current time in milliseconds since 1970. */
  now?: (() => number) | undefined
}

/** The session of a person who is signed in. */
export interface ActiveSession {
  claims: Claims
  accessToken: string
  /** The organization, for `forOrganization` and as `subOrgId`: its id, or `team` for the team of the account. */
  organization: string
  /** Seconds since the user signed in or stepped up (`auth_time`). */
  authAge: number
  /** The operations of the user, such as `user.me.get()`. */
  user: UserOperations
}

/** The session of a request, and the `Set-Cookie` that the response must have, if any. */
export interface ReadSession {
  session: ActiveSession | null
  setCookie: string | null
}

/** The result of a sign-out. */
export interface EndedSession {
  /** The `Set-Cookie` that removes the session. The response must have it. */
  setCookie: string
  /**
   * Why the session could not be ended at Watchword, or null. This browser is signed out in any case, and the session
   * at Watchword ends later by itself.
   */
  error: unknown
}

const CROSS_SITE: unique symbol = Symbol.for('watchword.cross-site')
const UNREADABLE: unique symbol = Symbol.for('watchword.session-unavailable')

/** The request did not come from a page of your application. Respond with 403. */
export class CrossSiteError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is CrossSiteError {
    return hasBrand(value, CROSS_SITE)
  }

  override readonly name = 'CrossSiteError'
  readonly [CROSS_SITE] = true
  readonly code = 'cross_site'
}

/**
 * The session could not be checked, because Watchword or its keys are unreachable. Respond with 503. The browser stays
 * signed in.
 */
export class SessionUnavailableError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is SessionUnavailableError {
    return hasBrand(value, UNREADABLE)
  }

  override readonly name = 'SessionUnavailableError'
  readonly [UNREADABLE] = true
  readonly code = 'session_unavailable'
  /**
   * The `Set-Cookie` that the response must have, if any. The tokens were renewed, and the old ones can no longer be
   * used.
   */
  declare readonly setCookie: string | null

  constructor(cause: unknown, setCookie: string | null) {
    super('The session could not be checked.', { cause })
    // Not printed with the error: anyone who has the cookie is signed in.
    Object.defineProperty(this, 'setCookie', { value: setCookie })
  }
}

/** The content of the cookie. */
interface Kept {
  access: string
  refresh: string
  /** The organization. Null for the account's own team. */
  org: string | null
  /** When the refresh token expires, in seconds since 1970. */
  until: number
}

/** After these refusals of a refresh, only a new sign-in helps. */
const OVER: ReadonlySet<string> = new Set([
  'refresh_token_invalid',
  'refresh_token_reused',
  'user_inactive',
  'user_locked',
  'organization_suspended',
  'organization_archived',
  'organization_not_found',
  'sso_required',
])
/** The name of the account's team, as `subOrgId` takes it. */
const TEAM = 'team'
/** A token that ends sooner is refreshed, in seconds: it should last for what the request does with it. */
const SPARE_SECONDS = 30
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** What a sign-out ends. */
export interface EndOptions {
  /** Also ends the sessions of the user in other browsers and apps. Default `false`. */
  everywhere?: boolean | undefined
}

/**
 * Sessions of a web application. A sealed cookie contains the tokens, an expired access token is refreshed, and
 * simultaneous requests share one refresh. Requests at other processes get the same new token from Watchword.
 */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #origin: string
  readonly #now: () => number
  readonly #secure: boolean
  readonly #cookie: SealedCookie<Kept>
  /** Sessions that were signed out in this process, until their access tokens have expired. */
  readonly #signedOut = new Map<string, number>()
  readonly #refreshes: Refreshes
  readonly #read = new WeakMap<ActiveSession, Kept>()

  constructor(options: SessionsOptions) {
    const { origin, isSecure } = checkOrigin(options)
    this.#options = options
    this.#origin = origin
    this.#now = options.now ?? Date.now
    this.#refreshes = new Refreshes(this.#now)
    this.#secure = isSecure
    this.#cookie = this.#newCookie(this.#name)
  }

  /**
   * A sealed cookie for data that a sign-in needs for its next step: an `otp_id`, a `discovery_token`, a
   * `challenge_token`, a `state`. Only the browser that started the sign-in can then continue it.
   */
  cookie<T>(name: string): SealedCookie<T> {
    if (name === this.#name) throw new TypeError(`The cookie ${name} is that of the session.`)
    return this.#newCookie(name)
  }

  /**
   * Signs the browser in. Returns the `Set-Cookie` with the tokens of a sign-in. Throws a {@link TokenError} if the
   * tokens are not of your environment.
   */
  async start(tokens: SessionTokens): Promise<string> {
    const { org_id: org } = await this.#options.verifier.verify(tokens.access_token)
    return this.#seal(this.#keptOf(tokens, org))
  }

  /**
   * Returns the `Set-Cookie` with the new access token of a step-up (`session.user.me.stepUp.verify`). Throws a {@link
   * TokenError} if the token is not of this session.
   */
  async update(session: ActiveSession, { access_token: access }: { access_token: string }): Promise<string> {
    const kept = this.#read.get(session)
    if (!kept) throw new TypeError('`session` must be one that `read` has returned.')
    const { sid } = await this.#options.verifier.verify(access)
    if (sid !== session.claims.sid) throw new TokenError('token_invalid', 'The token is of another session.')
    // A simultaneous request may have used the refresh token up, or signed the browser out.
    const tokens = await this.#refreshes.latest(kept.refresh).catch(() => undefined)
    if (tokens === null) return this.#cookie.clear()
    return this.#seal({ ...(tokens ? this.#keptOf(tokens, kept.org) : kept), access })
  }

  /**
   * Reads the session of a request. Refreshes an access token that is about to expire. Throws a {@link
   * SessionUnavailableError}.
   */
  async read(request: IncomingRequest): Promise<ReadSession> {
    const kept = await this.#cookie.read(request)
    if (!kept) return { session: null, setCookie: null }
    const current = await this.#verified(request, kept, null)
    const isLasting = current && current.claims.exp - this.#now() / 1000 > SPARE_SECONDS
    if (isLasting) return { session: current, setCookie: null }
    let tokens: SessionTokens | null
    try {
      tokens = await this.#refresh(request, kept)
    } catch (error) {
      // The token is still valid for a moment.
      if (current && error instanceof ConnectionError) return { session: current, setCookie: null }
      throw new SessionUnavailableError(error, null)
    }
    return this.#renewed(request, kept, tokens)
  }

  /**
   * Renews the tokens although the access token has not expired, so that its claims show what has changed: a role, a permission, the
   * `token_claims`. The response must have the `Set-Cookie`. Throws a {@link SessionUnavailableError}.
   */
  async refresh(request: IncomingRequest): Promise<ReadSession> {
    const kept = await this.#cookie.read(request)
    if (!kept) return { session: null, setCookie: null }
    let tokens: SessionTokens | null
    try {
      // What an earlier refresh of this cookie has brought may be older than the change.
      this.#refreshes.forgetOld()
      const known = await this.#refreshes.latest(kept.refresh)
      tokens =
        known === null ? null : await this.#refresh(request, { ...kept, refresh: known?.refresh_token ?? kept.refresh })
    } catch (error) {
      throw new SessionUnavailableError(error, null)
    }
    return this.#renewed(request, kept, tokens)
  }

  /** The session of new tokens, or of none. */
  async #renewed(request: IncomingRequest, kept: Kept, tokens: SessionTokens | null): Promise<ReadSession> {
    if (!tokens) return { session: null, setCookie: this.#cookie.clear() }
    const renewed = this.#keptOf(tokens, kept.org)
    const setCookie = await this.#seal(renewed)
    const session = await this.#verified(request, renewed, setCookie)
    if (session) return { session, setCookie }
    // Watchword has just issued the token, so the keys or the verifier's settings are wrong.
    throw new SessionUnavailableError(new Error('The new access token does not verify.'), setCookie)
  }

  /**
   * Reads the session of a request if no cookie can be set. Never refreshes, because the new tokens would be lost.
   * Throws a {@link SessionUnavailableError}, and an Error if the access token has expired, because `read` must be
   * called before.
   */
  async peek(request: IncomingRequest): Promise<ActiveSession | null> {
    const kept = await this.#cookie.read(request)
    if (!kept) return null
    return this.#open(request, kept, null).catch((error: unknown) => {
      if (!(error instanceof TokenError)) throw error
      // Returning null would show people as signed out whenever an access token has expired.
      if (error.code === 'token_expired')
        throw new Error('The access token has expired: refresh it before this code runs.', { cause: error })
      return null
    })
  }

  /** Signs the browser out, also where Watchword is unreachable. With `everywhere` the other sessions of the user end as well. */
  async end(request: IncomingRequest, { everywhere = false }: EndOptions = {}): Promise<EndedSession> {
    const kept = await this.#cookie.read(request)
    const setCookie = this.#cookie.clear()
    if (!kept) return { setCookie, error: null }
    const refresh = this.#refreshes.end(kept.refresh)
    this.#noteSignOut(kept.access)
    const client = this.#options.client.forRequest(request)
    const revoked = client.tokens.revoke({ refresh_token: refresh, ...(everywhere ? { everywhere } : {}) })
    return revoked.then(
      () => ({ setCookie, error: null }),
      (error: unknown) => ({ setCookie, error }),
    )
  }

  /**
   * Protects against forged requests from other sites: changes must come from a page of your application, which
   * browsers state in `Sec-Fetch-Site` or `Origin`. A request without a method counts as a change. Throws a {@link
   * CrossSiteError}.
   */
  assertSameOrigin(request: IncomingRequest): void {
    if (SAFE.has((request.method ?? '').toUpperCase())) return
    if (!this.isSameOrigin(request)) throw new CrossSiteError(`Send this request from a page of ${this.#origin}.`)
  }

  /**
   * Whether the request comes from a page of your application, whatever its method. Use it for a `GET` that starts a
   * sign-in at a provider: a link on another site could sign the browser in to an account of the link's author.
   */
  isSameOrigin(request: IncomingRequest): boolean {
    const site = headerOf(request, 'sec-fetch-site')
    return site === undefined ? headerOf(request, 'origin') === this.#origin : site === 'same-origin'
  }

  get #name(): string {
    return this.#options.cookieName ?? 'session'
  }

  #newCookie<T>(name: string): SealedCookie<T> {
    return new SealedCookie({ name, secret: this.#options.secret, secure: this.#secure, now: this.#now })
  }

  #keptOf(
    { access_token: access, refresh_token: refresh, refresh_expires_in: seconds }: SessionTokens,
    org: string | null,
  ) {
    return { access, refresh, org, until: Math.floor(this.#now() / 1000) + seconds }
  }

  #seal(kept: Kept): Promise<string> {
    return this.#cookie.write(kept, Math.max(kept.until - Math.floor(this.#now() / 1000), 0))
  }

  /** The session of a token, or null if the token is not valid. */
  async #verified(request: IncomingRequest, kept: Kept, setCookie: string | null): Promise<ActiveSession | null> {
    return this.#open(request, kept, setCookie).catch((error: unknown) => {
      if (error instanceof TokenError) return null
      throw error
    })
  }

  /**
   * The session of a token. Throws a {@link TokenError}, or a {@link SessionUnavailableError} if the token cannot be
   * checked.
   */
  async #open(request: IncomingRequest, kept: Kept, setCookie: string | null): Promise<ActiveSession> {
    try {
      const claims = await this.#options.verifier.verify(kept.access)
      if (this.#signedOut.has(claims.sid)) throw new TokenError('token_revoked', 'The session was signed out.')
      const session = {
        claims,
        accessToken: kept.access,
        organization: claims.org_id ?? TEAM,
        authAge: this.#now() / 1000 - claims.auth_time,
        user: this.#options.client.forRequest(request).forUser(kept.access),
      }
      this.#read.set(session, kept)
      return session
    } catch (error) {
      if (error instanceof TokenError && !error.code.endsWith('_unavailable')) throw error
      throw new SessionUnavailableError(error, setCookie)
    }
  }

  /** The new tokens, or null if only a new sign-in helps. */
  #refresh(request: IncomingRequest, { refresh, org }: Kept): Promise<SessionTokens | null> {
    this.#refreshes.forgetOld()
    if (!this.#refreshes.has(refresh)) {
      // The token names an organization, and not the team.
      const body = { refresh_token: refresh, ...(org === null ? { subOrgId: TEAM } : {}) }
      this.#refreshes.remember(refresh, requestTokens(this.#options.client.forRequest(request), body))
    }
    return this.#refreshes.latest(refresh).then((tokens) => tokens ?? null)
  }

  /** Remembers that a session was signed out, until its access tokens have expired. */
  #noteSignOut(access: string): void {
    for (const [sid, until] of this.#signedOut) if (until < this.#now()) this.#signedOut.delete(sid)
    const { sid, exp = 0, iat = exp } = decodeJwt(access)
    // A simultaneous refresh may have issued another access token, which is valid for as long as this one was.
    this.#signedOut.set(String(sid), this.#now() + (exp - iat) * 1000)
  }
}

async function requestTokens(client: Watchword, body: TokensRefreshRequest): Promise<SessionTokens | null> {
  try {
    // If the response has no session, a second factor is now required. A new sign-in asks for the factor.
    return (await client.tokens.refresh(body)).session
  } catch (error) {
    if (error instanceof WatchwordError && OVER.has(error.code)) return null
    throw error
  }
}

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.+\.localhost)$/

/**
 * The origin as browsers send it. Throws a TypeError if it is not an origin, or if the cookie would be sent
 * unencrypted.
 */
function checkOrigin({ origin, insecure = false }: SessionsOptions): { origin: string; isSecure: boolean } {
  const url = URL.canParse(origin) ? new URL(origin) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError('`origin` is where browsers find your application, such as https://app.example.com.')
  const isSecure = url.protocol === 'https:'
  if (!isSecure && !insecure && !LOCAL.test(url.hostname))
    throw new TypeError('`origin` must begin with https, except on this machine. `insecure` allows http.')
  return { origin: url.origin, isSecure }
}
