import { expect, test } from 'vitest'
import { until } from '../../../../test/harness.ts'
import { startOidcPeer } from '../../../../test/peers/oidc-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import {
  arrived,
  callBack,
  connect,
  provenOrganization,
  start,
  startFederatedApp,
} from '../../../../test/people/oidc-organization.ts'

// Back-Channel Logout with a third-party provider in a separate process.

const service = await startFederatedApp()
const { app } = service
const home = await provenOrganization(service)
const SECRET = 'a secret of a client that is long enough'
// The logout address is registered at the provider before the connection has a provider.
const made = { status: 'draft' }
const connections = {
  acme: await connect(home, 'https://later.example', { ...made, oidc_client_id: 'acme' }),
  globex: await connect(home, 'https://later.example', { ...made, oidc_client_id: 'globex' }),
}
const client = (name: keyof typeof connections, isSessionNamed: boolean) => ({
  client_id: name,
  client_secret: SECRET,
  redirect_uris: [`http://localhost:4000/api/v1/auth/login/sso/oidc/callback/${connections[name]}`],
  backchannel_logout_uri: `${app.baseUrl}/api/v1/auth/login/sso/oidc/logout/${connections[name]}`,
  backchannel_logout_session_required: isSessionNamed,
})
const peer = await startOidcPeer([client('acme', true), client('globex', false)])
const there = { oidc_issuer: peer.issuer, oidc_client_secret: SECRET, status: 'active' }
for (const id of Object.values(connections)) succeeded(await home.key.patch(`/v1/sso/connections/${id}`, there))

/** Two browsers of the same person. */
async function twice(name: keyof typeof connections, login: string) {
  const come = async () => {
    const { authorization_url } = await start(home, connections[name])
    const { back, leave } = await peer.visit(authorization_url, login)
    const token = arrived(await callBack(app, Object.fromEntries(back.searchParams)))['refresh_token']
    return { leave, lives: async () => succeeded(await home.key.post('/v1/auth/token/introspect', { token })).active }
  }
  return [await come(), await come()] as const
}

test('who signs out in one browser stays signed in in the other, where the provider names the session', async () => {
  const [first, second] = await twice('acme', `ada@${home.domain}`)
  await first.leave()
  await until(async () => !(await first.lives()))
  expect(await second.lives()).toBe(true)
  await second.leave()
  await until(async () => !(await second.lives()))
})

test('where it names the person alone, both sessions end', async () => {
  const [first, second] = await twice('globex', `bo@${home.domain}`)
  await first.leave()
  await until(async () => !(await first.lives()) && !(await second.lives()))
  const events = await app.events({ accountId: service.tenant.accountId, type: 'session.revoked' })
  expect(events.map(({ data }) => Object(data).reason)).toEqual(Array.from({ length: 4 }, () => 'idp_logout'))
})
