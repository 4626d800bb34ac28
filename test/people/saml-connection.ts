import { inflateRawSync } from 'node:zlib'
import { makeCertificate } from '../../src/platform/crypto/certificates.ts'
import { fresh } from '../fresh.ts'
import type { Reply, Tenant, TestApp } from '../harness.ts'
import { encodeMessage, type ProviderPair, type Said, signXml, writeResponse } from '../peers/saml-messages.ts'
import { assertHeadersDeclared, assertMatchesContract } from '../rules/contract.ts'
import { succeeded } from './factors.ts'

export const APPLICATION = 'http://localhost:3000/auth'

/** A key of providers of this file of tests. */
export const providerPair: ProviderPair = await makeCertificate({ commonName: 'idp', years: 3, from: new Date() })

/** An organization with a verified domain and a connection to a provider that the test plays. */
export interface SamlOrganization {
  subOrgId: string
  domain: string
  connectionId: string
  entityId: string
  sp: { entity_id: string; acs_url: string; metadata_url: string }
  change(body: Record<string, unknown>): Promise<void>
  /** Starts a sign-in, and returns what the browser takes to the provider. */
  start(more?: Record<string, unknown>, query?: string): Promise<SamlStart>
  /** A response to a start, signed by the provider. */
  respond(start: Pick<SamlStart, 'requestId'> | null, more?: Partial<Said>): string
}

export interface SamlStart {
  url: URL
  state: string
  requestId: string
  xml: string
}

/** As if the record of the domain had been found. */
export async function verifyDomain(
  app: TestApp,
  tenant: Pick<Tenant, 'post'>,
  subOrgId: string,
  domain: string,
): Promise<void> {
  await tenant.post('/v1/admin-portal', { subOrgId, action: 'add_domain', domain })
  await app.app.platform.db
    .updateTable('domains')
    .set({ status: 'verified', verified_at: new Date() })
    .where('organization_id', '=', subOrgId)
    .where('domain', '=', domain)
    .execute()
}

export async function makeSamlOrganization(
  app: TestApp,
  tenant: Tenant,
  more: Record<string, unknown> = {},
): Promise<SamlOrganization> {
  const subOrgId = await tenant.organization()
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, subOrgId, domain)
  const entityId = `https://idp.${domain}/metadata`
  const fields = {
    name: 'Acme',
    protocol: 'saml',
    idp_entity_id: entityId,
    idp_sso_url: `https://idp.${domain}/sso?tenant=1`,
    idp_certificate: providerPair.certificatePem,
  }
  const made = succeeded(await tenant.post('/v1/sso/connections', { subOrgId, ...fields, ...more }))
  const { id, sp } = made.connection
  const change = async (body: Record<string, unknown>) => {
    succeeded(await tenant.patch(`/v1/sso/connections/${id}?subOrgId=${subOrgId}`, body))
  }
  await change({ status: 'active' })
  return {
    subOrgId,
    domain,
    connectionId: id,
    entityId,
    sp,
    change,
    async start(asked = {}, query = '') {
      const body = { subOrgId, connectionId: id, redirectUri: APPLICATION, ...asked }
      const begun = succeeded(await tenant.post(`/v1/auth/login/sso/start${query}`, body))
      const url = new URL(begun.authorization_url)
      const packed = url.searchParams.get('SAMLRequest') ?? ''
      const xml = packed === '' ? '' : inflateRawSync(Buffer.from(packed, 'base64')).toString()
      return { url, state: begun.state, requestId: `_${begun.state}`, xml }
    },
    respond: (start, said = {}) =>
      signXml(
        writeResponse(saidBy(app, { domain, entityId, sp }, start?.requestId ?? null, said)),
        'Assertion',
        providerPair,
      ),
  }
}

/** What the provider of an organization says of Ada. */
export function saidBy(
  app: TestApp,
  { domain, entityId, sp }: Pick<SamlOrganization, 'domain' | 'entityId' | 'sp'>,
  requestId: string | null,
  more: Partial<Said> = {},
): Said {
  const now = app.app.platform.clock.now().getTime()
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()
  return {
    responseId: `_r-${fresh()}`,
    assertionId: `_a-${fresh()}`,
    issuer: entityId,
    assertionIssuer: entityId,
    destination: sp.acs_url,
    inResponseTo: requestId,
    confirmedInResponseTo: requestId,
    status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    nameId: `ada@${domain}`,
    nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
    recipient: sp.acs_url,
    confirmedFrom: null,
    confirmedUntil: at(300),
    conditions: { notBefore: at(-5), notOnOrAfter: at(300) },
    audience: sp.entity_id,
    issuedAt: at(0),
    signedInAt: at(-1),
    sessionIndex: 's-1',
    sessionNotOnOrAfter: null,
    context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    attributes: { firstName: ['Ada'], lastName: ['Lovelace'] },
    more: '',
    ...more,
  }
}

/** What a browser gets. */
export type Posted = Pick<Reply, 'status' | 'headers' | 'text'>

/** Posts a response as a browser does that a provider sends; `path` is where. */
export async function postResponse(
  app: Pick<TestApp, 'baseUrl'>,
  path: string,
  xml: string,
  relayState: string | null,
): Promise<Posted> {
  const form = new URLSearchParams({ SAMLResponse: encodeMessage(xml) })
  if (relayState !== null) form.set('RelayState', relayState)
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: 'https://idp.example',
    'sec-fetch-site': 'cross-site',
  }
  const reply = await fetch(app.baseUrl + path, { method: 'POST', headers, body: form.toString(), redirect: 'manual' })
  const text = await reply.text()
  // A redirect has no body.
  if (reply.status !== 303) assertMatchesContract('POST', path, reply.status, text)
  assertHeadersDeclared('POST', path, reply.status, reply.headers)
  return { status: reply.status, headers: reply.headers, text }
}

/** What a browser brings to the application; throws for an answer that leads nowhere. */
export function broughtBack(reply: Posted): Record<string, string> {
  const location = reply.headers.get('location')
  if (reply.status !== 303 || location === null) throw new Error(`No redirect: ${reply.status} ${reply.text}`)
  return Object.fromEntries(new URL(location).searchParams)
}
