import { expect, test } from 'vitest'
import { fresh } from '../fresh.ts'
import { startOpPeer } from '../peers/op-peer.ts'
import { succeeded } from '../people/factors.ts'
import { groupedOrganization, provisionedUser, signInWith } from '../people/group-roles.ts'
import { connect, startFederatedApp } from '../people/oidc-organization.ts'
import { newUser } from '../people/people.ts'
import { provisioned, scimCaller } from '../people/scim.ts'
import { answered, patchOf } from '../people/scim-answers.ts'
import { startSecondApp } from '../second-app.ts'

const service = await startFederatedApp()
const { app, tenant } = service
const second = await startSecondApp(app)
const other = second.as(tenant.key)
const peer = await startOpPeer()

test.each([
  'the connection is deleted',
  'the mapping is emptied',
  'the connection is switched off',
  'the link is removed',
])('of a sign-in and that %s at once, no role is left', async (what) => {
  const { home } = await groupedOrganization(service)
  const group_role_mapping = { Admins: ['admin', 'payer'], Pay: 'payer' }
  for (let round = 0; round < 4; round++) {
    const { email } = await newUser(tenant, { subOrgId: home.id, email: `${fresh()}@${home.domain}` })
    const connection = await connect(home, peer.url, { group_role_mapping })
    const sub = fresh()
    const enter = (groups: string[]) => signInWith({ app, home, peer }, connection, { sub, email, groups })
    const { directory_user_id: id } = await enter(['Pay'])
    const { identities } = succeeded(await home.key.get(`/v1/users/${id}/identities`))
    const path = `/v1/sso/connections/${connection}?subOrgId=${home.id}`
    const ends: Record<string, () => Promise<{ status: number; text: string }>> = {
      'the connection is deleted': () => other.delete(path),
      'the mapping is emptied': () => other.patch(path, { group_role_mapping: {} }),
      'the connection is switched off': () => other.patch(path, { status: 'draft' }),
      'the link is removed': () => other.delete(`/v1/users/${id}/identities/${identities[0].id}?subOrgId=${home.id}`),
    }
    // A sign-in that has not begun yet is refused.
    const entered = enter(['Admins']).catch((error: Error) => expect(error.message).toContain('connection_not_found'))
    const [, reply] = await Promise.all([entered, ends[what]?.()])
    expect([reply?.status, reply?.text]).toEqual([200, reply?.text])
    const roles = succeeded(await home.key.get(`/v1/rbac/users/${id}/roles`))
    const left = succeeded(await home.key.get(`/v1/users/${id}/identities`)).identities
    // A link that a sign-in after the removal made anew gives its roles again.
    if (what === 'the link is removed' && left.length > 0) expect(roles).toMatchObject({ role: 'admin' })
    else expect(roles).toMatchObject({ role: 'member', roleIds: [] })
  }
})

test('a removal by force and a sign-in at once end in the state of the later one, on every route', async () => {
  const { home, roles } = await groupedOrganization(service)
  const { email } = await newUser(tenant, { subOrgId: home.id, email: `${fresh()}@${home.domain}` })
  const connection = await connect(home, peer.url, { group_role_mapping: { Admins: ['admin', 'payer'] } })
  const sub = fresh()
  const enter = () => signInWith({ app, home, peer }, connection, { sub, email, groups: ['Admins'] })
  const { directory_user_id: id } = await enter()
  for (let round = 0; round < 5; round++) {
    const body = { subOrgId: home.id, role: 'member', roleIds: [], force: true }
    const [, reply] = await Promise.all([enter(), other.put(`/v1/rbac/users/${id}/roles`, body)])
    expect(succeeded(reply)).toMatchObject({ role: 'member', roleIds: [] })
    const { role, roleIds } = succeeded(await home.key.get(`/v1/rbac/users/${id}/roles`))
    expect([
      ['admin', [roles.payer]],
      ['member', []],
    ]).toContainEqual([role, roleIds])
    expect(succeeded(await home.key.get(`/v1/users/${id}`)).user).toMatchObject({ role, roleIds })
  }
})

test('users who leave groups while the groups change get the versions of their bodies', async () => {
  const client = await provisioned(app, tenant)
  const twin = scimCaller(second, client.token)
  const add = async () =>
    answered(await client.call('POST', '/Users', { userName: `${fresh()}@acme.example`, externalId: fresh() }), 201).id
  for (let round = 0; round < 3; round++) {
    const users: string[] = await Promise.all(Array.from({ length: 4 }, add))
    const members = users.map((value) => ({ value }))
    const made = await Promise.all(
      [fresh(), fresh()].map((displayName) => client.call('POST', '/Groups', { displayName, members })),
    )
    const groups: string[] = made.map((reply) => answered(reply, 201).id)
    const before = await Promise.all(groups.map((id) => client.call('GET', `/Groups/${id}`)))
    const mark = (await app.events({ accountId: tenant.accountId })).length
    const replies = await Promise.all([
      ...users.slice(0, 2).map((id, n) => (n ? twin : client.call)('DELETE', `/Users/${id}`)),
      ...groups.map((id, n) =>
        (n ? client.call : twin)(
          'PATCH',
          `/Groups/${id}`,
          patchOf({ op: 'replace', path: 'displayName', value: fresh() }),
        ),
      ),
      ...groups.map((id, n) =>
        (n ? twin : client.call)(
          'PATCH',
          `/Groups/${id}`,
          patchOf({ op: 'remove', path: `members[value eq "${users[2]}"]` }),
        ),
      ),
    ])
    expect(replies.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204, 204])
    const removed = (await app.events({ accountId: tenant.accountId }))
      .slice(mark)
      .filter(({ type }) => type === 'scim.group.member_removed')
    expect(removed).toHaveLength(6)
    for (const [n, id] of groups.entries()) {
      const after = await client.call('GET', `/Groups/${id}`)
      expect(answered(after).members.map(({ value }: { value: string }) => value)).toEqual([users[3]])
      expect(after.headers.get('etag')).not.toBe(before[n]?.headers.get('etag'))
      const other = await twin('GET', `/Groups/${id}`, undefined, { 'if-none-match': after.headers.get('etag') ?? '' })
      expect(other.status).toBe(304)
    }
  }
})

test('a provisioned user keeps what provisioning gives while a connection takes what it gave', async () => {
  const organization = await groupedOrganization(service)
  const { home, scim } = organization
  const { id, email } = await provisionedUser(organization)
  const connection = await connect(home, peer.url, { group_role_mapping: { Admins: 'admin' } })
  succeeded(await home.key.patch('/v1/scim/config', { sso_connection_id: connection }))
  const group = answered(await scim.call('POST', '/Groups', { displayName: 'Admins' }), 201).id
  await signInWith({ app, home, peer }, connection, { sub: fresh(), email, groups: ['Admins'] })
  const join = scim.call('PATCH', `/Groups/${group}`, patchOf({ op: 'add', path: 'members', value: [{ value: id }] }))
  const close = other.patch(`/v1/sso/connections/${connection}?subOrgId=${home.id}`, { status: 'draft' })
  expect((await join).status).toBe(204)
  succeeded(await close)
  expect(succeeded(await home.key.get(`/v1/rbac/users/${id}/roles`))).toMatchObject({ role: 'admin' })
  succeeded(await home.key.patch('/v1/scim/config', { enabled: false }))
  expect(succeeded(await home.key.get(`/v1/rbac/users/${id}/roles`))).toMatchObject({ role: 'member' })
})
