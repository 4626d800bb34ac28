import { type Domain, type SsoConnection, type Watchword, WatchwordError } from '@watchword/sdk'
import { type Request, type Response, Router } from 'express'
import { read } from './forms.ts'
import { type Html, html, sendPage } from './html.ts'
import { adminsOnly, personOf, watchwordFor } from './session.ts'
import { origin } from './watchword.ts'

// The settings that a customer's administrator can change. Each call uses the organization of the person who is signed
// in, never one from a form.

export const settings = Router()
settings.use('/settings', adminsOnly)

interface Said {
  alert?: string
  /** A value that is shown only once. */
  once?: Html
}

async function showSettings(req: Request, res: Response, { alert, once }: Said = {}): Promise<void> {
  const { subOrgId } = personOf(res)
  const watchword = watchwordFor(req, res)
  const [{ overview }, { connections }, { config }, { invites }] = await Promise.all([
    watchword.adminPortal.get({ subOrgId }),
    watchword.connections.list({ subOrgId }),
    watchword.scim.getConfig({ subOrgId }),
    watchword.invites.list({ subOrgId, status: 'pending' }),
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

function connectionForm({ id, name, protocol, status, oidc_redirect_uri, sp }: SsoConnection): Html {
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

/** What an administrator's action works with. */
interface Action {
  watchword: Watchword
  subOrgId: string
  /** The administrator's name. */
  name: string
  /** Reads a field of the form. */
  field: (name: string) => string
}

/**
 * Runs an action and shows the settings again. After a refusal, they include its text, which tells the administrator
 * what to do.
 */
function act(path: string, run: (action: Action) => Promise<Said | undefined>): void {
  settings.post(path, async (req, res) => {
    const { subOrgId, name } = personOf(res)
    const field = (name: string) => read(req, name)
    let said: Said | undefined
    try {
      said = await run({ watchword: watchwordFor(req, res), subOrgId, name, field })
    } catch (error) {
      if (!(error instanceof WatchwordError) || error.isInternal) throw error
      said = { alert: error.problem.detail }
    }
    if (said) await showSettings(req, res, said)
    else res.redirect(303, '/settings')
  })
}

settings.get('/settings', (req, res) => showSettings(req, res))

act('/settings/domains', async ({ watchword, subOrgId, field }) => {
  await watchword.adminPortal.changeDomain({ subOrgId, action: 'add_domain', domain: field('domain') })
})

act('/settings/domains/verify', async ({ watchword, subOrgId, field }) => {
  const domainId = field('domainId')
  const { success } = await watchword.adminPortal.changeDomain({ subOrgId, action: 'verify_domain', domainId })
  return success ? undefined : { alert: 'The record is not there yet. DNS changes can take an hour.' }
})

act('/settings/sso', async ({ watchword, subOrgId, field }) => {
  const name = field('name')
  const connection =
    field('protocol') === 'saml'
      ? ({ protocol: 'saml', idp_metadata_url: field('metadataUrl') } as const)
      : ({
          protocol: 'oidc',
          oidc_issuer: field('issuer'),
          oidc_client_id: field('clientId'),
          oidc_client_secret: field('clientSecret'),
        } as const)
  await watchword.connections.create({ subOrgId, name, ...connection })
})

act('/settings/sso/activate', async ({ watchword, subOrgId, field }) => {
  const id = field('connectionId')
  const { checks } = await watchword.connections.test(id, { subOrgId })
  const failed = checks.filter(({ ok }) => !ok)
  if (failed.length > 0) return { alert: failed.map(({ message }) => message).join(' ') }
  await watchword.connections.update(id, { subOrgId, status: 'active' })
  return undefined
})

act('/settings/scim', async ({ watchword, subOrgId }) => {
  const { config } = await watchword.scim.updateConfig({ subOrgId, enabled: true })
  const { token } = await watchword.scim.rotateToken({ subOrgId, action: 'rotate-token' })
  const once = html`<section><h2>Enter this at your directory</h2><p>The token is shown only now.</p>
<label for="endpoint">Endpoint URL</label><input id="endpoint" value="${config.endpointUrl}" readonly>
<label for="token">Token</label><input id="token" value="${token}" readonly></section>`
  return { once }
})

act('/settings/invitations', async ({ watchword, subOrgId, name: invitedBy, field }) => {
  const [email, role] = [field('email'), field('role') === 'admin' ? 'admin' : 'member'] as const
  await watchword.invites.create({ subOrgId, email, role, invitedBy, redirectTo: `${origin}/invitation` })
})
