import fc from 'fast-check'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import {
  type GroupedOrganization,
  groupedOrganization,
  provisionedUser,
  rolesSeen,
  signInWith,
} from '../../../../test/people/group-roles.ts'
import { connect, startFederatedApp } from '../../../../test/people/oidc-organization.ts'
import { answered } from '../../../../test/people/scim-answers.ts'
import { signIn } from '../../../../test/people/sign-in.ts'

const service = await startFederatedApp()
const { app } = service
const peer = await startOpPeer()
const RUNS = Number(process.env['ROLE_SEQUENCES'] ?? 12)

type Role = 'admin' | 'payer' | 'reader'
type Mapping = Record<string, Role[]>

const GROUPS = ['Admins', 'Pay', 'Read', 'Others']
const MAPPINGS: Mapping[] = [
  { Admins: ['admin'], Pay: ['payer'] },
  { Admins: ['admin', 'reader'], Read: ['reader'], Pay: ['payer'] },
  { Pay: ['reader'], Read: ['payer'] },
  { Others: ['admin'] },
  {},
]

const given = (mapping: Mapping, groups: string[]) => new Set(groups.flatMap((group) => mapping[group] ?? []))

/** The model of a connection and the roles that it has given. */
class Connection {
  id = ''
  isOpen = true
  isLinked = false
  mapping: Mapping = {}
  groups: string[] = []
  roles = new Set<Role>()
}

/** The model: one user, the connections A and B, provisioning, and the roles given by hand. */
class World {
  readonly subject = `sub-${fresh()}`
  readonly connections = { A: new Connection(), B: new Connection() }
  manual = new Set<Role>()
  scim = { isOn: true, isLinked: true, mapping: MAPPINGS[1] ?? {}, groups: new Set<string>(), roles: new Set<Role>() }
  scimGroups = new Map<string, string>()
  scimConnection = ''
  tokens: { access: string; refresh: string }[] = []
  readonly organization: GroupedOrganization
  readonly user: { id: string; email: string }

  constructor(organization: GroupedOrganization, user: { id: string; email: string }) {
    this.organization = organization
    this.user = user
  }

  get key() {
    return this.organization.home.key
  }

  get managed(): Set<Role> {
    const { A, B } = this.connections
    return new Set([...A.roles, ...B.roles, ...this.scim.roles])
  }

  settleScim() {
    const { isOn, isLinked, mapping, groups } = this.scim
    this.scim.roles = isOn && isLinked ? given(mapping, [...groups]) : new Set()
  }
}

async function newWorld(): Promise<World> {
  const organization = await groupedOrganization(service)
  const world = new World(organization, await provisionedUser(organization))
  for (const [n, name] of (['A', 'B'] as const).entries()) await open(world, name, MAPPINGS[n] ?? {})
  world.scimConnection = await connect(organization.home, peer.url, {
    status: 'draft',
    group_role_mapping: world.scim.mapping,
  })
  succeeded(await world.key.patch('/v1/scim/config', { sso_connection_id: world.scimConnection }))
  for (const displayName of GROUPS) {
    const { id } = answered(await organization.scim.call('POST', '/Groups', { displayName }), 201)
    world.scimGroups.set(displayName, id)
  }
  const session = await signIn(app, world.key, organization.home.id, world.user.email)
  world.tokens.push({ access: session.access_token, refresh: session.refresh_token })
  return world
}

async function open(world: World, name: 'A' | 'B', mapping: Mapping) {
  const connection = Object.assign(new Connection(), { mapping })
  connection.id = await connect(world.organization.home, peer.url, { group_role_mapping: mapping })
  world.connections[name] = connection
}

type Step = (world: World) => Promise<void>

const enter = (name: 'A' | 'B', groups: string[]): [string, Step] => [
  `${name} signs in with ${groups}`,
  async (world) => {
    const connection = world.connections[name]
    if (!connection.isOpen) return
    const { user, subject, organization } = world
    const claims = { sub: subject, email: user.email, groups }
    const came = await signInWith({ app, home: organization.home, peer }, connection.id, claims)
    expect(came).toMatchObject({ directory_user_id: user.id })
    connection.isLinked = true
    connection.roles = given(connection.mapping, groups)
    // Groups that the mapping does not name are not stored.
    connection.groups = groups.filter((group) => Object.hasOwn(connection.mapping, group))
    // The token of the sign-in already has the roles that it gave.
    const all = new Set([...world.manual, ...world.managed])
    expect(decodeJwt(came['access_token'] ?? '')).toMatchObject(claimsOf(all))
    world.tokens.push({ access: came['access_token'] ?? '', refresh: came['refresh_token'] ?? '' })
  },
]

