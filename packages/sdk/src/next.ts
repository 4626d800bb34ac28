import { headerOf, type IncomingRequest } from './request.ts'
import { assertAllowed, checkRequirements, type Requirements } from './requirements.ts'
import { type Refusal, readOwnSession, withCookie } from './respond.ts'
import type { ActiveSession, EndedSession, EndOptions, Sessions } from './sessions.ts'

export { receiveDelivery, withSession } from './fetch.ts'
export { ForbiddenError, type Requirements } from './requirements.ts'
export type { Refusal } from './respond.ts'

/** The parts of Next.js's cookies that this package needs. */
export interface NextCookies {
  getAll(): { name: string; value: string }[]
  set(name: string, value: string, options: CookieOptions): unknown
}

interface CookieOptions {
  path: string
  maxAge: number
  httpOnly: boolean
  sameSite: 'lax'
  secure: boolean
}

export interface NextSessionsOptions {
  /**
   * The sessions, or a function that makes them at the first request. Use a function, because `next build` loads your
   * modules without a key and a secret.
   */
  sessions: Sessions | (() => Sessions | Promise<Sessions>)
  /** `cookies` from `next/headers`. */
  cookies: () => Promise<NextCookies>
  /** `headers` from `next/headers`. */
  headers: () => Promise<Headers>
  /** Called by a page or a server action without a session, for example `() => redirect('/login')`. */
  signedOut: () => never
  /** The proxy's response to a refused request, for example a page. By default, its status with its body as JSON. */
  refused?: (request: Request, refusal: Refusal) => Response | Promise<Response>
  /** Reads the end user's address from a header that your own proxy sets. */
  ip?: (headers: Headers) => string | null | undefined
}

/** `NextResponse` from `next/server`. */
export interface NextResponseClass<Res extends Response> {
  next(init: { request: { headers: Headers } }): Res
}

/** The sessions of an application that uses Next.js's App Router. */
export interface NextSessions {
  /**
   * For `proxy.ts`: refreshes the session of a request, for the browser and for the page that is rendered. Changes
   * that come from another site get 403, including server actions. While Watchword is unreachable, every request gets
   * 503.
   */
  proxy<Res extends Response>(request: Request, next: NextResponseClass<Res>): Promise<Response>
  /** The current session, or null. For pages, server actions and route handlers behind the proxy. */
  read(): Promise<ActiveSession | null>
  /** Who is signed in. Without a session it ends in `signedOut`. Throws a {@link ForbiddenError} if the session does not suffice. */
  require(requirements?: Requirements): Promise<ActiveSession>
  /**
   * A server action that needs a session and a page of your application as its origin, whatever the proxy covers. It throws a
   * {@link ForbiddenError} if the session does not suffice.
   */
  action<Args extends unknown[], T>(
    act: (session: ActiveSession, ...args: Args) => Promise<T>,
    requirements?: Requirements,
  ): (...args: Args) => Promise<T>
  /** Signs the browser in with the tokens of a sign-in. For server actions and route handlers. */
  start(tokens: Parameters<Sessions['start']>[0]): Promise<void>
  /** Signs the browser out. `error` says why the session could not be ended at Watchword, or is null. */
  end(options?: EndOptions): Promise<Pick<EndedSession, 'error'>>
  /** Renews the tokens, so that the claims show what has changed. For server actions and route handlers. */
  refresh(): Promise<ActiveSession | null>
  /** The sessions, such as for `cookie` and `update`. */
  sessions(): Promise<Sessions>
  /** The request, for a client's `forRequest` and a sealed cookie's `read`. */
  request(): Promise<IncomingRequest>
  /**
   * Sends a `Set-Cookie` of this package, from a sealed cookie or the sessions' `update`. For server actions and route
   * handlers.
   */
  setCookie(header: string): Promise<void>
}

/**
 * Makes the sessions of an application with the App Router of Next.js 16 or later. Call it in a module that pages and
 * `proxy.ts` import.
 */
