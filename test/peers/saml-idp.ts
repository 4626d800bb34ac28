import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { inflateRawSync } from 'node:zlib'
import { escapeXml } from '../../src/features/federation/xml/read.ts'
import type { IdpSettings } from './saml-idp-peer.ts'

// An identity provider by samlify, a program of its own: `node test/peers/saml-idp.ts <settings as JSON>`. Its first line of
// output is its address. It signs in whoever it is told to, by `as` of the query or by its form.

// Its own types would bring those of browsers into everything.
const require = createRequire(import.meta.url)
const samlify: Samlify = require('samlify')

interface Samlify {
  setSchemaValidator(validator: { validate(xml: string): Promise<string> }): void
  IdentityProvider(settings: object): Provider
  ServiceProvider(settings: object): object
  SamlLib: { replaceTagsByValue(template: string, values: Record<string, string>): string }
}

interface Provider {
  getMetadata(): string
  parseLoginRequest(sp: object, binding: string, request: object): Promise<{ extract: { request: { id: string } } }>
  createLoginResponse(
    sp: object,
    request: object,
    binding: string,
    user: object,
    options: object,
  ): Promise<{ context: string; entityEndpoint: string }>
  parseLogoutRequest(sp: object, binding: string, request: object): Promise<object>
  createLogoutResponse(sp: object, request: object, binding: string, relayState: string): { context: string }
}

samlify.setSchemaValidator({ validate: async () => 'ok' })
const settings: IdpSettings = JSON.parse(process.argv[2] ?? '{}')
const server = createServer((request, response) => {
  answer(request).then(
    ({ status = 200, type = 'text/html', body }) => response.writeHead(status, { 'content-type': type }).end(body),
    (error: unknown) => response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error)),
  )
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
process.stdout.write(`${origin}\n`)

const TEMPLATE =
  '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="{ID}" Version="2.0" IssueInstant="{Now}" Destination="{Acs}" InResponseTo="{Request}"><saml:Issuer>{Issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xs="http://www.w3.org/2001/XMLSchema" ID="{AssertionID}" Version="2.0" IssueInstant="{Now}"><saml:Issuer>{Issuer}</saml:Issuer><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">{User}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="{Until}" Recipient="{Acs}" InResponseTo="{Request}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="{Now}" NotOnOrAfter="{Until}"><saml:AudienceRestriction><saml:Audience>{Audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="{Now}" SessionIndex="{AssertionID}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement><saml:Attribute Name="firstName"><saml:AttributeValue xsi:type="xs:string">Ada</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion></samlp:Response>'

interface Answer {
  status?: number
  type?: string
  body: string
}

async function answer(request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? '/', origin)
  const form = request.method === 'POST' ? await readBody(request) : ''
  if (url.pathname === '/metadata') return { type: 'application/samlmetadata+xml', body: await metadata() }
  if (url.pathname === '/settings') {
    Object.assign(settings, JSON.parse(form))
    return { body: '' }
  }
  if (settings.slowMs > 0) await once(AbortSignal.timeout(settings.slowMs), 'abort')
  if (url.pathname === '/slo') return { body: await signOut(url) }
  if (url.pathname !== '/sso') return { status: 404, body: '' }
  // Octets as they came, for the signature.
  const sent = url.searchParams.has('SAMLRequest') ? url.search.slice(1) : form
  const fields = new URLSearchParams(sent)
  if (!fields.has('SAMLRequest')) return { status: 400, body: 'No request' }
  const binding = url.searchParams.has('SAMLRequest') ? 'redirect' : 'post'
  const user = url.searchParams.get('as') ?? fields.get('user')
  if (user === null) return { body: signInPage(fields, binding) }
  return { body: await respond(fields, { binding: fields.get('binding') ?? binding, octets: sent, user }) }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function provider(): Provider {
  const [current] = settings.pairs
  return samlify.IdentityProvider({
    entityID: `${origin}/metadata`,
    privateKey: current?.privateKeyPem,
    signingCert: settings.pairs.map(({ certificatePem }) => certificatePem).slice(0, 1),
    wantAuthnRequestsSigned: true,
    wantLogoutRequestSigned: true,
    requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    isAssertionEncrypted: settings.isEncrypted,
    dataEncryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
    keyEncryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
    generateID: () => `_${crypto.randomUUID()}`,
    loginResponseTemplate: { context: TEMPLATE, attributes: [] },
    singleSignOnService: servicesAt('sso'),
    singleLogoutService: servicesAt('slo'),
  })
}

function servicesAt(path: string) {
  const names = ['HTTP-Redirect', 'HTTP-POST']
  return names.map((name) => ({
    Binding: `urn:oasis:names:tc:SAML:2.0:bindings:${name}`,
    Location: `${origin}/${path}`,
  }))
}

