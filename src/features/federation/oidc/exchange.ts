import { createPrivateKey } from 'node:crypto'
import type { ClientAuth, Configuration } from 'openid-client'
import { readErrorField } from '../../../platform/errors.ts'
import type { Platform } from '../../../platform/platform.ts'
import { FederationFailure } from '../federation/federation.ts'
import type { Discovery } from './documents.ts'
import { toFailure } from './failures.ts'
import type { Claims, OidcAnswer, OidcCallback, OidcProvider, OidcSignIn } from './provider.ts'
import { fetchFor, findDiscovery, openTransport } from './transport.ts'

/** How far the provider's clock may differ from ours. */
export const CLOCK_TOLERANCE_SECONDS = 60
const MAX_SUBJECT_LENGTH = 255
const TENANT = '{tenantid}'
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
// The library replaces the tenant only in Microsoft’s issuer, so this address stands for any issuer with a tenant.
// Documents are fetched from the provider's own address.
const LIBRARY_TENANTS = 'https://login.microsoftonline.com/'

/** Loaded at the first sign-in, since most processes never need it. */
const load = () => import('openid-client')

/**
 * The address where the user signs in: authorization code flow with PKCE (S256) and a nonce (RFC 9700 §2.1.1). Throws
 * FederationFailure.
 */
export async function startAuthorization(
  platform: Platform,
  provider: OidcProvider,
  signIn: OidcSignIn,
  more: Record<string, string> = {},
): Promise<string> {
  return withFixedCodes(async () => {
    const openid = await load()
    const { config } = await configure(platform, provider)
    const url = openid.buildAuthorizationUrl(config, {
      ...more,
      redirect_uri: provider.redirectUri,
      scope: provider.scopes.join(' '),
      state: signIn.state,
      nonce: signIn.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(signIn.codeVerifier),
      code_challenge_method: 'S256',
    })
    return url.href
  })
}

/**
 * Exchanges the code for what the provider says about the user. Verifies the ID token (OpenID Connect Core §3.1.3.7)
 * including its signature, which the standard does not require in this flow. Also verifies the `iss` of the callback
 * (RFC 9207) if the provider announces or sends one. `asksUserinfo` gets the ID token and decides whether to ask the
 * userinfo endpoint, too. Throws FederationFailure.
 */
export async function finishAuthorization(
  platform: Platform,
  provider: OidcProvider,
  {
    signIn,
    callback,
    asksUserinfo,
  }: {
    signIn: OidcSignIn
    callback: OidcCallback
    asksUserinfo(idToken: Claims): boolean
  },
): Promise<OidcAnswer> {
  return withFixedCodes(async () => {
    const openid = await load()
    const { config, discovery } = await configure(platform, provider)
    checkTenantIssuer(provider, discovery, callback.iss)
    const tokens = await openid.authorizationCodeGrant(config, callbackUrl(provider, callback), {
      expectedState: signIn.state,
      expectedNonce: signIn.nonce,
      pkceCodeVerifier: signIn.codeVerifier,
      idTokenExpected: true,
    })
    const idToken: Claims = { ...tokens.claims() }
    const { issuer, subject } = checkIdToken(platform, provider, idToken)
    if (callback.iss !== undefined && callback.iss !== issuer)
      throw new FederationFailure('response_invalid', 'The callback named another issuer than the ID token (iss).')
    const isAsked = discovery.userinfo_endpoint !== undefined && asksUserinfo(idToken)
    const userinfo = isAsked ? { ...(await openid.fetchUserInfo(config, tokens.access_token, subject)) } : null
    return { issuer, subject, idToken, encodedIdToken: tokens.id_token ?? '', userinfo }
  })
}

/**
 * Sends a made-up code to the token endpoint. Returns the endpoint's error code, or `nothing` if its response has
 * none. Throws FederationFailure if there is no response.
 */
