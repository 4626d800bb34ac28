import { fresh } from '../fresh.ts'
import { type Caller, type Reply, startApp, type Tenant, type TestApp } from '../harness.ts'
import { startDnsPeer } from '../peers/dns-peer.ts'
import { succeeded } from './factors.ts'

export const HOME = 'http://localhost:3000/auth'
const CALLBACK = '/v1/auth/login/sso/oidc/callback'
/** By state: the redirect URI that the start of a sign-in has sent to the provider. */
const callbacks = new Map<string, string>()

/** A service whose organizations can prove domains, and sign in at providers on this machine. */
export async function startFederatedApp(env: Record<string, string> = {}) {
  const dns = await startDnsPeer()
  const app = await startApp({
    env: { WATCHWORD_DNS_SERVER: dns.address, WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1', ...env },
  })
  return { app, dns, tenant: await app.tenant() }
}

export type FederatedApp = Awaited<ReturnType<typeof startFederatedApp>>

/** An organization that has proved a domain. */
export interface Proven {
  id: string
  key: Caller
  domain: string
}

export async function provenOrganization({
  dns,
  tenant,
}: {
  dns: FederatedApp['dns']
  tenant: Tenant
}): Promise<Proven> {
  const id = await tenant.organization()
  const key = await tenant.withKey({ subOrgId: id })
  const name = `acme-${fresh()}.example`
  const { domain } = succeeded(await key.post('/v1/admin-portal', { action: 'add_domain', domain: name }))
  dns.answers.set(domain.verification.name, { texts: [domain.verification.value] })
  const verified = await key.post('/v1/admin-portal', { action: 'verify_domain', domainId: domain.id })
  if (!succeeded(verified).success) throw new Error(`Not verified: ${verified.text}`)
  return { id, key, domain: name }
}

/** A connection of it, active unless it is told otherwise; returns its id. */
export async function connect({ key }: Proven, issuer: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { status = 'active', ...rest } = fields
  const made = await key.post('/v1/sso/connections', {
    name: 'Acme',
    protocol: 'oidc',
    oidc_issuer: issuer,
    oidc_client_id: 'client',
    oidc_client_secret: 'op-secret',
    ...rest,
  })
  const { id } = succeeded(made).connection
  succeeded(await key.patch(`/v1/sso/connections/${id}`, { status }))
  return id
}

/** Begins a sign-in; returns the answer of a start that succeeds. */
export async function start(
  { key }: Pick<Proven, 'key'>,
  connectionId: string,
  fields: Record<string, unknown> = {},
): Promise<{ authorization_url: string; state: string }> {
  const { test = false, ...rest } = fields
  const path = `/v1/auth/login/sso/start${test ? '?test=true' : ''}`
  const begun = succeeded(await key.post(path, { connectionId, redirectUri: HOME, ...rest }))
  callbacks.set(begun.state, callbackPathOf(begun.authorization_url))
  return begun
}

/** The path of the redirect URI that an authorization URL names. */
export function callbackPathOf(authorizationUrl: string): string {
  return new URL(new URL(authorizationUrl).searchParams.get('redirect_uri') ?? '').pathname
}

/** What the callback answers a browser that brings this: at the redirect URI of the start, or the shared one. */
export function callBack(
  app: Pick<TestApp, 'as'>,
  fields: Record<string, string>,
  path: string = callbacks.get(fields['state'] ?? '') ?? CALLBACK,
): Promise<Reply> {
  return app.as(null).get(`${path}?${new URLSearchParams(fields)}`)
}

/** What the application gets: the parameters of the redirect. */
export function arrived({ status, headers, text }: Reply): Record<string, string> {
  const location = headers.get('location')
  if (location === null) throw new Error(`No redirect, but ${status}: ${text.slice(0, 300)}`)
  if (!location.startsWith(`${HOME}?`)) throw new Error(`A redirect elsewhere: ${location}`)
  return Object.fromEntries(new URL(location).searchParams)
}
