import { Type } from 'typebox'
import { keepAnswer } from '../../../platform/http/kept.ts'
import type { RequestContext, Route } from '../../../platform/http/route.ts'
import type { RenderedPage } from '../../../platform/pages/card.ts'
import { renderFormPage } from '../../../platform/pages/form-page.ts'
import { definePage } from '../../../platform/pages/pages.ts'
import { spOf } from '../connections/connections.ts'
import { findConnection, findConnectionAnywhere } from '../connections/known/known.ts'
import { spKeys } from '../connections/sp-keys/sp-keys.ts'
import { type BareWork, findFederated } from '../federation/begin/begin.ts'
import { federationErrors } from '../federation/federation.ts'
import { findLogout } from '../federation/logout/logout.ts'
import { brandAndLanguage, logoutPage, postFields, writeSpMetadata } from '../saml-metadata/saml-metadata.ts'
import { addressOf, writeRequest } from './protocol.ts'
import { requestOf } from './sp-logout.ts'

export const samlPages: Route[] = [
  ...definePage({
    path: '/v1/auth/login/sso/saml/metadata/{connectionId}',
    operation: 'saml.getMetadata',
    summary: 'Read SAML service provider metadata',
    tag: 'Federation',
    params: Type.Object({
      connectionId: Type.String({ description: 'Connection: `id` in `GET /v1/sso/connections`.' }),
    }),
    async render({ platform }, { connectionId = '' }) {
      const found = await findConnectionAnywhere(platform, connectionId)
      if (found?.connection.protocol !== 'saml') return null
      const { connection, directory } = found
      const { signing, encryption } = await spKeys(platform, directory)
      const { entity_id: entityId, acs_url: acsUrl, slo_url: sloUrl } = spOf(platform, connection.id)
      const xml = writeSpMetadata({
        entityId,
        acsUrl,
        sloUrl,
        signsRequests: connection.sign_requests,
        wantsAssertionsSigned: connection.want_assertions_signed,
        signingCertificates: signing.map(({ certificatePem }) => certificatePem),
        // Only if the connection wants it: some providers encrypt whenever the metadata has such a key, with an
        // algorithm that they choose.
        encryptionCertificate: connection.want_assertions_encrypted ? (encryption[0]?.certificatePem ?? null) : null,
      })
      return keepAnswer(xml, { 'content-type': 'application/samlmetadata+xml' })
    },
  }),
  ...definePage({
    path: '/v1/auth/login/sso/saml/request/{connectionId}',
    summary: 'Take a request to the provider of a connection by a form (SAML HTTP POST binding)',
    tag: 'Federation',
    errors: [federationErrors.stateUnknown],
    async render(work, { connectionId = '' }, { state = '', login_hint = null }) {
      const { platform, db, acceptLanguage } = work
      // The request is built from the stored sign-in, not from the query, which the user could change.
      const found = await findFederated({ platform, db }, state, 'sso')
      if (!found) return renderLogout(work, connectionId, state)
      const { directory, begun } = found
      const connection = await findConnection({ platform, directory }, connectionId)
      if (connection?.protocol !== 'saml' || connection.id !== begun.source || connection.idp_sso_url === null)
        throw federationErrors.stateUnknown()
      const request = await writeRequest({ platform, directory }, connection, begun, login_hint)
      return renderFormPage(await brandAndLanguage({ platform, directory, acceptLanguage }), {
        target: addressOf(connection),
        fields: await postFields({ platform, directory }, request),
        purpose: 'signIn',
      })
    },
  }),
]

/** Renders the page that posts a logout request. Throws `state_invalid`. */
async function renderLogout(
  bare: BareWork & Pick<RequestContext, 'acceptLanguage'>,
  connectionId: string,
  state: string,
): Promise<RenderedPage> {
  const found = await findLogout(bare, state)
  if (!found) throw federationErrors.stateUnknown()
  const { platform, acceptLanguage } = bare
  const { directory, demand } = found
  const connection = await findConnection({ platform, directory }, connectionId)
  if (connection?.protocol !== 'saml' || connection.id !== demand.source || connection.idp_slo_url === null)
    throw federationErrors.stateUnknown()
  const request = await requestOf({ platform, directory }, connection, connection.idp_slo_url, demand)
  return logoutPage({ platform, directory, acceptLanguage }, connection.idp_slo_url, request)
}
