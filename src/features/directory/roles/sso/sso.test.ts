import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { fresh } from '../../../../../test/fresh.ts'
import { startOpPeer } from '../../../../../test/peers/op-peer.ts'
import { succeeded } from '../../../../../test/people/factors.ts'
import { groupedOrganization, signInWith } from '../../../../../test/people/group-roles.ts'
import { connect, startFederatedApp } from '../../../../../test/people/oidc-organization.ts'
import { newUser } from '../../../../../test/people/people.ts'
import { signIn } from '../../../../../test/people/sign-in.ts'

const service = await startFederatedApp()
const { app, tenant } = service
const peer = await startOpPeer()

const group_role_mapping = { Admins: 'admin', Pay: ['payer', 'member'], Read: 'reader' }

/** A user who has signed in through a connection with these groups. */
async function enter(groups = ['Admins', 'Pay'], more: object = {}) {
  const organization = await groupedOrganization(service)
  const { home, roles } = organization
  const { email } = await newUser(tenant, { subOrgId: home.id, email: `${fresh()}@${home.domain}` })
  const connection = await connect(home, peer.url, { group_role_mapping, ...more })
  const sub = `sub-${fresh()}`
  const comeBy = async (id: string, names: string[]) =>
    signInWith({ app, home, peer }, id, { sub, email, groups: names })
  const came = await comeBy(connection, groups)
  const id = came['directory_user_id'] ?? ''
  const read = async () => {
    const { role, roleIds } = succeeded(await home.key.get(`/v1/rbac/users/${id}/roles`))
    return [role, ...roleIds.map((one: string) => (one === roles.payer ? 'payer' : 'reader'))]
  }
  const introspect = async () =>
    (await home.key.post('/v1/auth/token/introspect', { token: came['access_token'] ?? '' })).body
  return { ...organization, connection, came, comeBy, id, email, sub, read, introspect }
}

type Entered = Awaited<ReturnType<typeof enter>>

const identityOf = async ({ home, id }: Entered): Promise<string> =>
  succeeded(await home.key.get(`/v1/users/${id}/identities`)).identities[0].id

const ends: [string, (entered: Entered) => Promise<unknown>][] = [
  [
    'the mapping is emptied',
    ({ home, connection }) => home.key.patch(`/v1/sso/connections/${connection}`, { group_role_mapping: {} }),
  ],
  [
    'the connection is switched off',
    ({ home, connection }) => home.key.patch(`/v1/sso/connections/${connection}`, { status: 'draft' }),
  ],
  ['the connection is deleted', ({ home, connection }) => home.key.delete(`/v1/sso/connections/${connection}`)],
  [
    'the link is removed',
    async (entered) => entered.home.key.delete(`/v1/users/${entered.id}/identities/${await identityOf(entered)}`),
  ],
  [
    'the user moves and returns',
    async ({ home, id }) => {
      const target = await tenant.organization()
      succeeded(await tenant.post(`/v1/users/${id}`, { subOrgId: home.id, targetSubOrgId: target }))
      return tenant.post(`/v1/users/${id}`, { subOrgId: target, targetSubOrgId: home.id })
    },
  ],
  [
    'somebody else proves the new address of the user',
    async ({ home, id }) => {
      const email = `${fresh()}@elsewhere.example`
      succeeded(await home.key.patch(`/v1/users/${id}`, { email }))
      return { status: 200, tokens: await signIn(app, home.key, home.id, email) }
    },
  ],
]

test.each(ends)('when %s, the roles that it gave go at once', async (_, end) => {
  const entered = await enter()
  expect(await entered.read()).toEqual(['admin', 'payer'])
  expect(await entered.introspect()).toMatchObject({ active: true, role: 'admin', roles: ['payer'] })
  expect(await end(entered)).toMatchObject({ status: 200 })
  expect(await entered.read()).toEqual(['member'])
  const { home, id } = entered
  const check = await home.key.post('/v1/rbac/check', { userId: id, permission: 'payer:do' })
  expect(check.body).toMatchObject({ allowed: false })
  const introspected = await entered.introspect()
  if (introspected.active) expect(introspected).toMatchObject({ role: 'member', roles: [] })
  const { user } = succeeded(await home.key.get(`/v1/users/${id}`))
  const { access_token } = await signIn(app, home.key, home.id, user.email)
  expect(decodeJwt(access_token)).toMatchObject({ role: 'member', roles: [] })
})

test('a change is recorded, and users who lose nothing are left alone', async () => {
  const entered = await enter()
  const { home, connection, id, roles, comeBy } = entered
  const other = `${fresh()}@${home.domain}`
  const bystander = await signInWith({ app, home, peer }, connection, { sub: fresh(), email: other, groups: ['Read'] })
  const versionOf = async (user: string) => (await home.key.get(`/v1/users/${user}`)).headers.get('etag')
  const before = await versionOf(bystander['directory_user_id'] ?? '')
  const mark = (await app.events({ accountId: tenant.accountId })).length
  const next = { Admins: 'member', Pay: 'payer', Read: 'reader' }
  succeeded(await home.key.patch(`/v1/sso/connections/${connection}`, { group_role_mapping: next }))
  const told = (await app.events({ accountId: tenant.accountId })).slice(mark)
  expect(told.map(({ type, target_id }) => [type, target_id])).toEqual([
    ['user.updated', id],
    ['sso.connection.updated', connection],
  ])
  expect(told[0]).toMatchObject({ data: { role: 'member', roleIds: [roles.payer] }, previous: { role: 'admin' } })
  expect(await versionOf(bystander['directory_user_id'] ?? '')).toBe(before)
  // Roles that a mapping newly gives are assigned at the next sign-in.
  succeeded(
    await home.key.patch(`/v1/sso/connections/${connection}`, { group_role_mapping: { Pay: ['payer', 'reader'] } }),
  )
  expect(await entered.read()).toEqual(['member', 'payer'])
  await comeBy(connection, ['Pay'])
  expect((await entered.read()).toSorted()).toEqual(['member', 'payer', 'reader'])
  const assigned = (await app.events({ accountId: tenant.accountId, type: 'role.assigned' })).at(-1)
  expect(assigned).toMatchObject({ data: { roleId: roles.reader, source: 'sso' } })
})

