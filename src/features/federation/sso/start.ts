import { isOfDomain, requireEmail } from '../../../platform/mail/address.ts'
import type { Work } from '../../../platform/work.ts'
import { assertDoorOpen } from '../../access/login/login.ts'
import { ownsDomainOf } from '../../directory/domains/domains.ts'
import { connectionErrors, ssoProtocols } from '../connections/connections.ts'
import { findConnection, type KnownConnection, usableConnections } from '../connections/known/known.ts'
import { type Begun, beginFederated } from '../federation/begin/begin.ts'
import { FederationFailure, federationErrors } from '../federation/federation.ts'
import { ssoErrors } from './errors.ts'
import { enforcementSettings } from './settings.ts'

/** What a start takes. */
export interface SsoStart extends Pick<Begun, 'redirectUri' | 'responseMode' | 'isTest'> {
  connectionId: string
  forceAuthn: boolean
  loginHint: string | null
}

/**
 * Begins a sign-in by a connection: where to send the browser. Throws `connection_not_found`, `connection_not_active`,
 * `connection_incomplete`, `idp_unreachable`, `invalid_redirect_uri`, `organization_suspended`.
 */
export async function startSso(work: Work, asked: SsoStart): Promise<{ authorization_url: string; state: string }> {
  const { connectionId, redirectUri, responseMode, isTest, forceAuthn, ...hints } = asked
  await assertDoorOpen(work, null)
  const connection = await findConnection(work, connectionId)
  if (!connection) throw connectionErrors.notFound()
  const isOpen = connection.status === 'active' || (isTest && connection.status === 'testing')
  if (!isOpen) throw connectionErrors.notActive()
  const protocol = ssoProtocols.of(work.platform)[connection.protocol]
  if (!protocol) throw ssoErrors.incomplete()
  const begun = await beginFederated(work, {
    method: 'sso',
    source: connection.id,
    redirectUri,
    responseMode,
    isTest,
    forceAuthn: forceAuthn || connection.force_authn,
    ...(protocol.ttlSeconds === undefined ? {} : { ttlSeconds: protocol.ttlSeconds }),
  })
  try {
    const { authorizationUrl } = await protocol.start(work, connection, begun, hints)
    return { authorization_url: authorizationUrl, state: begun.state }
  } catch (error) {
    if (!(error instanceof FederationFailure)) throw error
    const refusal = error.code === 'idp_unreachable' ? federationErrors.unreachable : ssoErrors.incomplete
    throw refusal({ detail: error.detail })
  }
}

/**
 * The connection that people of an address sign in by, and whether every other way is refused, also to an address without
 * a connection. Tells nothing of who exists, and so nothing of who is exempt.
 */
export async function discoverConnection(
  work: Work,
  email: string,
): Promise<{ connectionId: string | null; enforced: boolean }> {
  const { norm } = requireEmail(email)
  await assertDoorOpen(work, null)
  const { enforce_sso: enforced } = await enforcementSettings.effective(work)
  const usable = await usableConnections(work)
  const found = usable.length > 0 && (await ownsDomainOf(work, norm)) ? choose(usable, norm) : null
  return { connectionId: found?.id ?? null, enforced }
}

/** One that names the domain, or else the oldest that names none. */
function choose(connections: KnownConnection[], emailNorm: string): KnownConnection | null {
  const named = connections.find(({ domains }) => isOfDomain(emailNorm, domains))
  return named ?? connections.find(({ domains }) => domains.length === 0) ?? null
}
