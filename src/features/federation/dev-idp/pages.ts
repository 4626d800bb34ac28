import type { Fields } from '../../../platform/http/media.ts'
import type { RequestContext, Route } from '../../../platform/http/route.ts'
import { OWN_BRAND } from '../../../platform/mail/brand.ts'
import type { RenderedPage } from '../../../platform/pages/card.ts'
import { renderFormPage } from '../../../platform/pages/form-page.ts'
import { definePage } from '../../../platform/pages/pages.ts'
import { providerUrl, readDomain } from './addresses.ts'
import { type Fault, isFault } from './faults.ts'
import {
  renderChoice,
  renderIndex,
  renderInvalidChoice,
  renderNoConnection,
  renderNoRequest,
  renderProvider,
  renderPush,
} from './html.ts'
import { authorize, exchange, isAuthorization, oidcKeys, oidcLogoutUrl, oidcMetadata } from './oidc.ts'
import { type DevPerson, findDevPerson } from './people.ts'
import { readSamlRequest, samlLogoutUrl, samlMetadata, samlResponse, unsolicitedRequest } from './saml.ts'
import { push } from './scim.ts'

type PageSpec = Parameters<typeof definePage>[0]
type Answer = Awaited<ReturnType<PageSpec['render']>>
type Submitted = Awaited<ReturnType<NonNullable<PageSpec['submit']>>>

interface DevPage {
  path: `/dev/idp/{domain}${string}`
  summary: string
  show(work: RequestContext, domain: string, query: Fields): Promise<Answer>
  send?(work: RequestContext, domain: string, form: Fields): Promise<Submitted>
}

/** A page of a domain's development provider. In production there are no such pages. */
function devPage({ path, summary, show, send }: DevPage): Route[] {
  return definePage({
    path,
    summary,
    localOnly: true,
    redirects: true,
    async render(work, { domain: text }, query) {
      const domain = work.platform.config.production ? null : readDomain(text)
      return domain === null ? null : show(work, domain, query)
    },
    ...(send && {
      async submit(work, { domain: text }, form) {
        const domain = work.platform.config.production ? null : readDomain(text)
        return domain === null ? null : send(work, domain, form)
      },
    }),
  })
}

interface Choice {
  person: DevPerson
  fault: Fault
}

/**
 * The chosen person and fault: from a button, from the form, or from a script's query. Null if nothing is chosen yet.
 * An error page if a script names someone who does not exist.
 */
function readChoice(domain: string, { as, address, fault = 'none' }: Fields): Choice | RenderedPage | null {
  if (!isFault(fault)) return renderInvalidChoice()
  const text = as ?? address
  const person = text ? findDevPerson(domain, text) : null
  if (person) return { person, fault }
  return as ? renderInvalidChoice() : null
}

const isPage = (chosen: Choice | RenderedPage): chosen is RenderedPage => 'html' in chosen

async function signInBySaml({ platform }: RequestContext, domain: string, fields: Fields): Promise<RenderedPage> {
  const { SAMLRequest = '', RelayState } = fields
  const request = await readSamlRequest(platform, SAMLRequest)
  if (!request) return renderNoRequest()
  const chosen = readChoice(domain, fields)
  const kept: [string, string][] = RelayState === undefined ? [] : [['RelayState', RelayState]]
  if (!chosen)
    return renderChoice(domain, {
      application: request.spEntityId,
      fields: Object.fromEntries([['SAMLRequest', SAMLRequest], ...kept]),
      hint: request.loginHint,
    })
  if (isPage(chosen)) return chosen
  const response = await samlResponse(platform, domain, { request, ...chosen })
  return renderFormPage(
    { brand: OWN_BRAND, language: 'en' },
    { target: request.acsUrl, fields: [['SAMLResponse', response], ...kept], purpose: 'signIn' },
  )
}

/** A sign-in that begins at the provider, without a request from the application. */
async function beginBySaml({ platform }: RequestContext, domain: string, fields: Fields): Promise<RenderedPage> {
  const { connectionId = '' } = fields
  const request = await unsolicitedRequest(platform, connectionId.trim())
  if (!request) return renderNoConnection(domain)
  const chosen = readChoice(domain, fields)
  if (!chosen) return renderChoice(domain, { application: request.spEntityId, fields: { connectionId }, hint: null })
  if (isPage(chosen)) return chosen
  const response = await samlResponse(platform, domain, { request, ...chosen })
  return renderFormPage(
    { brand: OWN_BRAND, language: 'en' },
    { target: request.acsUrl, fields: [['SAMLResponse', response]], purpose: 'signIn' },
  )
}

