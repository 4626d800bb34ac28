import { escapeHtml } from '../../../platform/mail/html.ts'
import { type RenderedPage, renderDocument } from '../../../platform/pages/page-layout.ts'
import type { Platform } from '../../../platform/platform.ts'
import { providerUrl } from './addresses.ts'
import { FAULTS } from './faults.ts'
import { type DevPerson, peopleOf } from './people.ts'
import type { Sent } from './scim.ts'

const STYLES = `section{margin:24px 0;padding:20px;background:var(--card);border:1px solid var(--line);border-radius:12px}
h1{margin:0 0 8px}
h2{margin:0 0 8px;font-size:16px;color:var(--ink)}
p{margin:0 0 12px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:0}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
form>*+*{margin-top:12px}
label{display:block;font-weight:600}
input,select{display:block;width:100%;margin-top:4px;padding:10px 12px;border:1px solid var(--soft);border-radius:8px;background:var(--page);color:var(--ink);font:inherit}
button{padding:10px 16px;border:1px solid var(--soft);border-radius:8px;background:none;color:var(--ink);font:inherit;cursor:pointer;text-align:start}
.people{display:grid;gap:8px}
.people button{width:100%}
.people small,td small{display:block;color:var(--soft)}
.main{background:var(--ink);color:var(--card);font-weight:600}
[role=alert]{color:var(--alarm)}
table{width:100%;border-collapse:collapse}
td,th{padding:6px 8px;border-top:1px solid var(--line);text-align:start;vertical-align:top;overflow-wrap:anywhere}
:focus-visible{outline:3px solid #4c8dff;outline-offset:2px}
@media (max-width:560px){dl{grid-template-columns:1fr}}`

// A form may lead to this service's callback, and from there to the application, which may have any address.
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self' http: https:"

function page(title: string, content: string, status = 200): RenderedPage {
  const main = `<h1>${escapeHtml(title)}</h1>\n${content}`
  return {
    status,
    html: renderDocument({ title: `${title} · development`, styles: STYLES, main }),
    contentSecurityPolicy: POLICY,
  }
}

const values = (rows: [string, string][]) =>
  `<dl>${rows.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd><code>${escapeHtml(value)}</code></dd>`).join('')}</dl>`

const hidden = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('\n')

/** The start page, which explains what the provider is for. */
export function renderIndex(): RenderedPage {
  return page(
    'Development identity provider',
    `<p>Signs test people in by SAML and OpenID Connect, and pushes them by SCIM. Each domain has a provider of its own. It exists only in development, and only on this machine.</p>
<section><form action="/dev/idp" method="get">
<label>Domain of the organization <input name="domain" value="acme.test" required pattern="[a-z0-9\\-]+(\\.[a-z0-9\\-]+)+" autocomplete="off"></label>
<button class="main">Open its provider</button>
</form></section>
<p>Domains that end in .test, .example or .localhost verify without DNS.</p>`,
  )
}

/** Shows what to enter into a connection, and who can sign in. */
export function renderProvider(platform: Platform, domain: string): RenderedPage {
  const url = providerUrl(platform, domain)
  const people = peopleOf(domain).map(
    ({ email, firstName, lastName, groups }) =>
      `<tr><td>${escapeHtml(`${firstName} ${lastName}`)}</td><td>${escapeHtml(email)}</td><td>${escapeHtml(groups.join(', ') || 'none')}</td></tr>`,
  )
  return page(
    `Identity provider of ${domain}`,
    `<p>Enter these values into a connection. A sign-in then comes to this provider, where you choose the person.</p>
<section><h2>OpenID Connect</h2>${values([
      ['oidc_issuer', url],
      ['oidc_client_id', 'watchword'],
      ['oidc_client_secret', 'any text'],
    ])}</section>
