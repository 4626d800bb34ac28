import { decodeJwt } from 'jose/jwt/decode'
import type { Redirect } from '../../../platform/http/answer.ts'
import type { Platform } from '../../../platform/platform.ts'
import { oidcPostLogoutRedirectUri } from '../connections/connections.ts'
import type { BareWork } from '../federation/begin/begin.ts'
import { FederationFailure, federationErrors } from '../federation/federation.ts'
import { endLogout, type LogoutDemand, takeLogout } from '../federation/logout/logout.ts'
import type { OidcProvider } from './provider.ts'
import { findDiscovery, openTransport } from './transport.ts'

/**
 * The address where the user signs out at the provider (OpenID Connect RP-Initiated Logout §2). Null if the provider
 * has no such address, or if the connection's issuer or client id has changed since the sign-in. Throws
 * FederationFailure.
 */
export async function startLogout(
  platform: Platform,
  provider: OidcProvider,
  { hint, issuer: signedInAt, state }: LogoutDemand,
): Promise<string | null> {
  const { issuer, clientId } = provider
  if (issuer !== signedInAt || !audiencesOf(hint).includes(clientId)) return null
  const { end_session_endpoint: endpoint } = await findDiscovery(
    platform,
    openTransport(platform, provider.asker),
    provider,
  )
  if (endpoint === undefined) return null
  const url = new URL(endpoint)
  url.searchParams.set('id_token_hint', hint)
  url.searchParams.set('client_id', clientId)
  url.searchParams.set('post_logout_redirect_uri', oidcPostLogoutRedirectUri(platform))
  url.searchParams.set('state', state)
  return url.href
}

function audiencesOf(idToken: string): string[] {
  try {
    return [decodeJwt(idToken).aud ?? []].flat()
  } catch {
    throw new FederationFailure('response_invalid', 'The ID token cannot be read.')
  }
}

/**
 * Ends a logout at the provider by sending the browser back to the application. Throws `state_invalid`,
 * `invalid_redirect_uri`.
 */
export async function finishLogout(
  bare: BareWork,
  { state = '', error }: { state?: string; error?: string },
): Promise<Redirect> {
  const taken = await takeLogout(bare, state)
  if (!taken) throw federationErrors.stateUnknown()
  return endLogout(taken.work, taken.logout, error === undefined ? null : 'idp_error')
}
