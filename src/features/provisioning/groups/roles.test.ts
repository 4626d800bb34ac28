import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'

const app = await startApp()
const tenant = await app.tenant()

const patch = (op: string, path: string, value?: unknown) => ({ Operations: [{ op, path, value }] })
const oidc = { name: 'Acme', protocol: 'oidc', oidc_issuer: 'https://login.acme.example', oidc_client_id: 'watchword' }

async function organization(mapping: object = { Admins: 'admin' }) {
  const client = await provisioned(app, tenant)
  const { subOrgId, call } = client
  const made = await tenant.post('/v1/sso/connections', { ...oidc, subOrgId, group_role_mapping: mapping })
  const connectionId: string = made.body.connection.id
  const link = (id: string | null) => tenant.patch('/v1/scim/config', { subOrgId, sso_connection_id: id })
  expect((await link(connectionId)).status).toBe(200)
  const map = async (next: object) => {
    const reply = await tenant.patch(`/v1/sso/connections/${connectionId}`, { subOrgId, group_role_mapping: next })
    expect(reply.status, reply.text).toBe(200)
  }
  const addUser = async (): Promise<string> =>
    (await call('POST', '/Users', { userName: `${fresh()}@acme.example`, externalId: fresh() })).body.id
  const addGroup = async (displayName: string, ...ids: string[]): Promise<string> =>
    (await call('POST', '/Groups', { displayName, members: ids.map((value) => ({ value })) })).body.id
  const roleOf = async (id: string): Promise<string> =>
    (await tenant.get(`/v1/users/${id}?subOrgId=${subOrgId}`)).body.user.role
  return { ...client, connectionId, link, map, addUser, addGroup, roleOf }
}

test('a role follows each change of members', async () => {
  const { call, addUser, addGroup, roleOf } = await organization()
  const [a, b] = [await addUser(), await addUser()]
  const group = await addGroup('Admins', a)
  expect([await roleOf(a), await roleOf(b)]).toEqual(['admin', 'member'])
  await call('PATCH', `/Groups/${group}`, patch('add', 'members', [{ value: b }]))
  await call('PATCH', `/Groups/${group}`, patch('remove', `members[value eq "${a}"]`))
  expect([await roleOf(a), await roleOf(b)]).toEqual(['member', 'admin'])
  await call('PUT', `/Groups/${group}`, { displayName: 'Admins', members: [{ value: a }] })
  expect([await roleOf(a), await roleOf(b)]).toEqual(['admin', 'member'])
  await call('DELETE', `/Groups/${group}`)
  expect(await roleOf(a)).toBe('member')
  const updates = (await app.events({ accountId: tenant.accountId, type: 'user.updated' })).filter(
    ({ target_id }) => target_id === a,
  )
  expect(updates.map(({ previous }) => previous)).toEqual([
    { role: 'member', updatedAt: expect.any(String) },
    { role: 'admin', updatedAt: expect.any(String) },
    { role: 'member', updatedAt: expect.any(String) },
    { role: 'admin', updatedAt: expect.any(String) },
  ])
})

test('a role follows the name, the mapping, the link and the connection', async () => {
  const { call, link, map, connectionId, subOrgId, addUser, addGroup, roleOf } = await organization()
  const user = await addUser()
  const group = await addGroup('Engineers', user)
  const seen = [await roleOf(user)]
  const see = async (done: Promise<unknown>) => {
    await done
    seen.push(await roleOf(user))
  }
  await see(call('PATCH', `/Groups/${group}`, patch('replace', 'displayName', 'Admins')))
  await see(call('PATCH', `/Groups/${group}`, patch('replace', 'displayName', 'Others')))
  await see(map({ Others: ['member', 'admin'] }))
  await see(map({}))
  await see(map({ [group]: 'admin' }))
  await see(link(null))
  await see(link(connectionId))
  await see(tenant.delete(`/v1/sso/connections/${connectionId}?subOrgId=${subOrgId}`))
  expect(seen).toEqual(['member', 'admin', 'member', 'admin', 'member', 'admin', 'member', 'admin', 'member'])
})

test('who leaves by a rename and a list in one request loses the role too', async () => {
  const { call, addUser, addGroup, roleOf } = await organization()
  const [a, b] = [await addUser(), await addUser()]
  const group = await addGroup('Admins', a)
  await call('PUT', `/Groups/${group}`, { displayName: 'Others', members: [{ value: b }] })
  expect([await roleOf(a), await roleOf(b)]).toEqual(['member', 'member'])
  await call('PUT', `/Groups/${group}`, { displayName: 'Admins', members: [{ value: a }] })
  expect([await roleOf(a), await roleOf(b)]).toEqual(['admin', 'member'])
})

