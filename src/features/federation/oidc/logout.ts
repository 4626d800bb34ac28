import { hash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { createLocalJWKSet } from 'jose/jwks/local'
import { jwtVerify } from 'jose/jwt/verify'
import type { Platform } from '../../../platform/platform.ts'
import { inTx } from '../../../platform/work.ts'
import { findConnectionAnywhere } from '../connections/known/known.ts'
import type { BareWork } from '../federation/begin/begin.ts'
import { endSessionsOfProvider, FederationFailure, isStorable } from '../federation/federation.ts'
import { providerOf } from './connection.ts'
import { logoutErrors } from './errors.ts'
import type { OidcProvider } from './provider.ts'
import { insertLogoutTokenRow } from './store.ts'
import { findDiscovery, findKeySet, openTransport, readKeyId } from './transport.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const [CLOCK_TOLERANCE_SECONDS, MAX_AGE_SECONDS] = [60, 300]

/**
 * Ends the sessions of a user who has signed out at the provider (OpenID Connect Back-Channel Logout §2.6, §2.7): the
 * session that `sid` names, or all sessions of the user from this connection. A user without sessions counts as
 * signed out. Throws `logout_token_invalid`.
 */
export async function logOut(bare: BareWork, { connectionId, token }: { connectionId: string; token: string }) {
  const found = await findConnectionAnywhere(bare.platform, connectionId)
  // A connection that is not active may not sign users out.
  if (found?.connection.protocol !== 'oidc' || found.connection.status !== 'active') throw logoutErrors.invalid()
  const work = { ...bare, directory: found.directory }
  try {
    const provider = await providerOf(work, found.connection)
    const payload = await verify(bare.platform, provider, token)
    const { id } = found.connection
    const { sub, sid } = readNames(payload)
    const said = { names: sub === null ? [] : [[sub]], sessions: sid === null ? [] : [sid], subject: sub }
    // One transaction: if ending the sessions fails, the provider may send the same token again.
    await inTx(work, async (work) => {
      if (!(await insertLogoutTokenRow(work.db, work.directory, noteOf(payload, id)))) throw logoutErrors.invalid()
      await endSessionsOfProvider(work, { source: id, issuer: provider.issuer, ...said })
    })
  } catch (error) {
    if (error instanceof FederationFailure) throw logoutErrors.invalid({ cause: error })
    throw error
  }
}

async function verify(platform: Platform, provider: OidcProvider, token: string): Promise<JWTPayload> {
  const transport = openTransport(platform, provider.asker)
  const discovery = await findDiscovery(platform, transport, provider)
  const supported = discovery.id_token_signing_alg_values_supported
  const { keys } = await findKeySet(platform, transport, {
    asker: provider.asker,
    url: discovery.jwks_uri,
    keyId: readKeyId(token),
  })
  const keySet = createLocalJWKSet({ keys: keys.map((key) => ({ ...key, kty: String(key['kty']) })) })
  try {
    // Process clock: logout tokens are checked with the same clock as ID tokens.
    const { payload } = await jwtVerify(token, keySet, {
      issuer: provider.issuer,
      audience: provider.clientId,
      algorithms: supported.length > 0 ? supported : ['RS256'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      maxTokenAge: MAX_AGE_SECONDS,
      requiredClaims: ['jti', 'iat'],
      currentDate: platform.clock.now(),
    })
    return payload
  } catch {
    throw new FederationFailure('response_invalid', 'The logout token was not accepted.')
  }
}

/**
 * The row that identifies a replayed token (OpenID Connect Back-Channel Logout §2.6). It is kept as long as the token
 * would be accepted.
 */
function noteOf({ jti = '', iat = 0 }: JWTPayload, connectionId: string) {
  const expiresAt = new Date((iat + MAX_AGE_SECONDS + 2 * CLOCK_TOLERANCE_SECONDS) * 1000)
  return { connection_id: connectionId, token_hash: hash('sha256', jti, 'buffer'), expires_at: expiresAt }
}

/**
 * Reads the user and the session that the token names (OpenID Connect Back-Channel Logout §2.4). If the token names a
 * session, only this session ends, else all sessions of the user. Refuses ID tokens, which have no logout event and
 * may have a nonce.
 */
function readNames({ nonce, events, ...claims }: JWTPayload): { sub: string | null; sid: string | null } {
  const event: unknown = Object(events)[EVENT]
  const isLogout = typeof event === 'object' && event !== null && nonce === undefined
  const [sub, sid]: unknown[] = [claims.sub ?? null, claims['sid'] ?? null]
  if (!isLogout || !isName(sub) || !isName(sid) || (sub === null && sid === null))
    throw new FederationFailure(
      'response_invalid',
      'This is not a logout token, or it names neither a user nor a session.',
    )
  return { sub, sid }
}

const isName = (name: unknown): name is string | null =>
  name === null || (typeof name === 'string' && name !== '' && isStorable(name))
