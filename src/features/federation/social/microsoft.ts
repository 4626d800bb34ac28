import { FederationFailure } from '../federation/federation.ts'
import { type Claims, finishAuthorization, type OidcProvider, startAuthorization, toPerson } from '../oidc/oidc.ts'
import { baseOf, type Dialect, type SocialContext, toFederated } from './dialect.ts'

/** The tenant of all personal accounts. */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad'
const SEVERAL = ['common', 'organizations']

/** https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc */
export const microsoft: Dialect = {
  name: 'microsoft',
  scopes: ['openid', 'email', 'profile'],
  start: (context, begun) => startAuthorization(context.platform, toProvider(context), begun),
  async finish(context, begun, callback) {
    const asked = { signIn: begun, callback, asksUserinfo: () => false }
    const answer = await finishAuthorization(context.platform, toProvider(context), asked)
    const tenant = tenantOf(context)
    if (tenant === 'organizations' && answer.idToken['tid'] === PERSONAL)
      throw new FederationFailure(
        'response_invalid',
        'It is a personal account, where organizations alone may sign in.',
      )
    const emailVerified = !SEVERAL.includes(tenant) && vouchesForDomain(answer.idToken)
    return { ...toFederated(toPerson(answer)), emailVerified }
  },
}

/**
 * Whether the tenant has proved the domain of the address. `email` alone proves nothing: a tenant's administrator can
 * enter anyone's address there. The address therefore counts only if the tenant has proved the domain and the
 * application trusts this tenant by its id.
 * https://learn.microsoft.com/entra/identity-platform/migrate-off-email-claim-authorization
 */
function vouchesForDomain({ xms_edov: isOwned }: Claims): boolean {
  return isOwned === true || isOwned === 1 || isOwned === '1'
}

function tenantOf({ application }: SocialContext): string {
  const tenant = application.tenant ?? 'common'
  return tenant === 'consumers' ? PERSONAL : tenant
}

/** With several tenants, the issuer has a placeholder for the token's `tid`. */
function toProvider(context: SocialContext): OidcProvider {
  const { platform, directoryId, application, redirectUri } = context
  const { clientId, secret, scopes } = application
  const base = baseOf(platform, 'microsoft', 'https://login.microsoftonline.com')
  const tenant = tenantOf(context)
  const isShared = [...SEVERAL, PERSONAL].includes(tenant)
  return {
    asker: { directoryId, source: 'microsoft', isShared },
    issuer: `${base}/${SEVERAL.includes(tenant) ? '{tenantid}' : tenant}/v2.0`,
    discoveryUrl: `${base}/${tenant}/v2.0/.well-known/openid-configuration`,
    clientId,
    client: { method: 'client_secret_post', secret },
    scopes,
    redirectUri,
  }
}