test('what was given by hand stays, and nobody becomes more than an admin', async () => {
  const { call, addUser, addGroup, roleOf } = await organization({ Admins: 'admin', Everyone: 'member' })
  const user = await addUser()
  await app.app.platform.db
    .updateTable('users')
    .set({ own_role: 'admin', role: 'admin' })
    .where('id', '=', user)
    .execute()
  const group = await addGroup('Everyone', user)
  expect(await roleOf(user)).toBe('admin')
  await call('DELETE', `/Groups/${group}`)
  expect(await roleOf(user)).toBe('admin')
})

test('whoever is deprovisioned has no role by groups, nor when they come back', async () => {
  const { call, addUser, addGroup, roleOf } = await organization()
  const user = await addUser()
  await addGroup('Admins', user)
  const { body } = await call('GET', `/Users/${user}`)
  await call('DELETE', `/Users/${user}`)
  expect(await roleOf(user)).toBe('member')
  expect((await call('POST', '/Users', { userName: body.userName, externalId: body.externalId })).body.id).toBe(user)
  expect(await roleOf(user)).toBe('member')
})

test('members and mapping changed at once end in what they say in the end', async () => {
  const { call, map, addUser, addGroup, roleOf } = await organization({})
  const users = await Promise.all(Array.from({ length: 4 }, addUser))
  const group = await addGroup('Admins')
  await Promise.all([
    ...users.map((value) => call('PATCH', `/Groups/${group}`, patch('add', 'members', [{ value }]))),
    map({ Admins: 'admin' }),
  ])
  expect(await Promise.all(users.map(roleOf))).toEqual(users.map(() => 'admin'))
})

test('groups give roles of the organization, apart from what is given by hand', async () => {
  const { call, map, subOrgId, connectionId, addUser, addGroup, roleOf } = await organization({})
  const make = async (name: string): Promise<string> =>
    (await tenant.post('/v1/rbac/roles', { subOrgId, name, permissions: ['invoice:read'] })).body.role.id
  const [editor, reader] = [await make('Editor'), await make('Reader')]
  const user = await addUser()
  const group = await addGroup('Writers', user)
  const rolesOf = async () => {
    const { assignments } = (await tenant.get(`/v1/rbac/users/${user}/roles`)).body
    return assignments.map((each: { roleId: string; source: string }) => [each.roleId, each.source])
  }
  await tenant.put(`/v1/rbac/users/${user}/roles`, { subOrgId, roleIds: [editor] })
  await map({ Writers: ['editor', reader] })
  const given = [
    [editor, 'manual'],
    [editor, 'scim'],
    [reader, 'scim'],
  ]
  expect(await rolesOf()).toEqual(expect.arrayContaining(given))
  expect([await roleOf(user), (await rolesOf()).length]).toEqual(['member', 3])
  const put = (body: object) => tenant.put(`/v1/rbac/users/${user}/roles`, { subOrgId, ...body })
  const refused = await put({ roleIds: [] })
  expect([refused.status, refused.body.code]).toEqual([409, 'role_managed'])
  const bySource = (role: string) => ({ role, source: 'scim', connectionId })
  expect(refused.body.roles).toEqual(expect.arrayContaining([bySource('editor'), bySource('reader')]))
  expect(refused.body.detail).toMatch(/reader from provisioned groups \(SCIM\)/)
  expect(await rolesOf()).toHaveLength(3)
  expect((await put({ roleIds: [], force: true })).body).toMatchObject({ success: true, roleIds: [] })
  // The role stays until the client changes the members of a group again.
  await call('PATCH', `/Groups/${group}`, patch('add', 'members', [{ value: user }]))
  expect(await rolesOf()).toHaveLength(2)
  await call('PATCH', `/Groups/${group}`, patch('remove', `members[value eq "${user}"]`))
  expect(await rolesOf()).toEqual([])
  await call('PATCH', `/Groups/${group}`, patch('add', 'members', [{ value: user }]))
  await tenant.delete(`/v1/rbac/roles/${editor}?subOrgId=${subOrgId}`)
  expect(await rolesOf()).toEqual([[reader, 'scim']])
  await map({})
  expect(await rolesOf()).toEqual([])
})