const remap = (name: 'A' | 'B', next: Mapping): [string, Step] => [
  `${name} maps ${JSON.stringify(next)}`,
  async (world) => {
    const connection = world.connections[name]
    succeeded(await world.key.patch(`/v1/sso/connections/${connection.id}`, { group_role_mapping: next }))
    // Only roles stay that the changed mapping still gives for the groups of the last sign-in.
    connection.groups = connection.groups.filter((group) => Object.hasOwn(next, group))
    connection.roles = connection.roles.intersection(given(next, connection.groups))
    connection.mapping = next
  },
]

const unlink = (name: 'A' | 'B'): [string, Step] => [
  `${name} is unlinked`,
  async (world) => {
    const connection = world.connections[name]
    const { identities } = succeeded(await world.key.get(`/v1/users/${world.user.id}/identities`))
    const identity = identities.find((one: { source: string }) => one.source === connection.id)
    expect(identity !== undefined).toBe(connection.isLinked)
    if (!identity) return
    succeeded(await world.key.delete(`/v1/users/${world.user.id}/identities/${identity.id}`))
    connection.isLinked = false
    connection.roles = new Set()
  },
]

const toggle = (name: 'A' | 'B'): [string, Step] => [
  `${name} is switched`,
  async (world) => {
    const connection = world.connections[name]
    const status = connection.isOpen ? 'draft' : 'active'
    succeeded(await world.key.patch(`/v1/sso/connections/${connection.id}`, { status }))
    connection.isOpen = !connection.isOpen
    connection.roles = new Set()
  },
]

const remove = (name: 'A' | 'B'): [string, Step] => [
  `${name} is deleted`,
  async (world) => {
    const { id, mapping } = world.connections[name]
    succeeded(await world.key.delete(`/v1/sso/connections/${id}`))
    await open(world, name, mapping)
  },
]

const put = ({ roles, force }: { roles: Role[]; force: boolean }): [string, Step] => [
  `PUT ${roles}${force ? ' by force' : ''}`,
  async (world) => {
    const wanted = new Set(roles)
    const ids = world.organization.roles
    const body = {
      role: wanted.has('admin') ? 'admin' : 'member',
      roleIds: roles.flatMap((role) => (role === 'admin' ? [] : [ids[role]])),
      force,
    }
    const reply = await world.key.put(`/v1/rbac/users/${world.user.id}/roles`, body)
    const lost = world.managed.difference(wanted)
    if (lost.size > 0 && !force) {
      expect([reply.status, reply.body.code]).toEqual([409, 'role_managed'])
      const { A, B } = world.connections
      const sources = [...lost].flatMap((role) => [
        ...[A, B].flatMap(({ id, roles }) => (roles.has(role) ? [`${role} sso ${id}`] : [])),
        ...(world.scim.roles.has(role) ? [`${role} scim ${world.scimConnection}`] : []),
      ])
      const shown = reply.body.roles.map(
        ({ role, source, connectionId }: Record<string, unknown>) => `${role} ${source} ${connectionId}`,
      )
      expect(shown.toSorted()).toEqual(sources.toSorted())
      return
    }
    succeeded(reply)
    const kept = world.manual.intersection(wanted)
    world.manual = new Set([...kept, ...wanted.difference(world.managed)])
    for (const source of [world.connections.A, world.connections.B, world.scim])
      source.roles = source.roles.intersection(wanted)
    expect(reply.body).toMatchObject({ role: body.role, roleIds: body.roleIds.toSorted() })
  },
]

const join = (displayName: string): [string, Step] => [
  `the user joins or leaves ${displayName}`,
  async (world) => {
    const { scim, organization, user } = world
    if (!scim.isOn) return
    const isIn = scim.groups.has(displayName)
    const operation = isIn
      ? { op: 'remove', path: `members[value eq "${user.id}"]` }
      : { op: 'add', path: 'members', value: [{ value: user.id }] }
    const path = `/Groups/${world.scimGroups.get(displayName)}`
    expect((await organization.scim.call('PATCH', path, { Operations: [operation] })).status).toBe(204)
    if (isIn) scim.groups.delete(displayName)
    else scim.groups.add(displayName)
    if (scim.isLinked && Object.hasOwn(scim.mapping, displayName)) world.settleScim()
  },
]

