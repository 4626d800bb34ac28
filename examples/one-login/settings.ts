import { type Request, type Response, Router } from 'express'
import { read } from './forms.ts'
import { type Html, html, sendPage } from './html.ts'
import { adminsOnly, origin, personOf, signedIn } from './session.ts'
import { callOnBehalfOf, Refusal } from './watchword.ts'

// What an administrator of a customer sets up. Each call is about the organization of the person who is signed in, never about
// one that a form names.

interface Domain {
  id: string
  domain: string
  status: string
  verification: { name: string; value: string }
}

interface Connection {
  id: string
  name: string
  protocol: 'oidc' | 'saml'
  status: string
  oidc_redirect_uri: string | null
  sp: { entity_id: string; acs_url: string } | null
}

interface Invite {
  email: string
  invited_by: string | null
}

export const settings = Router()
settings.use('/settings', signedIn, adminsOnly)

/** Calls for the administrator, whose name goes into the audit log. */
function manage<T>(req: Request, res: Response, method: string, path: string, body?: object): Promise<T> {
  const person = personOf(res)
  const about = body ? path : `${path}${path.includes('?') ? '&' : '?'}subOrgId=${person.subOrgId}`
  return callOnBehalfOf<T>(req, person, method, about, body && { subOrgId: person.subOrgId, ...body })
}

interface Said {
  alert?: string
  /** What is shown only now. */
  once?: Html
}

async function showSettings(req: Request, res: Response, { alert, once }: Said = {}): Promise<void> {
  const get = <T>(path: string) => manage<T>(req, res, 'GET', path)
  const [{ overview }, { connections }, { config }, { invites }] = await Promise.all([
    get<{ overview: { domains: Domain[] } }>('/admin-portal'),
    get<{ connections: Connection[] }>('/sso/connections'),
    get<{ config: { enabled: boolean; endpointUrl: string; tokenHint: string | null } }>('/scim/config'),
    get<{ invites: Invite[] }>('/users/invites?status=pending'),
  ])
  sendPage(res, {
    title: 'Settings',
    person: personOf(res),
    alert,
    body: html`${once}
<h2>Domains</h2>
${overview.domains.map(domainForm)}
<form method="post" action="/settings/domains">
<label for="domain">Domain of your addresses</label><input id="domain" name="domain" placeholder="example.com" required>
<button>Add domain</button></form>
<h2>Single sign-on</h2>
${connections.map(connectionForm)}
${newConnection}
<h2>Provisioning (SCIM)</h2>
<p>${config.enabled ? html`On, at <code>${config.endpointUrl}</code>. The token ends with <code>${config.tokenHint}</code>.` : 'Off.'}</p>
<form method="post" action="/settings/scim"><button>${config.enabled ? 'Replace the token' : 'Switch on provisioning'}</button></form>
<h2>Invitations</h2>
<ul>${invites.map(({ email, invited_by }) => html`<li>${email}, invited by ${invited_by ?? 'the application'}</li>`)}</ul>
<form method="post" action="/settings/invitations">
<label for="email">Email</label><input id="email" name="email" type="email" required>
<label for="role">Role</label><select id="role" name="role"><option value="member">Member</option><option value="admin">Administrator</option></select>
<button>Invite</button></form>`,
  })
}

function domainForm({ id, domain, status, verification }: Domain): Html {
  if (status === 'verified') return html`<p><b>${domain}</b> is verified.</p>`
  return html`<p>Set a TXT record for <b>${domain}</b>: <code>${verification.name}</code> with <code>${verification.value}</code></p>
<form method="post" action="/settings/domains/verify"><button name="domainId" value="${id}">Verify ${domain}</button></form>`
}

function connectionForm({ id, name, protocol, status, oidc_redirect_uri, sp }: Connection): Html {
  const values =
    protocol === 'oidc'
      ? html`<p>Redirect URI: <code>${oidc_redirect_uri}</code></p>`
      : html`<p>Entity ID: <code>${sp?.entity_id}</code><br>ACS URL: <code>${sp?.acs_url}</code></p>`
  if (status === 'active') return html`<p><b>${name}</b> is on.</p>${values}`
  return html`<p>Enter at the identity provider of <b>${name}</b>, then switch it on:</p>${values}
<form method="post" action="/settings/sso/activate"><button name="connectionId" value="${id}">Test and switch on ${name}</button></form>`
}

