import type { Redirect } from '../../../platform/http/answer.ts'
import type { Work } from '../../../platform/work.ts'
import type { ProviderNames } from '../../access/federated-sessions/federated-sessions.ts'
import { concludeSignIn, refuseSignIn } from '../connections/connections.ts'
import { callbackOf, findConnection, type KnownConnection } from '../connections/known/known.ts'
import { type BareWork, type Begun, takeFederated } from '../federation/begin/begin.ts'
import {
  assertArrivedAt,
  assertStillOpen,
  type FederatedPerson,
  FederationFailure,
  federationErrors,
  isStorable,
  NO_GROUPS,
} from '../federation/federation.ts'
import { providerOf } from './connection.ts'
import { CLOCK_TOLERANCE_SECONDS, finishAuthorization } from './exchange.ts'
import { lacksClaims, type OidcPerson, showsTwoFactors, toPerson } from './person.ts'
import type { Claims, OidcAnswer, OidcCallback } from './provider.ts'

/**
 * Ends a sign-in at the OpenID provider of a connection. The state names the connection, and the browser must have
 * arrived at the redirect URI of the same connection: otherwise another provider may have issued the code (RFC 9700
 * §4.4.2). `connectionId` is the id in the URI, null for the shared URI. Throws `state_invalid`, and
 * `invalid_redirect_uri` if the application's address is no longer allowed.
 */
export async function finishOidc(
  bare: BareWork,
  callback: OidcCallback,
  connectionId: string | null,
): Promise<Redirect> {
  const taken = await takeFederated(bare, callback.state ?? '', 'sso')
  if (!taken) throw federationErrors.stateUnknown()
  const { work, begun } = taken
  const connection = await findConnection(work, begun.source)
  try {
    if (!connection) throw new FederationFailure('connection_not_active')
    await assertStillOpen(work, connection, { isTest: begun.isTest, by: 'oidc' })
    assertArrivedAt(connectionId, callbackOf(connection))
    const heard = await hear(work, connection, { begun, callback })
    return await concludeSignIn(work, begun, connection, heard)
  } catch (error) {
    return refuseSignIn(work, begun, connection, error)
  }
}

async function hear(
  work: Work,
  connection: KnownConnection,
  { begun, callback }: { begun: Begun; callback: OidcCallback },
) {
  const { attribute_mapping: names, group_role_mapping: mapping } = connection
  const needsGroups = Object.keys(mapping).length > 0
  const answer = await finishAuthorization(work.platform, await providerOf(work, connection), {
    signIn: begun,
    callback,
    asksUserinfo: (idToken) => lacksClaims(idToken, { names, needsGroups, externalId: connection.scim_match }),
  })
  assertAskedAgain(begun, answer.idToken)
  const person = toPerson(answer, names, connection.scim_match)
  const note = person.groups === null && needsGroups ? { note: NO_GROUPS } : {}
  const said = { ...note, id_token: answer.idToken, userinfo: answer.userinfo }
  const known = { ...trusted(connection, person), logoutHint: answer.encodedIdToken, providerNames: namedBy(answer) }
  return { person: known, groups: person.groups, said }
}

/**
 * The names by which the provider can end this session with a logout token (OpenID Connect Back-Channel Logout §2.1).
 */
function namedBy({ subject, idToken: { sid } }: OidcAnswer): ProviderNames {
  return { name: [subject], session: typeof sid === 'string' && sid !== '' && isStorable(sid) ? sid : null }
}

/**
 * The provider's answer must show that the user was asked to sign in again. The request alone proves nothing, since
 * the browser carries it and can remove the demand.
 */
function assertAskedAgain({ forceAuthn, beganAt }: Begun, { auth_time: authTime }: Claims): void {
  const earliest = Math.floor(beganAt.getTime() / 1000) - CLOCK_TOLERANCE_SECONDS
  if (!forceAuthn || (typeof authTime === 'number' && authTime >= earliest)) return
  const isTime = typeof authTime === 'number' && Math.abs(authTime) < 1e11
  const said = isTime ? `auth_time ${new Date(authTime * 1000).toISOString()}` : 'no auth_time'
  const detail = `the ID token has ${said}, and the sign-in began at ${beganAt.toISOString()}`
  throw new FederationFailure('reauthentication_missing', detail)
}

/** Which of the provider's claims a connection trusts. */
function trusted({ trust_idp_mfa: isTrusted }: KnownConnection, person: OidcPerson): FederatedPerson {
  const { groups: _groups, acr: _acr, amr, ...rest } = person
  return { ...rest, amr: isTrusted ? amr : [], isTwoFactor: isTrusted && showsTwoFactors(person) }
}
