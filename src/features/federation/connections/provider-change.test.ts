import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { makeWorld, newLocal, type World } from '../../../../test/peers/introductions.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { arrived, callBack, start, startFederatedApp } from '../../../../test/people/oidc-organization.ts'

const service = await startFederatedApp()
const { app } = service
const [peer, other] = [await startOpPeer(), await startOpPeer()]

const group_role_mapping = { Admins: 'admin', Pay: 'payer' }
const groups = ['Admins', 'Pay']

/** A user who signed in with roles from groups and has another role by hand. */
async function enter(protocol: 'oidc' | 'saml') {
  const world = await makeWorld(service, peer, protocol, { jit_provisioning: true })
  const { key } = world
  for (const name of ['Payer', 'Reader'])
    succeeded(await key.post('/v1/rbac/roles', { name, permissions: [`${name.toLowerCase()}:do`] }))
  await world.change({ group_role_mapping })
  const told = { subject: fresh(), email: world.at(newLocal()), more: { groups } }
  const { directory_user_id: id = '', access_token: token = '' } = await world.signIn(told)
  succeeded(await key.put(`/v1/rbac/users/${id}/roles`, { roleIds: ['payer', 'reader'] }))
  succeeded(await key.put(`/v1/rbac/users/${id}/roles`, { roleIds: ['reader'], force: true }))
  await world.signIn(told)
  return { world, told, id, token }
}

async function rolesOf({ key }: World, { id, token }: { id: string; token: string }) {
  const { role, roleIds } = succeeded(await key.get(`/v1/rbac/users/${id}/roles`))
  const session = succeeded(await key.post('/v1/auth/token/introspect', { token }))
  return { role, count: roleIds.length, active: session.active, session: [session.role, session.roles.toSorted()] }
}

const HAD = { role: 'admin', count: 2, active: true, session: ['admin', ['payer', 'reader']] }
const LEFT = { role: 'member', count: 1, active: true, session: ['member', ['reader']] }

test.each([
  ['oidc', { oidc_issuer: other.url, oidc_client_secret: 'op-secret' }, { oidc_client_id: 'other' }],
  ['saml', { idp_entity_id: 'https://other.example' }, { idp_sso_url: 'https://other.example/sso' }],
] as const)('another provider takes the roles that the connection gave: %s', async (protocol, another, same) => {
  const { world, told, id, token } = await enter(protocol)
  expect(await rolesOf(world, { id, token })).toEqual(HAD)
  await world.change({ ...same, name: 'Renamed' })
  expect(await rolesOf(world, { id, token })).toEqual(HAD)
  await world.change(another)
  expect(await rolesOf(world, { id, token })).toEqual(LEFT)
  // The previous provider cannot give roles any more.
  expect((await world.signIn(told))['error']).toEqual(expect.any(String))
  expect(await rolesOf(world, { id, token })).toEqual(LEFT)
  const { identities } = succeeded(await world.key.get(`/v1/users/${id}/identities`))
  expect(identities).toHaveLength(1)
})

test('a sign-in under way at the provider before ends', async () => {
  const { world, told } = await enter('oidc')
  const { key, connectionId } = world
  const { authorization_url } = await start({ key }, connectionId, { response_mode: 'code' })
  const claims = { sub: told.subject, email: told.email, groups }
  const { code, state } = peer.signIn(authorization_url, claims)
  const waiting = arrived(await callBack(app, { code, state }))
  expect(waiting['code']).toEqual(expect.any(String))
  const begun = peer.signIn((await start({ key }, connectionId)).authorization_url, claims)
  await world.change({ oidc_issuer: other.url, oidc_client_secret: 'op-secret' })
  const refused = await key.post('/v1/auth/token/exchange', { code: waiting['code'] })
  expect(refused.status).toBe(400)
  expect(arrived(await callBack(app, begun))['error']).toEqual(expect.any(String))
})