export function nextSessions(options: NextSessionsOptions): NextSessions {
  const { cookies, headers, signedOut, ip } = options
  const sessions = onceMade(options.sessions)

  async function request(): Promise<IncomingRequest> {
    const own = new Headers(await headers())
    // Unlike the request's headers, this contains cookies that were set during this request.
    const pairs = (await cookies()).getAll().map(({ name, value }) => `${name}=${value}`)
    own.set('cookie', pairs.join('; '))
    return { headers: own, ip: ip?.(own) ?? undefined }
  }

  async function setCookie(header: string): Promise<void> {
    const { name, value, ...attributes } = partsOf(header)
    ;(await cookies()).set(name, value, attributes)
  }

  async function read(): Promise<ActiveSession | null> {
    // Called first: while `next build` tries to render a page, it stops here, before sessions are made.
    const incoming = await request()
    return (await sessions()).peek(incoming)
  }

  async function requireSession(requirements: Requirements = {}): Promise<ActiveSession> {
    const session = (await read()) ?? signedOut()
    assertAllowed(session, requirements)
    return session
  }

  return {
    proxy: async (incoming, next) => refreshed(incoming, next, await sessions(), options),
    read,
    require: requireSession,
    action(act, requirements = {}) {
      checkRequirements(requirements)
      return async (...args) => {
        // Without a method, it counts as a change.
        ;(await sessions()).assertSameOrigin(await request())
        return act(await requireSession(requirements), ...args)
      }
    },
    start: async (tokens) => setCookie(await (await sessions()).start(tokens)),
    async end(options) {
      const { setCookie: header, error } = await (await sessions()).end(await request(), options)
      await setCookie(header)
      return { error }
    },
    async refresh() {
      const { session, setCookie: header } = await (await sessions()).refresh(await request())
      if (header !== null) await setCookie(header)
      return session
    },
    sessions,
    request,
    setCookie,
  }
}

/** Makes the sessions at the first use, and again after a failure. */
function onceMade(given: NextSessionsOptions['sessions']): () => Promise<Sessions> {
  if (typeof given !== 'function') return async () => given
  let made: Promise<Sessions> | null = null
  return async () => {
    made ??= Promise.resolve().then(given)
    return made.catch((error: unknown) => {
      made = null
      throw error
    })
  }
}

async function refreshed<Res extends Response>(
  request: Request,
  next: NextResponseClass<Res>,
  sessions: Sessions,
  { ip, refused }: NextSessionsOptions,
): Promise<Response> {
  const { method } = request
  const headers = new Headers(request.headers)
  const { setCookie, refusal } = await readOwnSession(sessions, { headers, method, ip: ip?.(headers) ?? undefined })
  if (refusal && refusal.status !== 401) {
    const response = refused ? refused(request, refusal) : Response.json(refusal.body, { status: refusal.status })
    return withCookie(await response, setCookie)
  }
  // The page rendered for this request must read the renewed session, because the old tokens can no longer be used.
  if (setCookie !== null) headers.set('cookie', replaced(headerOf({ headers }, 'cookie') ?? '', setCookie))
  const response = next.next({ request: { headers } })
  if (setCookie !== null) {
    response.headers.append('set-cookie', setCookie)
    response.headers.set('cache-control', 'no-store')
  }
  return response
}

/** The `Cookie` header of a browser that has received a `Set-Cookie`. */
function replaced(cookie: string, setCookie: string): string {
  const { name, value } = partsOf(setCookie)
  const others = cookie.split(/; */).filter((pair) => pair !== '' && !pair.startsWith(`${name}=`))
  return [...others, ...(value === '' ? [] : [`${name}=${value}`])].join('; ')
}

/** The parts of a `Set-Cookie` made by this package. */
function partsOf(header: string): CookieOptions & { name: string; value: string } {
  const [pair = '', ...attributes] = header.split('; ')
  const at = pair.indexOf('=')
  const age = attributes.find((one) => one.startsWith('Max-Age='))?.slice('Max-Age='.length)
  return {
    name: pair.slice(0, at),
    value: pair.slice(at + 1),
    path: '/',
    maxAge: Number(age),
    httpOnly: true,
    sameSite: 'lax',
    secure: attributes.includes('Secure'),
  }
}
