import { defineAsset } from '../../../platform/pages/assets.ts'
import type { RenderedPage } from '../../../platform/pages/card.ts'
import { renderDocument } from '../../../platform/pages/document.ts'
import { attributes, type Html, html, url } from '../../../platform/pages/html.ts'
import { policyOf } from '../../../platform/pages/policy.ts'
import type { Platform } from '../../../platform/platform.ts'
import { providerUrl } from './addresses.ts'
import { FAULTS } from './faults.ts'
import { type DevPerson, peopleOf } from './people.ts'
import type { Sent } from './scim.ts'

// A form may lead to this service's callback, and from there to the application, which may have any address.
const POLICY = policyOf({ forms: ' http: https:' })

const styles = [defineAsset(new URL('assets/dev-idp.css', import.meta.url))]

function page(title: string, content: Html, status = 200): RenderedPage {
  const main = html`<h1>${title}</h1>\n${content}`
  return {
    status,
    html: renderDocument({ title: `${title} · development`, styles, main }),
    contentSecurityPolicy: POLICY,
  }
}

const values = (rows: [string, string][]) =>
  html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`)}</dl>`

const hidden = (fields: Record<string, string>) =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)

/** A path of the provider of a domain. */
const pathOf = (domain: string, rest = '') => url(`/dev/idp/${encodeURIComponent(domain)}${rest}`)

/** The start page, which explains what the provider is for. */
export function renderIndex(): RenderedPage {
  return page(
    'Development identity provider',
    html`<p>Signs test people in by SAML and OpenID Connect, and pushes them by SCIM. Each domain has a provider of its own. It exists only in development, and only on this machine.</p>
<section><form action="/dev/idp" method="get">
<label>Domain of the organization <input name="domain" value="acme.test" required pattern="[a-z0-9\\-]+(\\.[a-z0-9\\-]+)+" autocomplete="off"></label>
<button class="main">Open its provider</button>
</form></section>
<p>Domains that end in .test, .example or .localhost verify without DNS.</p>`,
  )
}

/** Shows what to enter into a connection, and who can sign in. */
export function renderProvider(platform: Platform, domain: string): RenderedPage {
  const issuer = providerUrl(platform, domain)
  const people = peopleOf(domain).map(
    ({ email, firstName, lastName, groups }) =>
      html`<tr><td>${`${firstName} ${lastName}`}</td><td>${email}</td><td>${groups.join(', ') || 'none'}</td></tr>`,
  )
  return page(
    `Identity provider of ${domain}`,
    html`<p>Enter these values into a connection. A sign-in then comes to this provider, where you choose the person.</p>
<section><h2>OpenID Connect</h2>${values([
      ['oidc_issuer', issuer],
      ['oidc_client_id', 'watchword'],
      ['oidc_client_secret', 'any text'],
    ])}</section>
<section><h2>SAML</h2>${values([['idp_metadata_url', `${issuer}/saml/metadata`]])}
<form method="get" action="${pathOf(domain, '/saml/begin')}">
<label>Id of a connection with allow_idp_initiated <input name="connectionId" required autocomplete="off"></label>
<button>Begin a sign-in here</button>
</form></section>
<section><h2>SCIM</h2><p>Pushes the people below to the SCIM endpoint of an organization.</p><p><a href="${pathOf(domain, '/scim')}">Push people and groups</a></p></section>
<section><h2>People</h2><table><thead><tr><th scope="col">Name</th><th scope="col">Address</th><th scope="col">Groups</th></tr></thead><tbody>${people}</tbody></table></section>`,
  )
}

/** Asks for the person who signs in, and perhaps a fault. */
export function renderChoice(
  domain: string,
  { application, fields, hint }: { application: string; fields: Record<string, string>; hint: string | null },
): RenderedPage {
  const faults = Object.entries(FAULTS).map(([name, text]) => html`<option value="${name}">${text}</option>`)
  return page(
    `Sign in at ${domain}`,
    html`<p>A test provider, for ${application}. Choose who signs in.</p>
<section><form method="post" action="?">
${hidden(fields)}<label>Fault <select name="fault">${faults}</select></label>
<div class="people">${peopleOf(domain).map(renderPerson)}</div>
<label>Another person, by address <input name="address" type="email" autocomplete="off"${attributes({ value: hint ?? '' })}></label>
<button class="main">Sign in by this address</button>
</form></section>`,
  )
}

function renderPerson({ email, firstName, lastName, groups }: DevPerson): Html {
  const about = groups.length > 0 ? `${email}, ${groups.join(', ')}` : email
  return html`<button name="as" value="${email}">${`${firstName} ${lastName}`} <small>${about}</small></button>\n`
}

/** There is no SAML connection with the id. */
export function renderNoConnection(domain: string): RenderedPage {
  return page(
    'No connection',
    html`<p role="alert">No SAML connection has this id.</p><p><a href="${pathOf(domain)}">Back to the provider</a></p>`,
    400,
  )
}

/** There is no fault, or no person, with the name in a script's query. */
export function renderInvalidChoice(): RenderedPage {
  const faults = Object.entries(FAULTS).map(([name, text]) => html`<dt><code>${name}</code></dt><dd>${text}</dd>`)
  return page(
    'Unknown fault or person',
    html`<p role="alert"><code>as</code> is a name or an address, <code>fault</code> one of these:</p><dl>${faults}</dl>`,
    400,
  )
}

/** The provider cannot use the request. */
export function renderNoRequest(): RenderedPage {
  return page(
    'No sign-in to complete',
    html`<p role="alert">The request is missing, or is not from this service. Start the sign-in in your application.</p>`,
    400,
  )
}

/** The form to push users and groups, with the requests of the last push. */
export function renderPush(
  domain: string,
  { endpointUrl, sent }: { endpointUrl: string; sent: Sent[] | null },
): RenderedPage {
  const options = peopleOf(domain).map(({ email }) => html`<option value="${email}">${email}</option>`)
  return page(
    `Push people of ${domain}`,
    html`${sent && renderSent(sent)}
<section><form method="post" action="?">
<label>Endpoint <input name="endpointUrl" type="url" required value="${endpointUrl}"></label>
<label>Token <input name="token" type="password" required autocomplete="off"></label>
<button class="main" name="do" value="push">Push people and groups</button>
<label>Person who leaves <select name="person">${options}</select></label>
<button name="do" value="deactivate">Deactivate</button>
</form></section>
<p><a href="${pathOf(domain)}">Back to the provider</a></p>`,
  )
}

function renderSent(sent: Sent[]): Html {
  const rows = sent.map(
    ({ request, status, detail }) =>
      html`<tr><td>${request}${detail ? html`<small>${detail}</small>` : null}</td><td>${status === 0 ? 'no answer' : status}</td></tr>`,
  )
  const none = html`<tr><td>Nothing: there is no such person.</td><td></td></tr>`
  return html`<section role="status"><h2>Sent</h2><table><thead><tr><th scope="col">Request</th><th scope="col">Status</th></tr></thead><tbody>${rows.length > 0 ? rows : none}</tbody></table></section>`
}
