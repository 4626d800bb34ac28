import type { Work } from '../../../platform/work.ts'
import { assertDoorOpen } from '../../access/login/login.ts'
import { connectionErrors, ssoProtocols } from '../connections/connections.ts'
import { findConnection } from '../connections/known/known.ts'
import { type Begun, beginFederated } from '../federation/begin/begin.ts'
import { FederationFailure, federationErrors } from '../federation/federation.ts'
import { ssoErrors } from './errors.ts'

/** The input of a start. */
export interface SsoStart extends Pick<Begun, 'redirectUri' | 'responseMode' | 'isTest'> {
  connectionId: string
  forceAuthn: boolean
  loginHint: string | null
}

/**
 * Begins a sign-in through a connection. Returns the address to send the browser to. Throws `connection_not_found`,
 * `connection_not_active`, `connection_incomplete`, `idp_unreachable`, `invalid_redirect_uri`,
 * `organization_suspended`.
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
