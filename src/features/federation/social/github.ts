import { createHash } from 'node:crypto'
import { FederationFailure } from '../federation/federation.ts'
import { openTransport, refusedByProvider, type Transport } from '../oidc/oidc.ts'
import { baseOf, type Dialect, type SocialCallback, type SocialContext } from './dialect.ts'

const PUBLIC = 'https://github.com'

/** OAuth 2 without OpenID Connect. https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
export const github: Dialect = {
  name: 'github',
  scopes: ['user:email', 'read:user'],
  async start({ platform, application, redirectUri }, begun) {
    const url = new URL(`${baseOf(platform, 'github', PUBLIC)}/login/oauth/authorize`)
    url.search = new URLSearchParams({
      client_id: application.clientId,
      redirect_uri: redirectUri,
      scope: application.scopes.join(' '),
      state: begun.state,
      code_challenge: createHash('sha256').update(begun.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    return url.href
  },
  async finish(context, begun, callback) {
    const issuer = baseOf(context.platform, 'github', PUBLIC)
    const transport = openTransport(context.platform, {
      directoryId: context.directoryId,
      source: 'github',
      isShared: true,
    })
    const token = await exchangeCode(transport, context, { callback, codeVerifier: begun.codeVerifier })
    const api = apiOf(issuer)
    const profile = await read(transport, `${api}/user`, token)
    const { id, name, login } = Object(profile)
    if (!Number.isSafeInteger(id) || id <= 0) throw new FederationFailure('response_invalid', 'GitHub named no user.')
    const primary = findPrimary(await read(transport, `${api}/user/emails`, token))
    return {
      issuer,
      // A login name can pass to another person, an id cannot.
      subject: String(id),
      email: primary?.email ?? null,
      emailVerified: primary?.isVerified ?? false,
      firstName: null,
      lastName: null,
      displayName: typeof name === 'string' && name.trim() !== '' ? name : typeof login === 'string' ? login : null,
      amr: [],
      isTwoFactor: false,
    }
  },
}

/** github.com and GitHub Enterprise Cloud have a separate host for the API. A self-hosted server has a path. */
function apiOf(base: string): string {
  const { protocol, host } = new URL(base)
  return base === PUBLIC || host.endsWith('.ghe.com') ? `${protocol}//api.${host}` : `${base}/api/v3`
}

async function exchangeCode(
  transport: Transport,
  { platform, application, redirectUri }: SocialContext,
  { callback, codeVerifier }: { callback: SocialCallback; codeVerifier: string },
): Promise<string> {
  const { code, error, iss } = callback
  const base = baseOf(platform, 'github', PUBLIC)
  // GitHub publishes no metadata, so `iss` is not required. If it is sent, it must name GitHub (RFC 9207 §2.4).
  if (iss !== undefined && iss !== base && iss !== `${base}/login/oauth`)
    throw new FederationFailure('response_invalid', 'The callback names another issuer (iss).')
  if (error !== undefined) throw refusedByProvider(error)
  if (code === undefined) throw new FederationFailure('response_invalid', 'There is no code.')
  const { body } = await transport(`${base}/login/oauth/access_token`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      client_id: application.clientId,
      client_secret: application.secret,
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    }).toString(),
  })
  // GitHub reports errors with status 200.
  const { access_token: token, error: refused } = Object(parse(body))
  if (refused !== undefined) throw refusedByProvider(refused)
  if (typeof token !== 'string' || !/^[\w.-]{1,500}$/.test(token))
    throw new FederationFailure('response_invalid', 'There is no access token.')
  return token
}

async function read(transport: Transport, url: string, token: string): Promise<unknown> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'x-github-api-version': '2022-11-28',
  }
  const { status, body } = await transport(url, { method: 'GET', headers })
  if (status !== 200) throw new FederationFailure('idp_error', `GitHub answers with status ${status}.`)
  return parse(body)
}

/** Takes only the primary address, which the user has chosen. GitHub also lists unverified addresses. */
function findPrimary(emails: unknown): { email: string; isVerified: boolean } | null {
  const list: unknown[] = Array.isArray(emails) ? emails : []
  const { email, verified } = Object(list.find((entry) => Object(entry).primary === true))
  return typeof email === 'string' ? { email, isVerified: verified === true } : null
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new FederationFailure('response_invalid', 'The answer is not JSON.')
  }
}