export async function probeTokenEndpoint(platform: Platform, provider: OidcProvider): Promise<string> {
  const openid = await load()
  try {
    const { config } = await configure(platform, provider)
    const { redirectUri: redirect_uri } = provider
    const asked = { code: 'test', redirect_uri, code_verifier: 'v'.repeat(43) }
    await openid.genericGrantRequest(config, 'authorization_code', asked)
    return 'nothing'
  } catch (error) {
    const failure = toFailure(error)
    if (failure instanceof FederationFailure && failure.code === 'idp_unreachable') throw failure
    if (readErrorField(error, 'code') === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') return 'invalid_client'
    return String(readErrorField(error, 'error') ?? 'nothing')
  }
}

async function configure(
  platform: Platform,
  provider: OidcProvider,
): Promise<{ config: Configuration; discovery: Discovery }> {
  const openid = await load()
  const transport = openTransport(platform, provider.asker)
  const discovery = await findDiscovery(platform, transport, provider)
  const server = new URL(provider.issuer.includes(TENANT) ? LIBRARY_TENANTS : provider.issuer)
  // Process clock: the library compares ID tokens with Date.now(). The skew makes it use the platform's clock.
  const metadata = {
    // The library reads the time from Date.now().
    [openid.clockSkew]: Math.round((platform.clock.now().getTime() - Date.now()) / 1000),
    [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
  }
  const config = await openid.discovery(server, provider.clientId, metadata, await authenticate(provider), {
    [openid.customFetch]: fetchFor(platform, transport, { provider, discovery: forLibrary(provider, discovery) }),
    // Plain http is allowed here because the guarded HTTP client decides which addresses may use it.
    execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
  })
  return { config, discovery }
}

async function authenticate({ client }: OidcProvider): Promise<ClientAuth> {
  const openid = await load()
  if (client.method === 'none') return openid.None()
  if (client.method !== 'private_key_jwt')
    return client.method === 'client_secret_basic'
      ? openid.ClientSecretBasic(client.secret)
      : openid.ClientSecretPost(client.secret)
  const { id: kid, privateKeyPem, certificateDigest } = client.key
  const der = createPrivateKey(privateKeyPem).export({ type: 'pkcs8', format: 'der' })
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('pkcs8', new Uint8Array(der), algorithm, false, ['sign'])
  return openid.PrivateKeyJwt(
    { key, kid },
    { [openid.modifyAssertion]: (header) => void Object.assign(header, { 'x5t#S256': certificateDigest }) },
  )
}

/**
 * Gives the library an issuer that it can compare. `checkTenantIssuer` checks the `iss` of an issuer with a tenant
 * placeholder, which the library would compare literally.
 */
function forLibrary({ issuer }: OidcProvider, discovery: Discovery): Discovery {
  return issuer.includes(TENANT) ? { ...discovery, authorization_response_iss_parameter_supported: false } : discovery
}

/**
 * Checks the `iss` of the callback (RFC 9207 §2.4) before the code is sent to the token endpoint, for an issuer with
 * a tenant placeholder. The library checks the `iss` of all other providers. Throws FederationFailure.
 */
function checkTenantIssuer({ issuer }: OidcProvider, discovery: Discovery, iss: string | undefined): void {
  if (!issuer.includes(TENANT)) return
  const [before = '', after = ''] = issuer.split(TENANT)
  const isOfTenant =
    iss?.startsWith(before) && iss.endsWith(after) && UUID.test(iss.slice(before.length, -after.length))
  if (iss === undefined ? discovery.authorization_response_iss_parameter_supported : !isOfTenant)
    throw new FederationFailure('response_invalid', 'The callback does not name the issuer of the provider (iss).')
}

function callbackUrl(provider: OidcProvider, callback: OidcCallback): URL {
  const url = new URL(provider.redirectUri)
  const { code, state, error } = callback
  // The library would refuse every `iss` for an issuer with a placeholder, so `checkTenantIssuer` checks it instead.
  const iss = provider.issuer.includes(TENANT) ? undefined : callback.iss
  for (const [name, value] of Object.entries({ code, state, iss, error }))
    if (value !== undefined) url.searchParams.set(name, value)
  return url
}

/**
 * Checks what the library does not: an `azp` although there is one audience, a token issued in the future, and a
 * subject that is too long.
 */
function checkIdToken(
  platform: Platform,
  { clientId }: OidcProvider,
  { iss, sub, azp, iat, session_expiry: sessionEnds }: Claims,
) {
  const invalid = (detail: string) => new FederationFailure('response_invalid', detail)
  if (azp !== undefined && azp !== clientId) throw invalid('The ID token was issued to another client (azp).')
  // Process clock: it decides whether an ID token is valid, just as other services check our tokens with their
  // clocks.
  const now = platform.clock.now().getTime() / 1000
  if (typeof iat !== 'number' || iat > now + CLOCK_TOLERANCE_SECONDS)
    throw invalid('The ID token is of the future (iat).')
  if (sessionEnds !== undefined && typeof sessionEnds !== 'number')
    throw invalid('The end of the session at the provider is no number of seconds since the epoch (session_expiry).')
  // No clock tolerance here: with one, the new session could already be over when it begins.
  if (sessionEnds !== undefined && sessionEnds <= now)
    throw invalid('The session at the provider has ended (session_expiry).')
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH)
    throw invalid('The ID token names no subject (sub).')
  return { issuer: iss, subject: sub }
}

async function withFixedCodes<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFailure(error)
  }
}