const newConnection = html`<details><summary>Connect with OpenID Connect</summary>
<form method="post" action="/settings/sso"><input type="hidden" name="protocol" value="oidc">
<label for="oidc-name">Name of the OpenID provider</label><input id="oidc-name" name="name" required>
<label for="issuer">Issuer</label><input id="issuer" name="issuer" type="url" required>
<label for="client-id">Client ID</label><input id="client-id" name="clientId" required>
<label for="client-secret">Client secret</label><input id="client-secret" name="clientSecret" type="password" autocomplete="off" required>
<button>Add the OpenID provider</button></form></details>
<details><summary>Connect with SAML</summary>
<form method="post" action="/settings/sso"><input type="hidden" name="protocol" value="saml">
<label for="saml-name">Name of the SAML provider</label><input id="saml-name" name="name" required>
<label for="metadata">Metadata URL</label><input id="metadata" name="metadataUrl" type="url" required>
<button>Add the SAML provider</button></form></details>`

/** Does something, and shows the settings again: after a refusal with what it says, which tells an administrator what to do. */
function act(path: string, run: (req: Request, res: Response) => Promise<Said | undefined>): void {
  settings.post(path, async (req, res) => {
    let said: Said | undefined
    try {
      said = await run(req, res)
    } catch (error) {
      if (!(error instanceof Refusal && error.status < 500)) throw error
      said = { alert: error.message }
    }
    if (said) await showSettings(req, res, said)
    else res.redirect(303, '/settings')
  })
}

settings.get('/settings', (req, res) => showSettings(req, res))

act('/settings/domains', async (req, res) => {
  await manage(req, res, 'POST', '/admin-portal', { action: 'add_domain', domain: read(req, 'domain') })
  return undefined
})

act('/settings/domains/verify', async (req, res) => {
  const body = { action: 'verify_domain', domainId: read(req, 'domainId') }
  const { success } = await manage<{ success: boolean }>(req, res, 'POST', '/admin-portal', body)
  return success ? undefined : { alert: 'The record is not there yet. DNS changes can take an hour.' }
})

act('/settings/sso', async (req, res) => {
  const [name, protocol] = [read(req, 'name'), read(req, 'protocol')]
  const fields =
    protocol === 'saml'
      ? { idp_metadata_url: read(req, 'metadataUrl') }
      : {
          oidc_issuer: read(req, 'issuer'),
          oidc_client_id: read(req, 'clientId'),
          oidc_client_secret: read(req, 'clientSecret'),
        }
  await manage(req, res, 'POST', '/sso/connections', { name, protocol, ...fields })
  return undefined
})

act('/settings/sso/activate', async (req, res) => {
  const path = `/sso/connections/${encodeURIComponent(read(req, 'connectionId'))}`
  interface Tested {
    checks: { ok: boolean; message: string }[]
  }
  const { checks } = await manage<Tested>(req, res, 'POST', `${path}/test`, {})
  const failed = checks.filter(({ ok }) => !ok)
  if (failed.length > 0) return { alert: failed.map(({ message }) => message).join(' ') }
  await manage(req, res, 'PATCH', path, { status: 'active' })
  return undefined
})

act('/settings/scim', async (req, res) => {
  const { config } = await manage<{ config: { endpointUrl: string } }>(req, res, 'PATCH', '/scim/config', {
    enabled: true,
  })
  const { token } = await manage<{ token: string }>(req, res, 'POST', '/scim/config', { action: 'rotate-token' })
  const once = html`<section><h2>Enter this at your directory</h2><p>The token is shown only now.</p>
<label for="endpoint">Endpoint URL</label><input id="endpoint" value="${config.endpointUrl}" readonly>
<label for="token">Token</label><input id="token" value="${token}" readonly></section>`
  return { once }
})

act('/settings/invitations', async (req, res) => {
  const [email, role] = [read(req, 'email'), read(req, 'role')]
  const invitation = { invitedBy: personOf(res).name, redirectTo: `${origin}/invitation` }
  await manage(req, res, 'POST', '/users/invites', { email, role, ...invitation })
  return undefined
})