<section><h2>SAML</h2>${values([['idp_metadata_url', `${url}/saml/metadata`]])}
<form method="get" action="/dev/idp/${escapeHtml(domain)}/saml/begin">
<label>Id of a connection with allow_idp_initiated <input name="connectionId" required autocomplete="off"></label>
<button>Begin a sign-in here</button>
</form></section>
<section><h2>SCIM</h2><p>Pushes the people below to the SCIM endpoint of an organization.</p><p><a href="/dev/idp/${escapeHtml(domain)}/scim">Push people and groups</a></p></section>
<section><h2>People</h2><table><thead><tr><th scope="col">Name</th><th scope="col">Address</th><th scope="col">Groups</th></tr></thead><tbody>${people.join('')}</tbody></table></section>`,
  )
}

/** Asks for the person who signs in, and perhaps a fault. */
export function renderChoice(
  domain: string,
  {
    application,
    fields,
    hint,
    alert,
  }: { application: string; fields: Record<string, string>; hint: string | null; alert?: string },
): RenderedPage {
  const buttons = peopleOf(domain).map(renderPerson)
  const faults = Object.entries(FAULTS).map(([name, text]) => `<option value="${name}">${escapeHtml(text)}</option>`)
  return page(
    `Sign in at ${domain}`,
    `<p>A test provider, for ${escapeHtml(application)}. Choose who signs in.</p>
${alert === undefined ? '' : `<p role="alert">${escapeHtml(alert)}</p>`}
<section><form method="post" action="?">
${hidden(fields)}
<label>Fault <select name="fault">${faults.join('')}</select></label>
<div class="people">${buttons.join('\n')}</div>
<label>Another person, by address <input name="address" type="email" autocomplete="off" value="${escapeHtml(hint ?? '')}"></label>
<button class="main">Sign in by this address</button>
</form></section>`,
  )
}

function renderPerson({ email, firstName, lastName, groups }: DevPerson): string {
  const about = groups.length > 0 ? `${email}, ${groups.join(', ')}` : email
  return `<button name="as" value="${escapeHtml(email)}">${escapeHtml(`${firstName} ${lastName}`)} <small>${escapeHtml(about)}</small></button>`
}

/** There is no SAML connection with the id. */
export function renderNoConnection(domain: string): RenderedPage {
  return page(
    'No connection',
    `<p role="alert">No SAML connection has this id.</p><p><a href="/dev/idp/${escapeHtml(domain)}">Back to the provider</a></p>`,
    400,
  )
}

/** There is no fault, or no person, with the name in a script's query. */
export function renderInvalidChoice(): RenderedPage {
  const faults = Object.entries(FAULTS).map(
    ([name, text]) => `<dt><code>${name}</code></dt><dd>${escapeHtml(text)}</dd>`,
  )
  return page(
    'Unknown fault or person',
    `<p role="alert"><code>as</code> is a name or an address, <code>fault</code> one of these:</p><dl>${faults.join('')}</dl>`,
    400,
  )
}

/** The provider cannot use the request. */
export function renderNoRequest(): RenderedPage {
  return page(
    'No sign-in to complete',
    '<p role="alert">The request is missing, or is not from this service. Start the sign-in in your application.</p>',
    400,
  )
}

/** The form to push users and groups, with the requests of the last push. */
export function renderPush(
  domain: string,
  { endpointUrl, sent }: { endpointUrl: string; sent: Sent[] | null },
): RenderedPage {
  const options = peopleOf(domain).map(
    ({ email }) => `<option value="${escapeHtml(email)}">${escapeHtml(email)}</option>`,
  )
  return page(
    `Push people of ${domain}`,
    `${sent === null ? '' : renderSent(sent)}
<section><form method="post" action="?">
<label>Endpoint <input name="endpointUrl" type="url" required value="${escapeHtml(endpointUrl)}"></label>
<label>Token <input name="token" type="password" required autocomplete="off"></label>
<button class="main" name="do" value="push">Push people and groups</button>
<label>Person who leaves <select name="person">${options.join('')}</select></label>
<button name="do" value="deactivate">Deactivate</button>
</form></section>
<p><a href="/dev/idp/${escapeHtml(domain)}">Back to the provider</a></p>`,
  )
}

function renderSent(sent: Sent[]): string {
  const rows = sent.map(
    ({ request, status, detail }) =>
      `<tr><td>${escapeHtml(request)}${detail ? `<small>${escapeHtml(detail)}</small>` : ''}</td><td>${status === 0 ? 'no answer' : status}</td></tr>`,
  )
  return `<section role="status"><h2>Sent</h2><table><thead><tr><th scope="col">Request</th><th scope="col">Status</th></tr></thead><tbody>${rows.join('') || '<tr><td>Nothing: there is no such person.</td><td></td></tr>'}</tbody></table></section>`
}
