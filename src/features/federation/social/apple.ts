import { createPrivateKey } from 'node:crypto'
import { type Clock, epochSeconds } from '../../../platform/clock.ts'
import { signJws } from '../../../platform/crypto/jws.ts'
import { finishAuthorization, type OidcProvider, startAuthorization, toPerson } from '../oidc/oidc.ts'
import { type Application, baseOf, type Dialect, type SocialContext, toFederated } from './dialect.ts'

/** Apple accepts up to six months. This service makes a secret for each sign-in. */
const SECRET_SECONDS = 300
const MAX_NAME_LENGTH = 200

/** https://developer.apple.com/documentation/signinwithapplerestapi */
export const apple: Dialect = {
  name: 'apple',
  scopes: ['openid', 'name', 'email'],
  // If name or email is requested, Apple only supports a posted form.
  start: (context, begun) =>
    startAuthorization(context.platform, toProvider(context), begun, { response_mode: 'form_post' }),
  async finish(context, begun, callback) {
    const asked = { signIn: begun, callback, asksUserinfo: () => false }
    const answer = await finishAuthorization(context.platform, toProvider(context), asked)
    const { email_verified: isVerified } = answer.idToken
    return {
      ...toFederated(toPerson(answer)),
      ...readNames(callback.user),
      // Apple sends a boolean or a string. A relayed address (is_private_email) also receives mail, so it counts.
      emailVerified: isVerified === true || isVerified === 'true',
    }
  },
}

function toProvider({ platform, directoryId, application, redirectUri }: SocialContext): OidcProvider {
  const issuer = baseOf(platform, 'apple', 'https://appleid.apple.com')
  const secret = makeSecret(platform.clock, application, issuer)
  const { clientId, scopes } = application
  const asker = { directoryId, source: 'apple', isShared: true }
  return { asker, issuer, clientId, client: { method: 'client_secret_post', secret }, scopes, redirectUri }
}

/** The client secret: a JWT of the team, signed with the application's key (RFC 7523 §3, in Apple's form). */
function makeSecret(clock: Clock, { clientId, secret, teamId, keyId }: Application, audience: string): string {
  // Process clock: Apple compares the claims of a client secret with its own clock.
  const now = epochSeconds(clock)
  const header = { alg: 'ES256', kid: keyId, typ: 'JWT' }
  const claims = { iss: teamId, iat: now, exp: now + SECRET_SECONDS, aud: audience, sub: clientId }
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${input}.${signJws('ES256', createPrivateKey(secret), input)}`
}

/**
 * The names that the person agreed to share. They are unsigned, and sent only at the first sign-in. The address next
 * to them is ignored.
 */
function readNames(user: string | undefined) {
  const found = { firstName: null, lastName: null, displayName: null }
  try {
    const { name } = JSON.parse(user ?? '{}')
    const [firstName, lastName] = [toName(name?.firstName), toName(name?.lastName)]
    return { firstName, lastName, displayName: [firstName, lastName].filter((part) => part !== null).join(' ') || null }
  } catch {
    return found
  }
}

function toName(value: unknown): string | null {
  const name = typeof value === 'string' ? value.trim().slice(0, MAX_NAME_LENGTH) : ''
  return name === '' ? null : name
}
