import { WatchwordError } from './errors.ts'
import type { SessionTokens, TokensRefreshRequest } from './gen/schemas.gen.ts'
import type { UserOperations, Watchword } from './index.ts'
import { headerOf, type IncomingRequest } from './request.ts'
import { SealedCookie } from './sealed-cookie.ts'
import { type Claims, TokenError, type TokenVerifier } from './tokens.ts'

export type { IncomingRequest } from './request.ts'
export { SealedCookie, type SealedCookieOptions } from './sealed-cookie.ts'

export interface SessionsOptions {
  /** A client whose key has the scope `auth.login`. */
  client: Watchword
  /** Checks the access tokens of your environment. */
  verifier: TokenVerifier
  /** Where browsers find your application, such as `https://app.example.com`. */
  origin: string
  /** At least 32 random characters. During a change the new one first, then the old. */
  secret: string | readonly string[]
  /** The name of the cookie. Default `session`. */
  cookieName?: string | undefined
  /** The current time in milliseconds since 1970. */
  now?: (() => number) | undefined
}

/** Who is signed in. */
export interface ActiveSession {
  claims: Claims
  accessToken: string
  /** The operations of the user, such as `user.me.get()`. */
  user: UserOperations
}

/** Who sent a request, and the `Set-Cookie` that the response must have, if any. */
export interface ReadSession {
  session: ActiveSession | null
  setCookie: string | null
}

/** The request did not come from a page of your application. Answer it with 403. */
export class CrossSiteError extends Error {
  override readonly name = 'CrossSiteError'
  readonly code = 'cross_site'
}

interface Kept {
  access: string
  refresh: string
  org: string | null
}

/** After these refusals of a refresh only a new sign-in helps. */
const OVER: ReadonlySet<string> = new Set([
  'refresh_token_invalid',
  'refresh_token_reused',
  'user_inactive',
  'user_locked',
  'organization_suspended',
  'sso_required',
])
/** How long the outcome of a refresh serves requests with the old cookie, in milliseconds. Below the service's 10 s. */
const SHARED_MS = 5000
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Sessions of a web application: one sealed cookie holds the tokens, an expired access token is refreshed, and simultaneous
 * requests share one refresh. Requests at other processes get the same successor from Watchword.
 */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #cookie: SealedCookie<Kept>
  readonly #refreshes = new Map<string, Refresh>()

  constructor(options: SessionsOptions) {
    const { cookieName = 'session', origin, secret, now } = options
    this.#options = options
    this.#cookie = new SealedCookie({ name: cookieName, secret, secure: origin.startsWith('https:'), now })
  }

  /** Signs the browser in: the `Set-Cookie` with the tokens of a sign-in. */
  async start(tokens: SessionTokens): Promise<string> {
    const { org_id: org } = await this.#options.verifier.verify(tokens.access_token)
    const kept: Kept = { access: tokens.access_token, refresh: tokens.refresh_token, org }
    return this.#cookie.write(kept, tokens.refresh_expires_in)
  }

  /**
   * Who sent the request. Refreshes an expired access token. Throws if Watchword or its keys are unreachable: the cookie is
   * still good then.
   */
  async read(request: IncomingRequest): Promise<ReadSession> {
    const kept = await this.#cookie.read(request)
    if (!kept) return { session: null, setCookie: null }
    const session = await this.#verified(kept.access)
    if (session) return { session, setCookie: null }
    const tokens = await this.#refresh(request, kept)
    const renewed = tokens && (await this.#verified(tokens.access_token))
    if (!tokens || !renewed) return { session: null, setCookie: this.#cookie.clear() }
    return { session: renewed, setCookie: await this.start(tokens) }
  }

  /** Signs the browser out: ends the session, and returns the `Set-Cookie` that forgets it, whatever becomes of the request. */
  async end(request: IncomingRequest): Promise<string> {
    const kept = await this.#cookie.read(request)
    if (kept) {
      const { client } = this.#options
      await client.forRequest(request).tokens.revoke({ refresh_token: kept.refresh }).catch(ignore)
    }
    return this.#cookie.clear()
  }

  /**
   * Against forged requests of other sites: what changes something must come from a page of your application, which browsers
   * say in `Sec-Fetch-Site` or `Origin`. Throws a {@link CrossSiteError}.
   */
  assertSameOrigin(request: IncomingRequest): void {
    if (SAFE.has((request.method ?? 'GET').toUpperCase())) return
    const site = headerOf(request, 'sec-fetch-site')
    const origin = headerOf(request, 'origin')
    const isOwn = site === undefined ? origin === new URL(this.#options.origin).origin : site === 'same-origin'
    if (!isOwn) throw new CrossSiteError(`Send this request from a page of ${this.#options.origin}.`)
  }

  async #verified(token: string): Promise<ActiveSession | null> {
    try {
      const claims = await this.#options.verifier.verify(token)
      return { claims, accessToken: token, user: this.#options.client.forUser(token) }
    } catch (error) {
      if (error instanceof TokenError && !error.code.endsWith('_unavailable')) return null
      throw error
    }
  }

  /** The new tokens, or null if only a new sign-in helps. */
  #refresh(request: IncomingRequest, { refresh, org }: Kept): Promise<SessionTokens | null> {
    const { now = Date.now, client } = this.#options
    for (const [token, { until }] of this.#refreshes) if (until < now()) this.#refreshes.delete(token)
    const known = this.#refreshes.get(refresh)
    if (known) return known.tokens
    const tokens = requestTokens(client.forRequest(request), { refresh_token: refresh, subOrgId: org ?? undefined })
    const entry: Refresh = { tokens, until: Number.POSITIVE_INFINITY }
    this.#refreshes.set(refresh, entry)
    tokens.then(
      () => {
        entry.until = now() + SHARED_MS
      },
      () => this.#refreshes.delete(refresh),
    )
    return tokens
  }
}

interface Refresh {
  tokens: Promise<SessionTokens | null>
  /** When its outcome serves no more, in milliseconds since 1970. */
  until: number
}

async function requestTokens(client: Watchword, body: TokensRefreshRequest): Promise<SessionTokens | null> {
  try {
    // Without a session a second factor is required by now: a new sign-in asks for it.
    return (await client.tokens.refresh(body)).session
  } catch (error) {
    if (error instanceof WatchwordError && OVER.has(error.code)) return null
    throw error
  }
}

const ignore = () => undefined
