import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { succeeded } from '../../../test/people/factors.ts'
import { startFederatedApp } from '../../../test/people/oidc-organization.ts'
import { newEmail } from '../../../test/people/people.ts'
import { provisioned, SCIM } from '../../../test/people/scim.ts'
import { signedInUser } from '../../../test/people/sign-in.ts'
import { joinedMember } from '../../../test/people/team.ts'
import { metadata } from '../../../test/process/large-messages.ts'
import { snapshot } from '../../../test/snapshot.ts'

const { app, tenant } = await startFederatedApp()
const subOrgId = await tenant.organization()
await joinedMember(app, tenant, 'owner')

interface Sent {
  method?: string
  path: string
  headers: Record<string, string>
  body: object
  /** A path that the same caller may read. */
  whole?: string
}

/**
 * Sends the headers and the start of the body. Returns once the service has authenticated the caller. `finish` sends
 * the rest and returns the response.
 */
async function begin({ method = 'POST', path, headers, body, whole = '/v1/api-keys/current' }: Sent) {
  const { hostname, port, host } = new URL(app.baseUrl)
  const text = JSON.stringify(body)
  const lines = Object.entries({
    host,
    'content-type': 'application/json',
    'content-length': String(text.length),
    connection: 'close',
    expect: '100-continue',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  const [going, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  let received = ''
  socket.on('data', (part: string) => {
    received += part
    if (received.startsWith('HTTP/1.1 100')) going.resolve()
  })
  socket.on('close', () => answered.resolve(received))
  socket.on('error', answered.reject)
  socket.write([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n') + text.slice(0, 5))
  await going.promise
  // Sends a complete request by the same caller, which is authenticated after the first one.
  const { 'content-type': _, ...credential } = headers
  await (await fetch(app.baseUrl + whole, { headers: credential })).text()
  return {
    async finish() {
      socket.write(text.slice(5))
      const [, head = '', answer = ''] = (await answered.promise).split('\r\n\r\n')
      return { status: Number(head.split(' ')[1]), body: JSON.parse(answer) }
    },
  }
}

interface Case extends Sent {
  /** Takes away the caller's rights. */
  end(): Promise<unknown>
  /** The status and the error code. SCIM has no code. */
  refusal: [number, string | null]
}

const mint = (headers: Record<string, string>) => ({
  ...{ path: '/v1/api-keys', headers },
  body: { name: 'Minted', scopes: ['*'] },
})

const cases: Record<string, () => Promise<Case>> = {
  'a removed owner makes an API key': async () => {
    const { membershipId, headers } = await joinedMember(app, tenant, 'owner')
    const end = () => tenant.delete(`/v1/members/${membershipId}`)
    return { ...mint(headers), end, refusal: [401, 'api_key_invalid'] }
  },
  'an administrator who has become a member invites an administrator': async () => {
    const { membershipId, headers } = await joinedMember(app, tenant, 'admin')
    const end = () => tenant.patch(`/v1/members/${membershipId}`, { newRole: 'member' })
    const body = { email: newEmail(), role: 'admin' }
    return { path: '/v1/members/invites', headers, body, end, refusal: [401, 'api_key_invalid'] }
  },
  'a revoked API key makes another': async () => {
    const { key, apiKey } = succeeded(await tenant.post('/v1/api-keys', { name: 'Revoked', scopes: ['*'] }))
    const end = () => tenant.delete(`/v1/api-keys/${apiKey.id}`)
    return { ...mint({ 'x-api-key': key }), end, refusal: [401, 'api_key_invalid'] }
  },
  'an API key that has lost a scope makes another': async () => {
    const { key, apiKey } = succeeded(await tenant.post('/v1/api-keys', { name: 'Narrowed', scopes: ['*'] }))
    const end = () => tenant.patch(`/v1/api-keys/${apiKey.id}`, { scopes: ['api_keys.read', 'api_keys.manage'] })
    return { ...mint({ 'x-api-key': key }), end, refusal: [403, 'privilege_escalation'] }
  },
  'a SCIM client whose token was replaced adds a user': async () => {
    const { token, subOrgId: id } = await provisioned(app, tenant)
    const end = () => tenant.post('/v1/scim/config', { action: 'rotate-token', subOrgId: id })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
    const whole = `${SCIM}/Users`
    return { path: whole, whole, headers, body: { userName: newEmail() }, end, refusal: [401, null] }
  },
  'a user who is signed out changes their name': async () => {
    const { userId, session } = await signedInUser(app, tenant, subOrgId, newEmail())
    const headers = { authorization: `Bearer ${session.access_token}` }
    const end = () => tenant.delete(`/v1/users/${userId}/sessions?subOrgId=${subOrgId}`)
    const body = { firstName: 'Changed' }
    return {
      method: 'PATCH',
      path: '/v1/me',
      whole: '/v1/me',
      headers,
      body,
      end,
      refusal: [401, 'access_token_invalid'],
    }
  },
  'a user whose request a backend passes on with a revoked API key changes their name': async () => {
    const { session } = await signedInUser(app, tenant, subOrgId, newEmail())
    const { key, apiKey } = succeeded(await tenant.post('/v1/api-keys', { name: 'Revoked', scopes: ['*'] }))
    const headers = { authorization: `Bearer ${session.access_token}`, 'x-api-key': key }
    const end = () => tenant.delete(`/v1/api-keys/${apiKey.id}`)
    const [body, refusal]: [object, Case['refusal']] = [{ firstName: 'Changed' }, [401, 'api_key_invalid']]
    return { method: 'PATCH', path: '/v1/me', whole: '/v1/me', headers, body, end, refusal }
  },
}

test.each(Object.keys(cases))('a body that arrives after the right has ended changes nothing: %s', async (name) => {
  const made = await cases[name]?.()
  if (!made) throw new Error('No case')
  const { finish } = await begin(made)
  succeeded((await made.end()) as Parameters<typeof succeeded>[0])
  await app.advance(2)
  const before = await snapshot(app)
  const { status, body } = await finish()
  expect([status, body.code ?? null]).toEqual(made.refusal)
  expect(await snapshot(app)).toEqual(before)
})

test('a body that arrives slowly is taken from a caller whose right lasts', async () => {
  const { headers } = await joinedMember(app, tenant, 'owner')
  const { finish } = await begin(mint(headers))
  await app.advance(20)
  expect(await finish()).toMatchObject({ status: 200, body: { apiKey: { name: 'Minted' } } })
})

test('a request that waits for another server changes nothing once the right has ended', async () => {
  const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = createServer(async (_request, reply) => {
    asked.resolve()
    await go.promise
    reply.setHeader('content-type', 'application/samlmetadata+xml').end(metadata(1))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const idp_metadata_url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/metadata`
  const { key, apiKey } = succeeded(await tenant.post('/v1/api-keys', { name: 'Revoked', scopes: ['*'] }))
  const fields = { subOrgId, name: 'Acme', protocol: 'saml', idp_metadata_url }
  const creating = app.as(key).post('/v1/sso/connections', fields)
  await asked.promise
  succeeded(await tenant.delete(`/v1/api-keys/${apiKey.id}`))
  await app.advance(2)
  const before = await snapshot(app)
  go.resolve()
  const { status, body } = await creating
  expect([status, body.code]).toEqual([401, 'api_key_invalid'])
  expect(await snapshot(app)).toEqual(before)
})