const remapScim = (next: Mapping): [string, Step] => [
  `provisioning maps ${JSON.stringify(next)}`,
  async (world) => {
    const path = `/v1/sso/connections/${world.scimConnection}`
    succeeded(await world.key.patch(path, { group_role_mapping: next }))
    world.scim.mapping = next
    if (world.scim.isLinked) world.settleScim()
  },
]

const switchScim = (what: 'isOn' | 'isLinked'): [string, Step] => [
  `provisioning switches ${what}`,
  async (world) => {
    const next = !world.scim[what]
    const body = what === 'isOn' ? { enabled: next } : { sso_connection_id: next ? world.scimConnection : null }
    succeeded(await world.key.patch('/v1/scim/config', body))
    world.scim[what] = next
    world.settleScim()
  },
]

const names = fc.constantFrom('A' as const, 'B' as const)
const someGroups = fc.subarray(GROUPS)
const mapping = fc.constantFrom(...MAPPINGS)
const sets = fc.record({ roles: fc.subarray<Role>(['admin', 'payer', 'reader']), force: fc.boolean() })

const steps: fc.Arbitrary<[string, Step]> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(names, someGroups).map(([name, groups]) => enter(name, groups)) },
  { weight: 2, arbitrary: fc.tuple(names, mapping).map(([name, next]) => remap(name, next)) },
  names.map(unlink),
  names.map(toggle),
  names.map(remove),
  { weight: 3, arbitrary: sets.map(put) },
  { weight: 2, arbitrary: fc.constantFrom(...GROUPS).map(join) },
  mapping.map(remapScim),
  fc.constantFrom('isOn' as const, 'isLinked' as const).map(switchScim),
)

function claimsOf(all: Set<Role>) {
  const roles = (['payer', 'reader'] as const).filter((role) => all.has(role))
  return { role: all.has('admin') ? 'admin' : 'member', roles }
}

/** Checks that every route shows the roles of the model, and that a refreshed token has them. */
async function assertSame(world: World): Promise<void> {
  const { home, roles } = world.organization
  const all = new Set([...world.manual, ...world.managed])
  const { role, roles: slugs } = claimsOf(all)
  const roleIds = slugs.map((slug) => roles[slug]).toSorted()
  const { id } = world.user
  const live = world.tokens.slice(0, 1)
  const seen = await rolesSeen(home, { id, tokens: live.map(({ access }) => access) })
  expect(seen.user).toMatchObject({ role, roleIds })
  expect(seen.given).toMatchObject({ role, roleIds })
  const { A, B } = world.connections
  const expected = (['payer', 'reader'] as const).flatMap((slug) => [
    ...(world.manual.has(slug) ? [`${roles[slug]} manual`] : []),
    ...(A.roles.has(slug) || B.roles.has(slug) ? [`${roles[slug]} sso`] : []),
    ...(world.scim.roles.has(slug) ? [`${roles[slug]} scim`] : []),
  ])
  const assignments = seen.given.assignments.map(
    (one: { roleId: string; source: string }) => `${one.roleId} ${one.source}`,
  )
  expect(assignments.toSorted()).toEqual(expected.toSorted())
  expect(seen.checks).toEqual({ admin: all.has('admin'), payer: all.has('payer'), reader: all.has('reader') })
  for (const one of seen.introspected) expect(one).toMatchObject({ active: true, role, roles: slugs })
}

test('the roles of a user are what hands, connections and provisioning give now, by every route', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 6, maxLength: 14 }), async (sequence) => {
      const world = await newWorld()
      const done: string[] = []
      for (const [name, step] of sequence) {
        done.push(name)
        try {
          await step(world)
          await assertSame(world)
        } catch (error) {
          throw new Error(done.join('\n'), { cause: error })
        }
      }
      const all = claimsOf(new Set([...world.manual, ...world.managed]))
      const { home } = world.organization
      const other = await signIn(app, home.key, home.id, world.user.email)
      expect(decodeJwt(other.access_token)).toMatchObject(all)
      const [first] = world.tokens
      const refreshed = await home.key.post('/v1/auth/token/refresh', { refresh_token: first?.refresh })
      expect(decodeJwt(succeeded(refreshed).session.access_token)).toMatchObject(all)
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})