test('a rule that is removed ends, and does not come back without a sign-in', async () => {
  const entered = await enter(['Pay'])
  const { home, connection } = entered
  const map = async (next: object) =>
    succeeded(await home.key.patch(`/v1/sso/connections/${connection}`, { group_role_mapping: next }))
  await map({ Admins: 'admin' })
  await map(group_role_mapping)
  expect(await entered.read()).toEqual(['member'])
  await entered.comeBy(connection, ['Pay'])
  expect(await entered.read()).toEqual(['member', 'payer'])
})

test('the default role of a mapping goes with it', async () => {
  const entered = await enter(['Nothing'], { default_role: 'admin' })
  const { home, connection } = entered
  expect(await entered.read()).toEqual(['admin'])
  succeeded(await home.key.patch(`/v1/sso/connections/${connection}`, { default_role: 'member' }))
  expect(await entered.read()).toEqual(['member'])
})

test('a social sign-in and another connection neither take nor keep what a connection gave', async () => {
  const entered = await enter()
  const { home, connection, comeBy } = entered
  const other = await connect(home, peer.url, { group_role_mapping: { Read: 'reader' } })
  await comeBy(other, ['Read'])
  expect((await entered.read()).toSorted()).toEqual(['admin', 'payer', 'reader'])
  await comeBy(other, [])
  expect(await entered.read()).toEqual(['admin', 'payer'])
  succeeded(await home.key.delete(`/v1/sso/connections/${connection}`))
  expect(await entered.read()).toEqual(['member'])
})

test('a role that is deleted is not given again by the union of what is left', async () => {
  const entered = await enter(['Pay', 'Read'])
  const { home, roles, connection } = entered
  succeeded(await home.key.delete(`/v1/rbac/roles/${roles.payer}`))
  expect(await entered.read()).toEqual(['member', 'reader'])
  const other = await connect(home, peer.url, { group_role_mapping: { Admins: 'admin' } })
  await entered.comeBy(other, ['Admins'])
  expect(await entered.read()).toEqual(['admin', 'reader'])
  succeeded(await home.key.delete(`/v1/sso/connections/${connection}`))
  expect(await entered.read()).toEqual(['admin'])
})

test('a sign-in under way gives nothing of a mapping that has changed meanwhile', async () => {
  const entered = await enter(['Pay'])
  const { home, connection, comeBy } = entered
  const map = (next: object) => home.key.patch(`/v1/sso/connections/${connection}`, { group_role_mapping: next })
  for (let round = 0; round < 6; round++) {
    succeeded(await map(group_role_mapping))
    const [, reply] = await Promise.all([comeBy(connection, ['Admins', 'Read']), map({ Others: 'admin' })])
    succeeded(reply)
    expect(await entered.read()).toEqual(['member'])
  }
})

test('a removal by force holds until the next sign-in', async () => {
  const entered = await enter()
  const { home, id, comeBy, connection, roles } = entered
  const put = (body: object) => home.key.put(`/v1/rbac/users/${id}/roles`, body)
  const refused = await put({ role: 'member', roleIds: [] })
  expect(refused.status).toBe(409)
  expect(refused.body).toMatchObject({
    code: 'role_managed',
    roles: [
      { role: 'admin', source: 'sso', connectionId: connection },
      { role: 'payer', source: 'sso', connectionId: connection },
    ],
  })
  expect(await entered.read()).toEqual(['admin', 'payer'])
  expect((await put({ role: null })).body.code).toBe('role_managed')
  const events = async () => (await app.events({ accountId: tenant.accountId })).length
  const mark = await events()
  // Sending back the roles that were read changes nothing.
  expect(succeeded(await put({ role: 'admin', roleIds: [roles.payer] }))).toMatchObject({ role: 'admin' })
  expect(await events()).toBe(mark)
  const forced = succeeded(await put({ role: 'member', roleIds: [], force: true }))
  expect(forced).toMatchObject({ success: true, role: 'member', roleIds: [], assignments: [] })
  expect(await entered.introspect()).toMatchObject({ role: 'member', roles: [] })
  await comeBy(connection, ['Admins', 'Pay'])
  expect(await entered.read()).toEqual(['admin', 'payer'])
})

test('a key without the scopes cannot give roles by switching provisioning on', async () => {
  const { home } = await groupedOrganization(service)
  const connection = await connect(home, peer.url, { status: 'draft', group_role_mapping })
  succeeded(await home.key.patch('/v1/scim/config', { sso_connection_id: connection }))
  succeeded(await home.key.patch('/v1/scim/config', { enabled: false }))
  const narrow = await tenant.withKey({ subOrgId: home.id, scopes: ['scim_config.write', 'scim_config.read'] })
  const reply = await narrow.patch('/v1/scim/config', { enabled: true })
  expect([reply.status, reply.body.code]).toEqual([403, 'privilege_escalation'])
  expect((await home.key.get('/v1/scim/config')).body.config.enabled).toBe(false)
})