/** With every key: the one that signs, and those that will or did. */
async function metadata(): Promise<string> {
  const more = settings.pairs
    .slice(1)
    .map(({ certificatePem }) => certificatePem.replace(/-----[A-Z ]+-----|\s/g, ''))
    .map(
      (certificate) =>
        `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
    )
  return provider()
    .getMetadata()
    .replace(/(<SingleSignOnService)/, `${more.join('')}$1`)
    .replace(/<EntityDescriptor /, settings.validUntil ? `$&validUntil="${settings.validUntil}" ` : '$&')
}

/**
 * The service provider, as its own metadata describes it: once for each of its keys for signatures, of which the library
 * knows one at a time.
 */
async function serviceProviders(samlRequest: string, binding: string): Promise<object[]> {
  const bytes = Buffer.from(samlRequest, 'base64')
  const xml = (binding === 'redirect' ? inflateRawSync(bytes) : bytes).toString()
  const entityId = /Issuer>([^<]+)</.exec(xml)?.[1] ?? ''
  const asked = await fetch(`${settings.serviceOrigin}${new URL(entityId).pathname}`)
  const metadata = await asked.text()
  const keys = metadata.match(/<md:KeyDescriptor use="signing">.*?<\/md:KeyDescriptor>/g) ?? []
  return keys.map((kept) => {
    const one = keys.filter((key) => key !== kept).reduce((rest, key) => rest.replace(key, ''), metadata)
    return samlify.ServiceProvider({
      metadata: one,
      wantMessageSigned: settings.signs !== 'assertion',
      wantLogoutResponseSigned: true,
    })
  })
}

async function respond(
  fields: URLSearchParams,
  { binding, octets, user }: { binding: string; octets: string; user: string },
): Promise<string> {
  const samlRequest = fields.get('SAMLRequest') ?? ''
  const relayState = fields.get('RelayState') ?? ''
  const sps = await serviceProviders(samlRequest, binding)
  const names = ['SAMLRequest', 'RelayState', 'SigAlg']
  const octetString = octets.split('&').filter((field) => names.includes(field.split('=')[0] ?? ''))
  const message = {
    query: Object.fromEntries(fields),
    body: Object.fromEntries(fields),
    octetString: octetString.join('&'),
  }
  const idp = provider()
  const { sp, request } = await Promise.any(
    sps.map(async (sp) => ({ sp, request: await idp.parseLoginRequest(sp, binding, message) })),
  )
  const now = Date.now() + settings.aheadSeconds * 1000
  const acs = Reflect.get(sp, 'entityMeta').getAssertionConsumerService('post')
  const replaced = (template: string) => ({
    id: 'unused',
    context: samlify.SamlLib.replaceTagsByValue(template, {
      ID: `_${crypto.randomUUID()}`,
      AssertionID: `_${crypto.randomUUID()}`,
      Now: new Date(now).toISOString(),
      Until: new Date(now + 300_000).toISOString(),
      Acs: acs,
      Request: request.extract.request.id,
      Issuer: `${origin}/metadata`,
      Audience: Reflect.get(sp, 'entityMeta').getEntityID(),
      User: user,
    }),
  })
  const { context } = await idp.createLoginResponse(
    sp,
    request,
    'post',
    {},
    { customTagReplacement: replaced, relayState },
  )
  return page(
    `<form method="post" action="${escapeXml(acs)}">${hidden('SAMLResponse', context)}${hidden('RelayState', relayState)}</form><script>document.forms[0].submit()</script>`,
  )
}

/** Takes a request to sign out by redirect, which must be signed, and answers it by redirect, signed. */
async function signOut(url: URL): Promise<string> {
  const octets = url.search.slice(1)
  const fields = url.searchParams
  const signed = octets
    .split('&')
    .filter((field) => ['SAMLRequest', 'RelayState', 'SigAlg'].includes(field.split('=')[0] ?? ''))
  const message = { query: Object.fromEntries(fields), octetString: signed.join('&') }
  const idp = provider()
  const sps = await serviceProviders(fields.get('SAMLRequest') ?? '', 'redirect')
  const { sp, request } = await Promise.any(
    sps.map(async (sp) => ({ sp, request: await idp.parseLogoutRequest(sp, 'redirect', message) })),
  )
  const { context } = idp.createLogoutResponse(sp, request, 'redirect', fields.get('RelayState') ?? '')
  return page(`<h1>Signed out</h1><a href="${escapeXml(context)}">Go back</a>`)
}

function signInPage(fields: URLSearchParams, binding: string): string {
  const kept = [...fields, ['binding', binding]].map(([name = '', value = '']) => hidden(name, value)).join('')
  return page(
    `<h1>The provider</h1><form method="post" action="/sso">${kept}<label>User <input name="user"></label><button>Sign in</button></form>`,
  )
}

const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${escapeXml(value)}">`
const page = (content: string) => `<!doctype html><link rel="icon" href="data:,"><title>Provider</title>${content}`
