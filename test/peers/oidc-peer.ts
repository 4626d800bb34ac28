import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

export interface OidcClient {
  client_id: string
  client_secret: string
  redirect_uris: string[]
  post_logout_redirect_uris?: string[]
  backchannel_logout_uri?: string
  backchannel_logout_session_required?: boolean
  token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post'
}

export interface OidcPeer {
  issuer: string
  /** Has it sign with a new key, and publish that alone. */
  rotate(kid: string): Promise<void>
  /** Signs somebody in at the authorization URL, as a browser would; returns where the browser is sent. */
  signIn(authorizationUrl: string, login: string): Promise<URL>
  /** The same of a browser that signs out there afterwards, of itself. */
  visit(authorizationUrl: string, login: string): Promise<{ back: URL; leave(): Promise<void> }>
}

/**
 * A real OpenID provider, in a process of its own, until the tests of the file end. `isNameless`: it neither announces nor
 * sends `iss` (RFC 9207). `isTalkative`: the ID token has every claim.
 */
export async function startOidcPeer(
  clients: OidcClient[],
  options: { isNameless?: boolean; isTalkative?: boolean } = {},
): Promise<OidcPeer> {
  const program = fileURLToPath(new URL('oidc-program.ts', import.meta.url))
  const child = fork(program, [JSON.stringify(clients), JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  })
  afterAll(() => void child.kill())
  const [issuer] = await once(child, 'message')
  return {
    issuer: String(issuer),
    async rotate(kid) {
      const rotated = once(child, 'message')
      child.send(kid)
      await rotated
    },
    signIn: async (authorizationUrl, login) => visit(String(issuer), authorizationUrl, { login }),
    async visit(authorizationUrl, login) {
      const cookies = new Map<string, string>()
      const back = await visit(String(issuer), authorizationUrl, { login }, cookies)
      const leave = async () => {
        await visit(String(issuer), `${issuer}/session/end`, { logout: 'yes' }, cookies)
      }
      return { back, leave }
    },
  }
}

/** Follows the redirects of the provider, keeps its cookies, and sends the form of each of its pages with this in it. */
async function visit(
  issuer: string,
  begin: string,
  answers: Record<string, string>,
  cookies = new Map<string, string>(),
): Promise<URL> {
  let [url, method, body]: [string, string, string | null] = [begin, 'GET', null]
  for (let steps = 0; steps < 10 && url.startsWith(issuer); steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const type = 'application/x-www-form-urlencoded'
    const headers = { cookie, ...(body === null ? {} : { 'content-type': type }) }
    const response = await fetch(url, { method, body, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location !== null) {
      ;[url, method, body] = [new URL(location, url).href, 'GET', null]
      continue
    }
    const page = await response.text()
    const [, action = url] = /<form[^>]*action="([^"]*)"/.exec(page) ?? []
    if (!page.includes('<form')) return new URL(url)
    const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const fields = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])), ...answers }
    ;[url, method, body] = [new URL(action, url).href, 'POST', new URLSearchParams(fields).toString()]
  }
  return new URL(url)
}

export interface HostilePeer {
  issuer: string
  /** What token requests have brought it. */
  received(): Promise<Record<string, string>[]>
}

/** A provider that keeps what it gets, in a process of its own, until the tests of the file end. */
export async function startHostilePeer(): Promise<HostilePeer> {
  const program = fileURLToPath(new URL('hostile-op-program.ts', import.meta.url))
  const child = fork(program, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] })
  afterAll(() => void child.kill())
  const [issuer] = await once(child, 'message')
  return {
    issuer: String(issuer),
    async received() {
      const told = once(child, 'message')
      child.send('tell')
      const [received] = await told
      return received
    },
  }
}
