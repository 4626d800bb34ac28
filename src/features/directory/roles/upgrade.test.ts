import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { groupedOrganization, provisionedUser, signInWith } from '../../../../test/people/group-roles.ts'
import { connect, startFederatedApp } from '../../../../test/people/oidc-organization.ts'

const service = await startFederatedApp()
const { app } = service
const { db } = app.app.platform
const peer = await startOpPeer()

/**
 * A user with roles from groups, as a process of the previous release has written them: without a row in `sso_roles`.
 */
async function ungranted() {
  const organization = await groupedOrganization(service)
  const { home } = organization
  const { key } = home
  const group_role_mapping = { A: ['admin', 'payer'] }
  const connectionId = await connect(home, peer.url, { group_role_mapping })
  const { id, email } = await provisionedUser(organization)
  const sub = fresh()
  const enter = async (...groups: string[]) => {
    const came = await signInWith({ app, home, peer }, connectionId, { sub, email, groups })
    expect(came.directory_user_id).toBe(id)
  }
  const roles = async () => {
    const { role, assignments } = succeeded(await key.get(`/v1/rbac/users/${id}/roles`))
    return [role, ...assignments.map(({ roleId, source }: Record<string, string>) => [roleId, source])]
  }
  await enter('A')
  const all = ['admin', [organization.roles.payer, 'sso']]
  expect(await roles()).toEqual(all)
  await sql`delete from sso_roles where user_id = ${id}`.execute(db)
  return { ...organization, key, id, connectionId, enter, roles, all }
}

const none = ['member']

test('roles without a grant end at a sign-in without the group, and stay at one with it', async () => {
  const { enter, roles, all } = await ungranted()
  await enter('A')
  expect(await roles()).toEqual(all)
  await enter()
  expect(await roles()).toEqual(none)
})

test('roles without a grant end at the first sign-in without the group', async () => {
  const { enter, roles } = await ungranted()
  await enter()
  expect(await roles()).toEqual(none)
})

test('roles that the release before took from a user with a grant come again at a sign-in with the group', async () => {
  const { id, enter, roles, all } = await ungranted()
  await enter('A')
  await sql`delete from role_assignments where user_id = ${id}`.execute(db)
  await sql`update users set sso_role = null, role = 'member', role_ids = '{}' where id = ${id}`.execute(db)
  await enter('A')
  expect(await roles()).toEqual(all)
})

test('a role without a grant ends when its rule does, and other roles stay', async () => {
  const { key, connectionId, roles, all } = await ungranted()
  const patch = async (group_role_mapping: object) =>
    succeeded(await key.patch(`/v1/sso/connections/${connectionId}`, { group_role_mapping }))
  await patch({ A: ['payer'] })
  expect(await roles()).toEqual(['member', ...all.slice(1)])
  await patch({})
  expect(await roles()).toEqual(none)
})

test.each(['deleted', 'draft'])('roles without a grant end when the connection is %s', async (how) => {
  const { key, connectionId, roles } = await ungranted()
  const path = `/v1/sso/connections/${connectionId}`
  succeeded(how === 'deleted' ? await key.delete(path) : await key.patch(path, { status: 'draft' }))
  expect(await roles()).toEqual(none)
})

test('roles without a grant end when the link to the connection is removed', async () => {
  const { key, id, roles } = await ungranted()
  const { identities } = succeeded(await key.get(`/v1/users/${id}/identities`))
  succeeded(await key.delete(`/v1/users/${id}/identities/${identities[0].id}`))
  expect(await roles()).toEqual(none)
})

test('roles without a grant are replaced by hand without force', async () => {
  const { key, id, roles } = await ungranted()
  succeeded(await key.put(`/v1/rbac/users/${id}/roles`, { role: 'member', roleIds: [] }))
  expect(await roles()).toEqual(none)
})

test('deprovisioning takes what groups gave at sign-ins, and a return begins without it', async () => {
  const { scim, id, enter, roles, all } = await ungranted()
  await enter('A')
  const { userName, externalId } = (await scim.call('GET', `/Users/${id}`)).body
  expect((await scim.call('DELETE', `/Users/${id}`)).status).toBe(204)
  expect(await roles()).toEqual(none)
  const back = await scim.call('POST', '/Users', { userName, externalId })
  expect([back.status, back.body.id]).toEqual([201, id])
  expect(await roles()).toEqual(none)
  await enter('A')
  expect(await roles()).toEqual(all)
})
