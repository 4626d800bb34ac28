import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { startIdp } from '../../../../test/peers/saml-idp-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { APPLICATION, broughtBack, postResponse, verifyDomain } from '../../../../test/people/saml-connection.ts'
import { makeCertificate } from '../../../platform/crypto/certificates.ts'

// Mix-up between organizations: a hostile organization sends a person to another organization's provider, with a
// state of the hostile organization. Each provider runs in a separate process. SAML sends no code, so the test only
// has to show that no session is created.

const app = await startApp({ env: { WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' } })
const tenant = await app.tenant()
const SHARED = '/v1/auth/login/sso/saml/acs'

/** An organization with its own provider. */
async function organization(commonName: string) {
  const pair = await makeCertificate({ commonName, years: 3, from: new Date() })
  const idp = await startIdp({ pairs: [pair], serviceOrigin: app.baseUrl })
  const subOrgId = await tenant.organization()
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, subOrgId, domain)
  const fields = { name: commonName, protocol: 'saml', idp_metadata_url: idp.metadataUrl }
  const { connection } = succeeded(await tenant.post('/v1/sso/connections', { subOrgId, ...fields }))
  const { id } = connection
  const path = `/v1/sso/connections/${id}?subOrgId=${subOrgId}`
  succeeded(await tenant.patch(path, { status: 'active', allow_idp_initiated: true }))
  const start = async () => {
    const body = { subOrgId, connectionId: id, redirectUri: APPLICATION }
    return succeeded(await tenant.post('/v1/auth/login/sso/start', body))
  }
  return { idp, id, start, user: `ada@${domain}`, path: `${SHARED}/${id}` }
}

const [home, evil] = [await organization('home'), await organization('evil')]

const sessions = async () => (await app.events({ accountId: tenant.accountId, type: 'session.created' })).length

test.each([
  ['of the person’s connection', home.path],
  ['of the hostile connection', evil.path],
  ['that connections share', SHARED],
])('the response of one connection with the state of another is refused at the address %s', async (_, path) => {
  const before = await sessions()
  const [theirs, ours] = [await evil.start(), await home.start()]
  // The person answers the hostile organization's request, or answers their own request under the hostile state.
  const lure = theirs.authorization_url.replace(evil.idp.origin, home.idp.origin)
  for (const url of [ours.authorization_url, lure]) {
    const { xml } = await home.idp.signIn(url, home.user)
    const state = (await evil.start()).state
    const came = broughtBack(await postResponse(app, path, xml, state))
    expect(came).toMatchObject({ error: 'response_invalid', state })
  }
  expect(await sessions()).toBe(before)
})

test('the response of a hostile provider that bears the state of somebody else is refused everywhere', async () => {
  const before = await sessions()
  for (const path of [home.path, evil.path, SHARED]) {
    const ours = await home.start()
    const lure = ours.authorization_url.replace(home.idp.origin, evil.idp.origin)
    const { xml } = await evil.idp.signIn(lure, home.user)
    expect(broughtBack(await postResponse(app, path, xml, ours.state))).toMatchObject({ error: 'response_invalid' })
  }
  expect(await sessions()).toBe(before)
})

test('the honest sign-in works, at the address of the connection', async () => {
  const { authorization_url } = await home.start()
  const { xml, relayState, action } = await home.idp.signIn(authorization_url, home.user)
  expect(new URL(action).pathname).toBe(`/api${home.path}`)
  expect(broughtBack(await postResponse(app, home.path, xml, relayState))).toHaveProperty('access_token')
})
