import type { Caller, Reply, TestApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import type { FederatedApp } from '../people/oidc-organization.ts'
import { arrived, callbackPathOf, HOME, startFederatedApp } from '../people/oidc-organization.ts'
import { type OpPeer, startOpPeer } from './op-peer.ts'

const CALLBACK = '/v1/auth/login/social/callback'
/** By state: the redirect URI that the start of a sign-in has sent to the provider. */
const callbacks = new Map<string, string>()
const pathOf = ({ state = '' }: Record<string, string>) => callbacks.get(state) ?? CALLBACK

/** What GitHub says of somebody. */
interface GithubAccount {
  user: Record<string, unknown>
  emails: unknown
}

export interface GithubPeer extends OpPeer {
  account: GithubAccount
}

/** A GitHub Enterprise Server: OAuth 2, an API below a path, errors with the status 200. */
export async function startGithubPeer(): Promise<GithubPeer> {
  const peer = await startOpPeer()
  const github: GithubPeer = Object.assign(peer, { account: { user: {}, emails: [] } })
  const token = peer.routes.get('/token')
  peer.routes.set('/login/oauth/access_token', (asked) => {
    const { error } = Object(token?.(asked))
    return error === undefined
      ? { access_token: 'gho_1', token_type: 'bearer', scope: '' }
      : { said: 'no', ...refusal(error) }
  })
  peer.routes.set('/api/v3/user', ({ headers }) => (isBearer(headers) ? github.account.user : null))
  peer.routes.set('/api/v3/user/emails', ({ headers }) => (isBearer(headers) ? github.account.emails : null))
  return github
}

const isBearer = ({ authorization }: { authorization?: string | undefined }) => authorization === 'Bearer gho_1'

/** With an `error` of its own the peer would answer 400. */
function refusal(error: string) {
  return { toJSON: () => ({ error: error === 'invalid_grant' ? 'bad_verification_code' : error }) }
}

/** The peers of all providers, and a service that takes them for the providers. */
export async function startSocial(env: Record<string, string> = {}) {
  const tenants = (url: string) => `${url}/{tenantid}/v2.0`
  const [google, apple, microsoft] = [await startOpPeer(), await startOpPeer(), await startOpPeer(tenants)]
  const github = await startGithubPeer()
  const service = await startFederatedApp({
    WATCHWORD_SOCIAL_GOOGLE_URL: google.url,
    WATCHWORD_SOCIAL_APPLE_URL: apple.url,
    WATCHWORD_SOCIAL_MICROSOFT_URL: microsoft.url,
    WATCHWORD_SOCIAL_GITHUB_URL: github.url,
    ...env,
  })
  return { ...service, google, apple, microsoft, github }
}

/** An organization that has a provider on, open to everybody. */
export async function withProvider(
  { tenant }: Pick<FederatedApp, 'tenant'>,
  provider: string,
  fields: Record<string, unknown> = {},
) {
  const id = await tenant.organization()
  const key = await tenant.withKey({ subOrgId: id })
  const own = provider === 'apple' ? {} : { client_secret: 'op-secret' }
  succeeded(await key.put('/v1/social/providers', { provider, enabled: true, client_id: 'client', ...own, ...fields }))
  return { id, key }
}

export async function startAt(key: Caller, provider: string, fields: Record<string, unknown> = {}) {
  const body = { provider, redirectUri: HOME, openSignup: true, ...fields }
  const { authorization_url, state } = succeeded(await key.post('/v1/auth/login/social/start', body))
  callbacks.set(String(state), callbackPathOf(String(authorization_url)))
  return { authorization_url: String(authorization_url), state: String(state) }
}

/** What the callback answers a browser that brings this: at the redirect URI of the start, or the shared one. */
export function callBack(app: TestApp, fields: Record<string, string>, path = pathOf(fields)): Promise<Reply> {
  return app.as(null).get(`${path}?${new URLSearchParams(fields)}`)
}

/** By the form that Apple has the browser send. */
export function callBackByForm(app: TestApp, fields: Record<string, string>, path = pathOf(fields)): Promise<Reply> {
  return app.as(null).post(path, new URLSearchParams(fields).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
    origin: 'https://appleid.apple.com',
    'sec-fetch-site': 'cross-site',
  })
}

/** A whole sign-in of somebody at a peer; what the application gets. */
export async function signInAt(
  app: TestApp,
  key: Caller,
  { provider, peer, claims }: { provider: string; peer: OpPeer; claims: Record<string, unknown> },
): Promise<Record<string, string>> {
  const { authorization_url, state } = await startAt(key, provider)
  const { code } = peer.signIn(authorization_url, claims)
  return arrived(await callBack(app, { code, state }))
}
