import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import {
  broughtBack,
  makeSamlOrganization,
  postResponse,
  type SamlStart,
} from '../../../../test/people/saml-connection.ts'
import { attributeOf, readXml } from '../xml/read.ts'

const app = await startApp()
const tenant = await app.tenant()
const organization = await makeSamlOrganization(app, tenant)
const acs = new URL(organization.sp.acs_url).pathname

const at = (seconds: number) => new Date(app.app.platform.clock.now().getTime() + seconds * 1000).toISOString()

/** Signs in with a time of authentication from the provider. Returns how the sign-in ends. */
async function come(start: SamlStart, signedInAt: string) {
  return broughtBack(await postResponse(app, acs, organization.respond(start, { signedInAt }), start.state))
}

const forced = () => organization.start({ force_authn: true })

test('the answer to a request that demands to ask again must show that the provider has', async () => {
  for (const signedInAt of [at(-70), at(-3600)])
    expect([signedInAt, (await come(await forced(), signedInAt))['error']]).toEqual([
      signedInAt,
      'reauthentication_missing',
    ])
  const path = `/v1/sso/connections/${organization.connectionId}/traces?subOrgId=${organization.subOrgId}`
  const { traces } = (await tenant.get(path)).body
  expect(traces[0]).toMatchObject({
    code: 'reauthentication_missing',
    said: { detail: expect.stringContaining('before the start') },
  })
  for (const signedInAt of [at(0), at(-50)])
    expect(await come(await forced(), signedInAt)).toHaveProperty('access_token')
  // Without `force_authn`, an old authentication is accepted.
  expect(await come(await organization.start(), at(-3600))).toHaveProperty('access_token')
})

test('an answer that does not say when is refused', async () => {
  const start = await forced()
  const said = organization.respond(start, { signedInAt: 'recently' })
  expect(broughtBack(await postResponse(app, acs, said, start.state))['error']).toBe('response_invalid')
})

test('no browser takes the demand out of the form that has the request', async () => {
  await organization.change({ request_binding: 'post' })
  const start = await forced()
  expect(start.url.searchParams.has('force_authn')).toBe(false)
  const page = await (await fetch(app.baseUrl + start.url.pathname + start.url.search)).text()
  const [, packed = ''] = /name="SAMLRequest" value="([^"]*)"/.exec(page) ?? []
  const request = readXml(Buffer.from(packed, 'base64').toString())
  expect([attributeOf(request, 'ForceAuthn'), attributeOf(request, 'ID')]).toEqual(['true', start.requestId])
  expect((await come(start, at(-3600)))['error']).toBe('reauthentication_missing')
  // The state is used up, so the address to sign in no longer works.
  expect((await fetch(app.baseUrl + start.url.pathname + start.url.search)).status).toBe(400)
  await organization.change({ request_binding: 'redirect' })
})

test('the form is of the connection that the sign-in began by', async () => {
  await organization.change({ request_binding: 'post' })
  const other = await tenant.post('/v1/sso/connections', {
    subOrgId: organization.subOrgId,
    name: 'Other',
    protocol: 'saml',
    idp_entity_id: 'https://other.example',
    idp_sso_url: 'https://other.example/sso',
  })
  const { url } = await organization.start()
  const path = url.pathname.replace(organization.connectionId, other.body.connection.id)
  expect((await fetch(app.baseUrl + path + url.search)).status).toBe(400)
  await organization.change({ request_binding: 'redirect' })
})

test('what the connection demands is demanded of what nobody asked for, too', async () => {
  await organization.change({ force_authn: true, allow_idp_initiated: true })
  await tenant.patch('/v1/auth/settings', {
    subOrgId: organization.subOrgId,
    allowed_redirect_uris: ['http://localhost:3000/auth'],
    default_redirect_uri: 'http://localhost:3000/auth',
  })
  const bring = (signedInAt: string) => postResponse(app, acs, organization.respond(null, { signedInAt }), null)
  expect((await bring(at(-400))).status).toBe(400)
  expect(broughtBack(await bring(at(-200)))).toHaveProperty('code')
})
