import type { Work } from '../../../platform/work.ts'
import { type ConnectionCheck, oidcRedirectUri, type SsoProtocol } from '../connections/connections.ts'
import { callbackOf, type KnownConnection, openClientSecret } from '../connections/known/known.ts'
import { FederationFailure } from '../federation/federation.ts'
import { checkProvider } from './check.ts'
import { startAuthorization } from './exchange.ts'
import { clientKey } from './keys.ts'
import type { ClientAuthentication, OidcProvider } from './provider.ts'
import { startLogout } from './rp-logout.ts'

/** The provider in a connection's configuration. Throws FederationFailure if a field is missing. */
export async function providerOf(work: Work, connection: KnownConnection): Promise<OidcProvider> {
  const { oidc_issuer: issuer, oidc_client_id: clientId, oidc_scopes } = connection
  if (issuer === null) throw missing('oidc_issuer')
  if (clientId === null) throw missing('oidc_client_id')
  const client = await authenticationOf(work, connection)
  const scopes = [...new Set(['openid', ...oidc_scopes])]
  const redirectUri = oidcRedirectUri(work.platform, callbackOf(connection))
  const asker = { directoryId: work.directory.id, source: connection.id, isShared: false }
  return { asker, issuer, clientId, client, scopes, redirectUri }
}

async function authenticationOf(work: Work, connection: KnownConnection): Promise<ClientAuthentication> {
  const { oidc_client_auth: method } = connection
  if (method === 'private_key_jwt') return { method, key: await clientKey(work) }
  if (method === 'none') return { method }
  const secret = await openClientSecret(work, connection)
  if (secret === null) throw missing('oidc_client_secret')
  return { method, secret }
}

/** A warning only: the connection works, but responses of several providers arrive at one address (RFC 9700 §4.4). */
function checkCallback({ platform }: Work, connection: KnownConnection): ConnectionCheck[] {
  if (connection.oidc_callback === 'connection') return []
  const message =
    'The connection shares its redirect URI with others: a code of this provider could reach another organization.'
  const fix = `Register ${oidcRedirectUri(platform, connection.id)} at the provider, then set oidc_callback to connection.`
  return [{ id: 'redirect_uri', ok: true, message, fix }]
}

const missing = (field: string) => new FederationFailure('connection_incomplete', `The connection has no ${field}.`)

/** The OpenID Connect protocol for connections. */
export const oidcProtocol: SsoProtocol = {
  async start(work, connection, begun, { loginHint }) {
    const provider = await providerOf(work, connection)
    const authorizationUrl = await startAuthorization(work.platform, provider, begun, {
      // With max_age, the ID token must contain the time (OpenID Connect Core §3.1.2.1). Some providers only support
      // prompt.
      ...(begun.forceAuthn ? { prompt: 'login', max_age: '0' } : {}),
      ...(loginHint === null ? {} : { login_hint: loginHint }),
    })
    return { authorizationUrl }
  },
  logOut: async (work, connection, demand) => startLogout(work.platform, await providerOf(work, connection), demand),
  async check(work, connection) {
    try {
      const checks = await checkProvider(work.platform, await providerOf(work, connection))
      return [...checks, ...checkCallback(work, connection)]
    } catch (error) {
      if (!(error instanceof FederationFailure)) throw error
      return [
        { id: 'configuration', ok: false, message: error.detail, fix: 'PATCH the connection with what is missing.' },
      ]
    }
  },
}
