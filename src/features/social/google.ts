import { finishAuthorization, type OidcProvider, startAuthorization, toPerson } from '../oidc/oidc.ts'
import { baseOf, type Dialect, type SocialContext, toFederated } from './dialect.ts'

/** https://developers.google.com/identity/openid-connect/openid-connect */
export const google: Dialect = {
  name: 'google',
  scopes: ['openid', 'email', 'profile'],
  start: (context, begun) => startAuthorization(context.platform, toProvider(context), begun),
  async finish(context, begun, callback) {
    const asked = { signIn: begun, callback, asksUserinfo: () => false }
    return toFederated(toPerson(await finishAuthorization(context.platform, toProvider(context), asked)))
  },
}

function toProvider({ platform, application, redirectUri }: SocialContext): OidcProvider {
  const { clientId, secret, scopes } = application
  const issuer = baseOf(platform, 'google', 'https://accounts.google.com')
  return { issuer, clientId, client: { method: 'client_secret_post', secret }, scopes, redirectUri }
}
