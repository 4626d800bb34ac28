import { publicUrl } from '../../../platform/http/public-url.ts'
import type { Work } from '../../../platform/work.ts'
import { type SsoProtocol, spOf } from '../connections/connections.ts'
import type { KnownConnection } from '../connections/known/known.ts'
import { spKeys } from '../connections/sp-keys/sp-keys.ts'
import type { Begun } from '../federation/begin/begin.ts'
import { FederationFailure } from '../federation/federation.ts'
import {
  IdpMetadataError,
  type OutgoingMessage,
  readIdpMetadata,
  redirectUrl,
  writeAuthnRequest,
} from '../saml-metadata/saml-metadata.ts'
import { checkProvider } from './check.ts'
import { startLogout } from './sp-logout.ts'

// How long a request can be answered: five minutes.
export const TTL_SECONDS = 300

/** The SAML 2.0 Web Browser SSO profile. */
export const samlProtocol: SsoProtocol = {
  ttlSeconds: TTL_SECONDS,
  async start(work, connection, begun, { loginHint }) {
    if (connection.request_binding === 'post') {
      const target = addressOf(connection)
      const page = new URL(publicUrl(work.platform, `/v1/auth/login/sso/saml/request/${connection.id}`))
      page.searchParams.set('state', begun.state)
      if (loginHint !== null) page.searchParams.set('login_hint', loginHint)
      return { authorizationUrl: target && page.href }
    }
    const request = await writeRequest(work, connection, begun, loginHint)
    return { authorizationUrl: redirectUrl(addressOf(connection), request) }
  },
  logOut: startLogout,
  check: checkProvider,
  async readMetadata(work, xml) {
    try {
      const metadata = await readIdpMetadata(work, xml)
      const { entityId, ssoUrls, sloUrls, sloResponseUrls, certificates, wantsSignedRequests, validUntil } = metadata
      // Process clock: checks whether the metadata is valid now (SAML metadata §2.3.2).
      if (validUntil && validUntil <= work.platform.clock.now())
        throw new IdpMetadataError(`The metadata was valid until ${validUntil.toISOString()}.`)
      return {
        idp_entity_id: entityId,
        idp_sso_url: ssoUrls.redirect ?? ssoUrls.post,
        idp_slo_url: sloUrls.redirect ?? sloUrls.post,
        idp_slo_response_url: sloUrls.redirect === null ? sloResponseUrls.post : sloResponseUrls.redirect,
        idp_certificates: certificates,
        slo_binding: sloUrls.redirect === null && sloUrls.post !== null ? 'post' : 'redirect',
        request_binding: ssoUrls.redirect === null && ssoUrls.post !== null ? 'post' : 'redirect',
        ...(wantsSignedRequests ? { sign_requests: true } : {}),
      }
    } catch (error) {
      if (!(error instanceof IdpMetadataError)) throw error
      throw new FederationFailure('response_invalid', error.message)
    }
  },
}

/** The provider's sign-in address. Throws FederationFailure. */
export function addressOf({ idp_sso_url }: KnownConnection): string {
  if (idp_sso_url === null) throw new FederationFailure('connection_incomplete', 'The connection has no idp_sso_url.')
  return idp_sso_url
}

/** The sign-in request. Its ID is the state, so the signed response to it names the sign-in. */
export async function writeRequest(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  connection: KnownConnection,
  { state, forceAuthn }: Pick<Begun, 'state' | 'forceAuthn'>,
  loginHint: string | null,
): Promise<OutgoingMessage> {
  const sp = spOf(platform, connection.id)
  const [current] = (await spKeys(platform, directory)).signing
  // Process clock: the provider compares the time of the request with its own clock.
  const xml = writeAuthnRequest({
    id: `_${state}`,
    issuedAt: platform.clock.now(),
    spEntityId: sp.entity_id,
    acsUrl: sp.acs_url,
    idpSsoUrl: addressOf(connection),
    forceAuthn,
    nameIdFormat: connection.name_id_format,
    loginHint,
  })
  return { field: 'SAMLRequest', xml, relayState: state, pair: connection.sign_requests ? (current ?? null) : null }
}