async function signInByOidc({ platform }: RequestContext, domain: string, fields: Fields) {
  if (!isAuthorization(platform, fields)) return renderNoRequest()
  const chosen = readChoice(domain, fields)
  if (chosen && isPage(chosen)) return chosen
  if (chosen) return { redirectTo: authorize(platform, domain, { fields, ...chosen }) }
  const { as: _as, address: _address, fault: _fault, ...request } = fields
  return renderChoice(domain, {
    application: request['client_id'] ?? '',
    fields: request,
    hint: request['login_hint'] ?? null,
  })
}

/** The development identity provider at /dev/idp, which is served to this machine only. */
export const devIdpPages: Route[] = [
  ...definePage({
    path: '/dev/idp',
    summary: 'Identity provider of development',
    localOnly: true,
    async render({ platform }, _, { domain: text }) {
      if (platform.config.production) return null
      const domain = readDomain(text)
      return domain ? renderProvider(platform, domain) : renderIndex()
    },
  }),
  ...devPage({
    path: '/dev/idp/{domain}',
    summary: 'Identity provider of a domain',
    show: async ({ platform }, domain) => renderProvider(platform, domain),
  }),
  ...devPage({
    path: '/dev/idp/{domain}/saml/metadata',
    summary: 'SAML metadata of the provider',
    show: async ({ platform }, domain) => ({
      status: 200,
      contentType: 'application/samlmetadata+xml',
      content: await samlMetadata(platform, domain),
    }),
  }),
  ...devPage({
    path: '/dev/idp/{domain}/saml/sso',
    summary: 'Sign in by SAML',
    show: signInBySaml,
    send: signInBySaml,
  }),
  ...devPage({
    path: '/dev/idp/{domain}/saml/begin',
    summary: 'Begin a sign-in by SAML at the provider',
    show: beginBySaml,
    send: beginBySaml,
  }),
  ...devPage({
    path: '/dev/idp/{domain}/saml/logout',
    summary: 'Sign out by SAML',
    async show({ platform }, domain, query) {
      const url = await samlLogoutUrl(platform, domain, query)
      return url === null ? renderNoRequest() : { redirectTo: url }
    },
  }),
  ...devPage({
    path: '/dev/idp/{domain}/.well-known/openid-configuration',
    summary: 'Metadata of the OpenID provider',
    show: async ({ platform }, domain) => oidcMetadata(platform, domain),
  }),
  ...devPage({
    path: '/dev/idp/{domain}/oidc/jwks',
    summary: 'Keys of the OpenID provider',
    show: ({ platform }) => oidcKeys(platform),
  }),
  ...devPage({
    path: '/dev/idp/{domain}/oidc/authorize',
    summary: 'Sign in by OpenID Connect',
    show: signInByOidc,
    send: signInByOidc,
  }),
  ...devPage({
    path: '/dev/idp/{domain}/oidc/token',
    summary: 'Exchange a code of the OpenID provider',
    show: async () => null,
    send: ({ platform }, domain, form) => exchange(platform, domain, form),
  }),
  ...devPage({
    path: '/dev/idp/{domain}/oidc/logout',
    summary: 'Sign out by OpenID Connect',
    async show({ platform }, _, query) {
      const url = oidcLogoutUrl(platform, query)
      return url === null ? renderNoRequest() : { redirectTo: url }
    },
  }),
  ...devPage({
    path: '/dev/idp/{domain}/scim',
    summary: 'Push people by SCIM',
    show: async ({ platform }, domain) => renderPush(domain, { endpointUrl: scimUrl(platform), sent: null }),
    async send({ platform }, domain, { endpointUrl = '', token = '', person = '', do: what }) {
      const deactivates = what === 'deactivate' ? person : null
      const sent = await push(platform, { endpointUrl: endpointUrl.replace(/\/$/, ''), token, domain, deactivates })
      return renderPush(domain, { endpointUrl, sent })
    },
  }),
]

/** The SCIM base URL of this service. */
function scimUrl(platform: RequestContext['platform']): string {
  return new URL('/api/os/scim/v2', providerUrl(platform, '')).href
}
