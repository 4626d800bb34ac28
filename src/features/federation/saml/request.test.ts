import { createVerify, X509Certificate } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { makeSamlOrganization } from '../../../../test/people/saml-connection.ts'
import { redirectUrl, writeAuthnRequest } from '../saml-metadata/saml-metadata.ts'
import { attributeOf, onlyChild, readXml } from '../xml/read.ts'
import { ns } from '../xml/saml-names.ts'

const app = await startApp()
const tenant = await app.tenant()
const organization = await makeSamlOrganization(app, tenant)

async function spCertificates(use: string): Promise<string[]> {
  const { pathname } = new URL(organization.sp.metadata_url)
  const reply = await fetch(app.baseUrl + pathname)
  expect(reply.headers.get('content-type')).toBe('application/samlmetadata+xml')
  const descriptor = onlyChild(readXml(await reply.text()), ns.metadata, 'SPSSODescriptor')
  return (descriptor?.children ?? [])
    .filter((child) => child.name === 'KeyDescriptor' && attributeOf(child, 'use') === use)
    .map((key) => key.children[0]?.children[0]?.children[0]?.text ?? '')
}

test('a start sends a request that names the service, the address and the sign-in, signed by its key', async () => {
  const { url, state, xml } = await organization.start()
  expect(url.href.startsWith(`https://idp.${organization.domain}/sso?tenant=1&SAMLRequest=`)).toBe(true)
  expect(url.searchParams.get('RelayState')).toBe(state)
  const request = readXml(xml)
  expect(request).toMatchObject({ namespace: ns.protocol, name: 'AuthnRequest' })
  expect(attributeOf(request, 'ID')).toBe(`_${state}`)
  expect(attributeOf(request, 'Destination')).toBe(`https://idp.${organization.domain}/sso?tenant=1`)
  expect(attributeOf(request, 'AssertionConsumerServiceURL')).toBe(organization.sp.acs_url)
  expect(attributeOf(request, 'ForceAuthn')).toBeNull()
  expect(onlyChild(request, ns.assertion, 'Issuer')?.text).toBe(organization.sp.entity_id)
  const [certificate = ''] = await spCertificates('signing')
  const octets = url.search.slice(url.search.indexOf('SAMLRequest='), url.search.indexOf('&Signature='))
  expect(octets).toMatch(/^SAMLRequest=[^&]+&RelayState=[^&]+&SigAlg=[^&]+$/)
  expect(url.searchParams.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
  const signature = Buffer.from(url.searchParams.get('Signature') ?? '', 'base64')
  expect(createVerify('RSA-SHA256').update(octets).verify(publicKey, signature)).toBe(true)
})

test('a request says what the connection and the start want', async () => {
  await organization.change({
    sign_requests: false,
    name_id_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  })
  const { url, xml } = await organization.start({ force_authn: true, login_hint: 'ada&"<@acme.example' })
  expect(url.searchParams.has('Signature')).toBe(false)
  const request = readXml(xml)
  expect(attributeOf(request, 'ForceAuthn')).toBe('true')
  const policy = onlyChild(request, ns.protocol, 'NameIDPolicy')
  expect(policy && attributeOf(policy, 'Format')).toBe('urn:oasis:names:tc:SAML:2.0:nameid-format:persistent')
  const subject = onlyChild(request, ns.assertion, 'Subject')
  expect(subject && onlyChild(subject, ns.assertion, 'NameID')?.text).toBe('ada&"<@acme.example')
  await organization.change({ force_authn: true })
  expect(attributeOf(readXml((await organization.start()).xml), 'ForceAuthn')).toBe('true')
})

test('a connection without an address of its provider starts nothing', async () => {
  const other = await makeSamlOrganization(app, tenant, { idp_sso_url: null })
  const body = { subOrgId: other.subOrgId, connectionId: other.connectionId, redirectUri: 'http://localhost:3000/auth' }
  const reply = await tenant.post('/v1/auth/login/sso/start', body)
  expect([reply.status, reply.body.code]).toEqual([409, 'connection_incomplete'])
})

test('whoever brings no open state to the page that takes requests is told so in words for people', async () => {
  const { state } = await organization.start()
  const request = '/v1/auth/login/sso/saml/request'
  const { subOrgId, connectionId } = organization
  const fields = { subOrgId, name: 'Second', protocol: 'saml', idp_sso_url: 'https://idp.example/sso' }
  const { connection: second } = succeeded(await tenant.post('/v1/sso/connections', fields))
  expect((await fetch(`${app.baseUrl}${request}/${connectionId}?state=${state}`)).status).toBe(200)
  const pages = [
    `${request}/${organization.connectionId}`,
    `${request}/${organization.connectionId}?state=unknown`,
    `${request}/x?state=${state}`,
    `${request}/${second.id}?state=${state}`,
  ]
  for (const page of pages) {
    const reply = await fetch(app.baseUrl + page)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(await reply.text()).toContain('Go back to your application')
  }
})

test('metadata names the addresses and keys of the service, and is of connections of SAML alone', async () => {
  expect(await spCertificates('signing')).toHaveLength(1)
  expect(await spCertificates('encryption')).toHaveLength(0)
  await organization.change({ want_assertions_encrypted: true })
  expect(await spCertificates('encryption')).toHaveLength(1)
  const oidc = { subOrgId: organization.subOrgId, name: 'OpenID', protocol: 'oidc' }
  const { connection } = succeeded(await tenant.post('/v1/sso/connections', oidc))
  const paths = [connection.id, '01a205b3-2ff7-719c-9a82-2b63be595e1c', 'x', `${organization.connectionId}x`]
  for (const id of paths) expect((await fetch(`${app.baseUrl}/v1/auth/login/sso/saml/metadata/${id}`)).status).toBe(404)
})

test('values never break out of a message', () => {
  const evil = '"/><evil a="\'&amp;<!--]]>'
  const xml = writeAuthnRequest({
    id: '_1',
    issuedAt: new Date(0),
    spEntityId: evil,
    acsUrl: evil,
    idpSsoUrl: evil,
    forceAuthn: false,
    nameIdFormat: evil,
    loginHint: evil,
  })
  const request = readXml(xml)
  expect(attributeOf(request, 'Destination')).toBe(evil)
  expect(onlyChild(request, ns.assertion, 'Issuer')?.text).toBe(evil)
  const url = new URL(
    redirectUrl('https://idp.example/sso', { field: 'SAMLRequest', xml, relayState: evil, pair: null }),
  )
  expect(url.searchParams.get('RelayState')).toBe(evil)
  const packed = Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')
  expect(inflateRawSync(packed).toString()).toBe(xml)
})
