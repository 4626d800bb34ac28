import { type Claims, finishAuthorization, type OidcProvider, startAuthorization, toPerson } from '../oidc/oidc.ts'
import { baseOf, type Dialect, type SocialContext, toFederated } from './dialect.ts'

/** https://developers.google.com/identity/openid-connect/openid-connect */
export const google: Dialect = {
  name: 'google',
  scopes: ['openid', 'email', 'profile'],
  start: (context, begun) => startAuthorization(context.platform, toProvider(context), begun),
  async finish(context, begun, callback) {
    const asked = { signIn: begun, callback, asksUserinfo: () => false }
    const answer = await finishAuthorization(context.platform, toProvider(context), asked)
    const person = toFederated(toPerson(answer))
    return { ...person, emailVerified: person.emailVerified === true && isGooglesOwn(person.email, answer.idToken) }
  },
}

/**
 * Whether Google hosts the mailbox: Gmail, or a Workspace address (`hd`). Google verified other addresses only once,
 * when the Google account was created, and they may belong to another person now.
 * https://developers.google.com/identity/gsi/web/guides/verify-google-id-token
 */
function isGooglesOwn(email: string | null, { hd }: Claims): boolean {
  return /@(gmail|googlemail)\.com$/i.test(email ?? '') || (typeof hd === 'string' && hd !== '')
}

function toProvider({ platform, directoryId, application, redirectUri }: SocialContext): OidcProvider {
  const { clientId, secret, scopes } = application
  const issuer = baseOf(platform, 'google', 'https://accounts.google.com')
  const asker = { directoryId, source: 'google', isShared: true }
  return { asker, issuer, clientId, client: { method: 'client_secret_post', secret }, scopes, redirectUri }
}
