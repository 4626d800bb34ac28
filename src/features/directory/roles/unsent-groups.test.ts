import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { makeWorld, newLocal, signInAt, type World } from '../../../../test/peers/introductions.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { startFederatedApp } from '../../../../test/people/oidc-organization.ts'

const service = await startFederatedApp()
const op = await startOpPeer()

const NO_GROUPS = expect.stringContaining('sent no groups')
const fields = {
  jit_provisioning: true,
  group_role_mapping: { Contractors: 'member', Admins: 'admin' },
  default_role: 'admin',
}

const roleOf = async ({ key }: World, id = '') => succeeded(await key.get(`/v1/users/${id}`)).user.role
const noteOf = async ({ key, connectionId }: World) =>
  succeeded(await key.get(`/v1/sso/connections/${connectionId}/traces`)).traces[0].said.note
const checkOf = async ({ key, connectionId }: World) => {
  const { checks } = succeeded(await key.post(`/v1/sso/connections/${connectionId}/test`, {}))
  return checks.find(({ id }: { id: string }) => id === 'groups')
}

/** Values that OpenID Connect or userinfo may have instead of groups. */
const unsent: [string, object][] = [
  ['no claim', {}],
  ['null', { groups: null }],
  ['no list', { groups: true }],
  [
    'an overage of Entra ID',
    { _claim_names: { groups: 's' }, _claim_sources: { s: { endpoint: 'https://graph.example' } } },
  ],
]

test.each(unsent)('groups that the provider does not send give no default role above member: %s', async (_, said) => {
  const world = await makeWorld(service, op, 'oidc', fields)
  const here = { id: world.connectionId, peer: op }
  const person = { sub: fresh(), email: world.at(newLocal()) }
  const come = async (claims: object) => {
    await service.app.advance(10)
    op.behaviour.userinfo = { sub: person.sub, ...claims }
    const came = await signInAt(world, here, { ...person, ...claims })
    op.calm()
    expect(came).not.toHaveProperty('error')
    return roleOf(world, came['directory_user_id'])
  }
  // First a new user, then a user with roles: the roles end, and come back with the groups.
  expect(await come(said)).toBe('member')
  expect(await noteOf(world)).toEqual(NO_GROUPS)
  expect(await checkOf(world)).toEqual({ id: 'groups', ok: true, message: NO_GROUPS, fix: expect.any(String) })
  for (const [claims, role] of [
    [{ groups: ['Admins'] }, 'admin'],
    [said, 'member'],
    [{ groups: [] }, 'admin'],
    [said, 'member'],
    [{ groups: ['Contractors'] }, 'member'],
    [{ groups: ['Others'] }, 'admin'],
  ] as const) {
    expect(await come(claims), JSON.stringify(claims)).toBe(role)
    expect(await noteOf(world)).toEqual(claims === said ? NO_GROUPS : undefined)
  }
  expect(await checkOf(world)).toBeUndefined()
})

test('the same of SAML without an attribute of groups', async () => {
  const world = await makeWorld(service, op, 'saml', fields)
  const person = { subject: fresh(), email: world.at(newLocal()) }
  const come = async (more: Record<string, string>) => {
    await service.app.advance(10)
    return roleOf(world, (await world.signIn({ ...person, more }))['directory_user_id'])
  }
  expect(await come({})).toBe('member')
  expect([await noteOf(world), await checkOf(world)]).toEqual([NO_GROUPS, expect.objectContaining({ ok: true })])
  expect(await come({ groups: 'Others' })).toBe('admin')
  expect([await noteOf(world), await checkOf(world)]).toEqual([undefined, undefined])
  expect(await come({})).toBe('member')
})

test('without a mapping, everyone gets the default role, and no trace asks for groups', async () => {
  for (const protocol of ['oidc', 'saml'] as const) {
    const world = await makeWorld(service, op, protocol, { jit_provisioning: true, default_role: 'admin' })
    const came = await world.signIn({ subject: fresh(), email: world.at(newLocal()) })
    expect(await roleOf(world, came['directory_user_id'])).toBe('admin')
    expect([await noteOf(world), await checkOf(world)]).toEqual([undefined, undefined])
  }
})
