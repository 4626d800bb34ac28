import type { SessionTokens } from './gen/schemas.gen.ts'

/**
 * How long the result of a refresh serves requests with the old cookie, in milliseconds: requests that a browser sent at the same
 * time, and a repeated request after a lost response. Other processes ask the service, which repeats the result for
 * `refresh_reuse_interval_seconds`.
 */
const SHARED_MS = 60_000

interface Refresh {
  tokens: Promise<SessionTokens | null>
  /** The refresh token in the result. */
  successor?: string | undefined
  /** When the result is forgotten, in milliseconds since 1970. */
  until: number
}

/** The refreshes of the last minute in this process, by the refresh token that was sent. */
export class Refreshes {
  readonly #entries = new Map<string, Refresh>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  has(refresh: string): boolean {
    return this.#entries.has(refresh)
  }

  /** Forgets refreshes of more than a minute ago. A cookie that is older is a replay, which only Watchword recognizes. */
  forgetOld(): void {
    for (const [token, { until }] of this.#entries) if (until < this.#now()) this.#entries.delete(token)
  }

  /** Remembers a refresh from its start. A failed one is forgotten. */
  remember(refresh: string, tokens: Refresh['tokens']): void {
    const entry: Refresh = { tokens, until: Number.POSITIVE_INFINITY }
    this.#entries.set(refresh, entry)
    tokens.then(
      (found) => {
        entry.successor = found?.refresh_token
        entry.until = this.#now() + SHARED_MS
      },
      () => {
        if (this.#entries.get(refresh) === entry) this.#entries.delete(refresh)
      },
    )
  }

  /** The newest tokens that one or more refreshes returned: null after a sign-out, undefined if this process knows no refresh. */
  async latest(refresh: string): Promise<SessionTokens | null | undefined> {
    const tokens = await this.#entries.get(refresh)?.tokens
    // A sign-out during the refresh has replaced the entry.
    if (tokens && (await this.#entries.get(refresh)?.tokens) === null) return null
    const later = tokens && (await this.latest(tokens.refresh_token))
    return later === undefined ? tokens : later
  }

  /** Ends a session, so that no request with an older cookie gets its tokens. Returns the newest refresh token. */
  end(refresh: string): string {
    const next = this.#entries.get(refresh)?.successor
    this.remember(refresh, Promise.resolve(null))
    return next === undefined ? refresh : this.end(next)
  }
}
