import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { makeWorld, newLocal } from '../../../../test/peers/introductions.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { startFederatedApp } from '../../../../test/people/oidc-organization.ts'
import { answered } from '../../../../test/people/scim-answers.ts'

const service = await startFederatedApp()
const peer = await startOpPeer()

const fields = { jit_provisioning: true, group_role_mapping: { Admins: 'admin', ' Padded ': 'admin' } }
const others = [
  'Admins ',
  ' Admins',
  '\u00a0Admins',
  'Admins\t',
  'Admins\u3000',
  'Padded',
  'admins',
  'ADMINS',
  'Admin\u017f',
]

test.each(['oidc', 'saml'] as const)('a group of a sign-in is named exactly: %s', async (protocol) => {
  const { at, key, signIn } = await makeWorld(service, peer, protocol, fields)
  const person = { subject: fresh(), email: at(newLocal()) }
  const roleWith = async (groups: string) => {
    // A user may sign in only a few times a minute.
    await service.app.advance(10)
    const { directory_user_id: id, ...came } = await signIn({ ...person, more: { groups } })
    expect(came).not.toHaveProperty('error')
    return succeeded(await key.get(`/v1/users/${id}`)).user.role
  }
  for (const groups of others) expect(await roleWith(groups), JSON.stringify(groups)).toBe('member')
  for (const groups of ['Admins', 'none', ' Padded '])
    expect(await roleWith(groups), JSON.stringify(groups)).toBe(groups === 'none' ? 'member' : 'admin')
})

test('a provisioned group is named exactly, by displayName and externalId', async () => {
  const { at, key, client, connectionId, configure } = await makeWorld(service, peer, 'oidc', fields)
  await configure({ sso_connection_id: connectionId })
  const { id: value } = answered(await client.call('POST', '/Users', { userName: at(newLocal()) }), 201)
  const roleOf = async () => succeeded(await key.get(`/v1/users/${value}`)).user.role
  const roleIn = async (named: object) => {
    const { id } = answered(
      await client.call('POST', '/Groups', { displayName: fresh(), ...named, members: [{ value }] }),
      201,
    )
    const role = await roleOf()
    answered(await client.call('DELETE', `/Groups/${id}`), 204)
    expect(await roleOf()).toBe('member')
    return role
  }
  for (const name of others)
    for (const named of [{ displayName: name }, { externalId: name }])
      expect(await roleIn(named), JSON.stringify(named)).toBe('member')
  for (const name of ['Admins', ' Padded '])
    for (const named of [{ displayName: name }, { externalId: name }])
      expect(await roleIn(named), JSON.stringify(named)).toBe('admin')
})
