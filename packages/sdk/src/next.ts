import { headerOf, type IncomingRequest } from './request.ts'
import { type Refusal, readOwnSession, withCookie } from './respond.ts'
import type { ActiveSession, EndedSession, Sessions } from './sessions.ts'

export { receiveDelivery, withSession } from './fetch.ts'
export type { Refusal } from './respond.ts'

/** What this needs of the cookies of Next.js. */
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
  /** A function is called at the first request: `next build` loads your modules, and has no key and no secret. */
  sessions: Sessions | (() => Sessions | Promise<Sessions>)
  /** `cookies` of `next/headers`. */
  cookies: () => Promise<NextCookies>
  /** `headers` of `next/headers`. */
  headers: () => Promise<Headers>
  /** What a page or a server action does without a session, such as `() => redirect('/login')`. */
  signedOut: () => never
  /** The response of the proxy to a request that is refused, such as a page. Default: its status, with its body as JSON. */
  refused?: (request: Request, refusal: Refusal) => Response | Promise<Response>
  /** The address of the end user, by a header that your own proxy sets. */
  ip?: (headers: Headers) => string | null | undefined
}

/** `NextResponse` of `next/server`. */
export interface NextResponseClass<Res extends Response> {
  next(init: { request: { headers: Headers } }): Res
}

/** Sessions of an application with the App Router of Next.js. */
export interface NextSessions {
  /**
   * For `proxy.ts`: refreshes the session of a request, for the browser and for the page that is rendered. A change that comes from
   * another site gets 403, server actions included; every request 503 while Watchword is unreachable.
   */
  proxy<Res extends Response>(request: Request, next: NextResponseClass<Res>): Promise<Response>
  /** Who is signed in, or null: in pages, server actions and route handlers behind the proxy. */
  read(): Promise<ActiveSession | null>
  /** Who is signed in. Without a session it ends in `signedOut`. */
  require(): Promise<ActiveSession>
  /** A server action that needs a session and a page of your application as its origin, whatever the proxy covers. */
  action<Args extends unknown[], T>(
    act: (session: ActiveSession, ...args: Args) => Promise<T>,
  ): (...args: Args) => Promise<T>
  /** Signs the browser in, with the tokens of a sign-in. For server actions and route handlers. */
  start(tokens: Parameters<Sessions['start']>[0]): Promise<void>
  /** Signs the browser out. `error` says why the session could not be ended at Watchword, or is null. */
  end(): Promise<Pick<EndedSession, 'error'>>
  /** The sessions, such as for `cookie` and `update`. */
  sessions(): Promise<Sessions>
  /** The request, for `forRequest` of a client and `read` of a sealed cookie. */
  request(): Promise<IncomingRequest>
  /** Sends a `Set-Cookie` of this package: of a sealed cookie, or of `update` of the sessions. For server actions and route handlers. */
  setCookie(header: string): Promise<void>
}

/** Sessions of an application with the App Router of Next.js 16 or later. Put them into a module that pages and `proxy.ts` import. */
export function nextSessions(options: NextSessionsOptions): NextSessions {
  const { cookies, headers, signedOut, ip } = options
  const sessions = onceMade(options.sessions)

  async function request(): Promise<IncomingRequest> {
    const own = new Headers(await headers())
    // With what this request has set already, unlike its headers.
    const pairs = (await cookies()).getAll().map(({ name, value }) => `${name}=${value}`)
    own.set('cookie', pairs.join('; '))
    return { headers: own, ip: ip?.(own) ?? undefined }
  }

  async function setCookie(header: string): Promise<void> {
    const { name, value, ...attributes } = partsOf(header)
    ;(await cookies()).set(name, value, attributes)
  }

  async function read(): Promise<ActiveSession | null> {
    // First: while `next build` tries to render a page, it ends here, before sessions are made.
    const incoming = await request()
    return (await sessions()).peek(incoming)
  }

  const requireSession = async () => (await read()) ?? signedOut()
  return {
    proxy: async (incoming, next) => refreshed(incoming, next, await sessions(), options),
    read,
    require: requireSession,
    action:
      (act) =>
      async (...args) => {
        // Without a method, it counts as a change.
        ;(await sessions()).assertSameOrigin(await request())
        return act(await requireSession(), ...args)
      },
    start: async (tokens) => setCookie(await (await sessions()).start(tokens)),
    async end() {
      const { setCookie: header, error } = await (await sessions()).end(await request())
      await setCookie(header)
      return { error }
    },
    sessions,
    request,
    setCookie,
  }
}

/** Makes the sessions at their first use, and again after a failure. */
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
  // The page that is rendered for this request reads the renewed session, and not the one whose tokens are spent.
  if (setCookie !== null) headers.set('cookie', replaced(headerOf({ headers }, 'cookie') ?? '', setCookie))
  const response = next.next({ request: { headers } })
  if (setCookie !== null) {
    response.headers.append('set-cookie', setCookie)
    response.headers.set('cache-control', 'no-store')
  }
  return response
}

/** The `Cookie` header of a browser that has got a `Set-Cookie`. */
function replaced(cookie: string, setCookie: string): string {
  const { name, value } = partsOf(setCookie)
  const others = cookie.split(/; */).filter((pair) => pair !== '' && !pair.startsWith(`${name}=`))
  return [...others, ...(value === '' ? [] : [`${name}=${value}`])].join('; ')
}

/** The parts of a `Set-Cookie` of this package. */
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
