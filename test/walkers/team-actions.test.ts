import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Route } from '../../src/platform/http/route.ts'
import { isAnyCaller } from '../../src/platform/tenancy/authorize.ts'
import { routes } from '../../src/wiring/routes.ts'
import { type Caller, type Reply, startApp, type Tenant } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail } from '../people/people.ts'
import { mailedCode, mailedLink } from '../people/sign-in.ts'
import { joinedMember, PASSWORD, type TeamMember } from '../people/team.ts'
import { bearing } from './own-world.ts'
import { nameOf } from './samples.ts'

// Every route that touches another member of the team, for each caller and each role of the other, as docs/directory/team.md says.

const app = await startApp()
const ROLES = ['owner', 'admin', 'developer', 'member'] as const
type Role = (typeof ROLES)[number]
/** The roles that have permissions which the role lacks. */
const HIGHER: Record<Role, Role[]> = {
  owner: [],
  admin: ['owner'],
  developer: ['owner', 'admin', 'member'],
  member: ['owner', 'admin', 'developer'],
}

interface Power {
  acts: boolean
  gives: boolean
}

/** What docs/directory/team.md says, by the first cell of a row and by role. */
const TABLE = readTable()

function readTable(): Map<string, Record<Role, Power>> {
  const text = readFileSync(new URL('../../docs/directory/team.md', import.meta.url), 'utf8')
  const section = text.slice(text.indexOf('## Acting on other members'))
  const lines = section.slice(0, section.indexOf('\n## ', 3)).match(/^\|.*\|$/gm) ?? []
  const [heading = [], , ...rows] = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  expect(heading).toEqual(['Caller', ...ROLES])
  return new Map(
    rows.map(([caller = '', ...cells]) => {
      const powers = cells.map((cell) => {
        expect(['acts, gives', 'acts', '–']).toContain(cell)
        return { acts: cell.startsWith('acts'), gives: cell.endsWith('gives') }
      })
      const [owner, admin, developer, member] = powers
      if (!owner || !admin || !developer || !member) throw new Error(`A row of the table lacks a role: ${caller}`)
      return [caller, { owner, admin, developer, member }]
    }),
  )
}

const ROW = {
  everything: 'key with `*`',
  bounded: 'key with `*` and an expiry, an address list or a rate limit',
  minimal: 'key with only the scope of the route',
}

/** An account with an organization, each with an owner who stays. */
interface Place {
  tenant: Tenant
  subOrgId: string
  /** A custom role of the organization without permissions. */
  roleId: string
  owners: { account: TeamMember; roster: TeamMember }
}

async function makePlace(): Promise<Place> {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const roleId = succeeded(await tenant.post('/v1/rbac/roles', { subOrgId, name: 'Plain', permissions: [] })).role.id
  const owners = {
    account: await joinedMember(app, tenant, 'owner'),
    roster: await joinedMember(app, tenant, 'owner', { subOrgId }),
  }
  return { tenant, subOrgId, roleId, owners }
}

interface Acting {
  caller: Caller
  /** Which memberships it reaches. */
  reach: 'account' | 'roster'
  /** Of a member. */
  membershipId?: string
}

type MakeCaller = (place: Place, route: Route) => Promise<Acting>

const member =
  (role: Role, where: 'account' | 'roster'): MakeCaller =>
  async ({ tenant, subOrgId }) => {
    const made = await joinedMember(app, tenant, role, where === 'roster' ? { subOrgId } : {})
    return { caller: bearing(app, made.session.access_token), reach: where, membershipId: made.membershipId }
  }

const bounded =
  (bound: object): MakeCaller =>
  async ({ tenant }) => {
    const made = succeeded(await tenant.post('/v1/api-keys', { name: 'Bounded', scopes: ['*'], ...bound }))
    return { caller: app.as(made.key), reach: 'account' }
  }

const soon = new Date(Date.now() + 86_400_000).toISOString()
const scopesOf = ({ scope }: Route) => (scope === null || isAnyCaller(scope) ? ['auth.login'] : [scope])

const CALLERS: [name: string, row: string, make: MakeCaller][] = [
  ...ROLES.map((role): [string, string, MakeCaller] => [
    `${role} of the account`,
    `\`${role}\``,
    member(role, 'account'),
  ]),
  ...ROLES.map((role): [string, string, MakeCaller] => [
    `${role} of the roster`,
    `\`${role}\``,
    member(role, 'roster'),
  ]),
  ['a key with *', ROW.everything, async ({ tenant }) => ({ caller: await tenant.withKey({}), reach: 'account' })],
  ['a key with * that expires', ROW.bounded, bounded({ expiresAt: soon })],
  ['a key with * from some addresses', ROW.bounded, bounded({ allowedIps: ['127.0.0.1'] })],
  ['a key with * at a rate', ROW.bounded, bounded({ requestsPerSecond: 1000 })],
  [
    'a key with one scope',
    ROW.minimal,
    async ({ tenant }, route) => ({ caller: await tenant.withKey({ scopes: scopesOf(route) }), reach: 'account' }),
  ],
  [
    'a key of the organization with *',
    ROW.everything,
    async ({ tenant, subOrgId }) => ({ caller: await tenant.withKey({ subOrgId }), reach: 'roster' }),
  ],
  [
    'a key of the organization with one scope',
    ROW.minimal,
    async ({ tenant, subOrgId }, route) => ({
      caller: await tenant.withKey({ subOrgId, scopes: scopesOf(route) }),
      reach: 'roster',
    }),
  ],
]

/** A person with a role, joined or invited, in the account or on the roster alone. */
interface Target {
  where: 'account' | 'roster'
  role: Role
  membershipId: string
  email: string
  /** Of who has joined. */
  joined: TeamMember | null
}

type Kind = Pick<Target, 'where' | 'role'> & { status: 'joined' | 'invited' }

async function makeTarget({ tenant, subOrgId }: Place, { where, role, status }: Kind): Promise<Target> {
  const email = newEmail()
  const at = where === 'roster' ? { subOrgId } : {}
  if (status === 'joined') {
    const joined = await joinedMember(app, tenant, role, { ...at, email })
    return { where, role, email, membershipId: joined.membershipId, joined }
  }
  const { member } = succeeded(await tenant.post('/v1/members/invites', { email, role, ...at }))
  return { where, role, email, membershipId: member.membershipId, joined: null }
}

interface Call {
  send(acting: Acting, target: Target): Promise<Reply>
  /** Whether the table allows it, for a caller that reaches the target. */
  isAllowed(power: Record<Role, Power>): boolean
  /** What becomes of the target: their role afterwards, null where they are gone, and whether their sessions end. */
  result: { role: Role | null; sessionEnds: boolean }
}

const query = ({ subOrgId }: Place, { where }: Target) => (where === 'roster' ? `?subOrgId=${subOrgId}` : '')

async function rosterWithout(place: Place, ids: string[]) {
  const { members } = (await place.tenant.get(`/v1/organizations/${place.subOrgId}/members`)).body
  const rows: { membershipId: string; role: Role }[] = members
  return rows
    .filter(({ membershipId }) => !ids.includes(membershipId))
    .map(({ membershipId, role }) => ({ membershipId, role }))
}

/** The calls of a route on a target of this role. */
type Touching = (place: Place, role: Role) => Call[]

/** Every route that changes another member; what it is called with, and what the table must allow for it. */
const CHANGING: Record<string, { status: Kind['status']; where?: Kind['where'][]; calls: Touching }> = {
  'POST /v1/members/invites': {
    status: 'invited',
    calls: (place, given) =>
      ROLES.map((role) => ({
        send: ({ caller }, target) =>
          caller.post(`/v1/members/invites${query(place, target)}`, { email: target.email, role }),
        isAllowed: (power) => power[given].acts && power[role].gives,
        result: { role, sessionEnds: false },
      })),
  },
  'DELETE /v1/members/invites/{inviteId}': {
    status: 'invited',
    calls: (place, given) => [
      {
        send: ({ caller }, target) =>
          caller.delete(`/v1/members/invites/${target.membershipId}${query(place, target)}`),
        isAllowed: (power) => power[given].acts,
        result: { role: null, sessionEnds: false },
      },
    ],
  },
  'PATCH /v1/members/{membershipId}': {
    status: 'joined',
    calls: (place, given) =>
      ROLES.filter((role) => role !== given).map((role) => ({
        send: ({ caller }, target) =>
          caller.patch(`/v1/members/${target.membershipId}${query(place, target)}`, { newRole: role }),
        isAllowed: (power) =>
          power[given].acts && (HIGHER[given].includes(role) ? power[role].gives : power[role].acts),
        // A developer and a member have permissions that the other lacks.
        result: { role, sessionEnds: !['owner', 'admin'].includes(role) || given === 'owner' },
      })),
  },
  'DELETE /v1/members/{membershipId}': {
    status: 'joined',
    calls: (place, given) => [
      {
        send: ({ caller }, target) => caller.delete(`/v1/members/${target.membershipId}${query(place, target)}`),
        isAllowed: (power) => power[given].acts,
        result: { role: null, sessionEnds: true },
      },
    ],
  },
  'PUT /v1/organizations/{subOrgId}/members': {
    status: 'joined',
    where: ['roster'],
    calls: (place, given) => [
      {
        send: async ({ caller }, target) =>
          caller.put(`/v1/organizations/${place.subOrgId}/members`, {
            members: await rosterWithout(place, [target.membershipId]),
          }),
        isAllowed: (power) => power[given].acts,
        result: { role: null, sessionEnds: true },
      },
    ],
  },
  'PUT /v1/rbac/members/{membershipId}/roles': {
    status: 'joined',
    where: ['roster'],
    calls: ({ subOrgId, roleId }, given) => [
      {
        send: ({ caller }, target) =>
          caller.put(`/v1/rbac/members/${target.membershipId}/roles`, { subOrgId, roleIds: [roleId] }),
        isAllowed: (power) => power[given].acts,
        result: { role: given, sessionEnds: false },
      },
    ],
  },
}

const READING = [
  'GET /v1/members',
  'GET /v1/members/invites',
  'GET /v1/organizations/{subOrgId}/members',
  'GET /v1/rbac/members/{membershipId}/roles',
]

const RESPONSE = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' }

/** Every route that signs a member in or acts by what signs them in, called so that it would succeed. */
const SIGNING_IN: Record<string, (place: Place, target: TeamMember) => Promise<Record<string, unknown>>> = {
  'POST /v1/auth/login/otp/send': async (_, { email }) => ({ email }),
  'POST /v1/auth/login/otp/verify': async ({ tenant }, { email }) => {
    const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId: 'team', email }))
    return { email, otp_id, code: await mailedCode(app, email) }
  },
  'POST /v1/auth/login/password': async (_, { email }) => ({ email, password: PASSWORD }),
  'POST /v1/auth/password/reset/send': async (_, { email }) => ({ email }),
  'POST /v1/auth/password/reset/confirm': async ({ tenant }, { email }) => {
    succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId: 'team', email }))
    const { token_hash } = await mailedLink(app, email, 'password_reset')
    return { email, token_hash, password: 'another horse battery staple' }
  },
  'POST /v1/auth/invite/accept': async ({ tenant }) => {
    const email = newEmail()
    succeeded(await tenant.post('/v1/members/invites', { email, role: 'owner' }))
    return { token: (await mailedLink(app, email, 'invite')).token_hash, password: PASSWORD }
  },
  'POST /v1/auth/token/refresh': async (_, { session }) => ({ refresh_token: session.refresh_token }),
  'POST /v1/auth/token/introspect': async (_, { session }) => ({ token: session.access_token }),
  'POST /v1/auth/token/revoke': async (_, { session }) => ({ refresh_token: session.refresh_token }),
  'POST /v1/auth/login/passkey/options': async (_, { email }) => ({ email }),
  'POST /v1/auth/login/passkey/verify': async (_, { email }) => ({
    ...{ email, challengeId: crypto.randomUUID() },
    credential: { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: RESPONSE, clientExtensionResults: {} },
  }),
  'POST /v1/auth/mfa/challenge/send': async () => ({ challenge_token: 'x', method: 'sms' }),
  'POST /v1/mfa/challenge/verify': async () => ({ challenge_token: 'x', code: '123456' }),
  'POST /v1/mfa/totp': async () => ({ userId: crypto.randomUUID(), challenge_token: 'x' }),
  'PUT /v1/mfa/totp': async () => ({
    ...{ userId: crypto.randomUUID(), challenge_token: 'x' },
    ...{ pendingId: crypto.randomUUID(), code: '123456' },
  }),
}

/** The status of a caller that may sign members in, where the proof is made up. */
const MADE_UP: Record<string, number> = {
  'POST /v1/auth/login/passkey/verify': 401,
  'POST /v1/auth/mfa/challenge/send': 400,
  'POST /v1/mfa/challenge/verify': 400,
  'POST /v1/mfa/totp': 400,
  'PUT /v1/mfa/totp': 400,
}

/** The policy of the team, which mfa/team-policy.test.ts reads and changes as each caller. */
const POLICY = ['GET /v1/mfa/policy', 'PATCH /v1/mfa/policy']

const keyed = routes.filter(({ auth }) => auth === 'key')
const routeNamed = (name: string) => {
  const route = keyed.find((each) => nameOf(each) === name)
  if (!route) throw new Error(`There is no route ${name}`)
  return route
}

test('every route that names a member, or signs one in, has its row here', () => {
  const touching = keyed.filter(({ path, team }) => team || /\bmembers?\b/i.test(path)).map(nameOf)
  const known = [...Object.keys(CHANGING), ...READING, ...Object.keys(SIGNING_IN), ...POLICY]
  expect(touching.toSorted()).toEqual(known.toSorted())
})

test('no other route is about the team: the word is no organization', async () => {
  const { tenant } = await makePlace()
  const paramsOf = (path: string) => path.replaceAll(/\{\w+\}/g, crypto.randomUUID())
  for (const route of keyed.filter(({ team, directory }) => !team && directory !== 'account')) {
    const path = `${paramsOf(route.path)}?subOrgId=team`
    const reply = route.method === 'GET' ? await tenant.get(path) : await send(tenant, route, path)
    expect([200, 201, 204], `${nameOf(route)} ${reply.text}`).not.toContain(reply.status)
  }
})

function send(caller: Caller, { method }: Route, path: string, body: unknown = {}): Promise<Reply> {
  if (method === 'DELETE') return caller.delete(path)
  if (method === 'PATCH') return caller.patch(path, body)
  return method === 'PUT' ? caller.put(path, body) : caller.post(path, body)
}

/** Roles and states of everybody in the account. */
async function state({ tenant, subOrgId }: Place): Promise<Map<string, string>> {
  const lists = [
    await tenant.get('/v1/members?limit=200'),
    await tenant.get(`/v1/members?limit=200&subOrgId=${subOrgId}`),
  ]
  const rows: { membershipId: string; subOrgId: string | null; role: string; status: string }[] = lists.flatMap(
    ({ body }) => body.members,
  )
  return new Map(rows.map((row) => [`${row.subOrgId ?? 'account'} ${row.membershipId}`, `${row.role} ${row.status}`]))
}

const PROBES = [
  '/v1/users',
  '/v1/api-keys',
  '/v1/members',
  '/v1/sessions?userId=x',
  '/v1/audit/events',
  '/v1/rbac/roles',
]

/** What a token or key may do, as the service answers it. */
const powersOf = async (caller: Caller) => Promise.all(PROBES.map(async (path) => (await caller.get(path)).status))

/** Whether the session of a member is live. */
const isLive = async ({ joined }: Target) =>
  joined !== null && (await bearing(app, joined.session.access_token).get('/v1/members')).status !== 401

/** Every call of a route on a member of one role, in one place: the refused ones on one person, each allowed one on another. */
async function tryOn(
  place: Place,
  acting: Acting,
  kind: Kind,
  { all, isAllowed }: { all: Call[]; isAllowed(call: Call): boolean },
) {
  const [allowed, refused] = [all.filter(isAllowed), all.filter((call) => !isAllowed(call))]
  const what = ({ result }: Call, reply: Reply) =>
    `${kind.role} of the ${kind.where}, ${JSON.stringify(result)}: ${reply.text}`
  let target = await makeTarget(place, kind)
  let before = await state(place)
  for (const call of refused) {
    const reply = await call.send(acting, target)
    expect([403, 404, 409], what(call, reply)).toContain(reply.status)
  }
  if (refused.length > 0) {
    expect(await state(place), `${kind.role} of the ${kind.where}, refused`).toEqual(before)
    if (target.joined) expect(await isLive(target), `${kind.role} of the ${kind.where}, refused`).toBe(true)
  }
  for (const [n, call] of allowed.entries()) {
    if (n > 0) {
      target = await makeTarget(place, kind)
      before = await state(place)
    }
    const reply = await call.send(acting, target)
    expect(reply.status, what(call, reply)).toBe(200)
    const key = `${kind.where === 'roster' ? place.subOrgId : 'account'} ${target.membershipId}`
    if (call.result.role === null) before.delete(key)
    else before.set(key, `${call.result.role} ${target.joined ? 'active' : 'invited'}`)
    expect(await state(place), what(call, reply)).toEqual(before)
    if (target.joined) expect(await isLive(target), what(call, reply)).toBe(!call.result.sessionEnds)
  }
}

describe.each(CALLERS)('%s', (_, row, make) => {
  const power = TABLE.get(row)
  if (!power) throw new Error(`docs/directory/team.md has no row ${row}`)

  test.each(Object.entries(CHANGING))('%s', async (name, { status, where, calls }) => {
    const place = await makePlace()
    const acting = await make(place, routeNamed(name))
    const had = await powersOf(acting.caller)
    for (const role of ROLES)
      for (const at of where ?? (['account', 'roster'] as const)) {
        const reaches = acting.reach === 'account' || at === 'roster'
        // A person invited to the account is not on the roster yet, so inviting them there acts on no member.
        if (!reaches && status === 'invited' && name.startsWith('POST')) continue
        const isAllowed = (call: Call) => reaches && call.isAllowed(power)
        await tryOn(place, acting, { where: at, role, status }, { all: calls(place, role), isAllowed })
      }
    expect(await powersOf(acting.caller)).toEqual(had)
  })

  /** Who calls a route: for all of them one, unless it has the scope of the route alone. Also what each could do before. */
  async function actingIn(place: Place) {
    const had = new Map<Acting, number[]>()
    let shared: Acting | null = null
    const forRoute = async (name: string): Promise<Acting> => {
      const acting = shared ?? (await make(place, routeNamed(name)))
      if (row !== ROW.minimal) shared = acting
      if (!had.has(acting)) had.set(acting, await powersOf(acting.caller))
      return acting
    }
    const expectSame = async () => {
      for (const [{ caller }, powers] of had) expect(await powersOf(caller)).toEqual(powers)
    }
    return { forRoute, expectSame }
  }

  test('signing in', async () => {
    const place = await makePlace()
    const { forRoute, expectSame } = await actingIn(place)
    const other = await joinedMember(app, place.tenant, 'owner')
    const calls: { name: string; acting: Acting; isTaken: boolean; body: unknown }[] = []
    for (const [name, bodyFor] of Object.entries(SIGNING_IN)) {
      const acting = await forRoute(name)
      const isTaken = row === ROW.everything && acting.reach === 'account'
      const target = isTaken ? await joinedMember(app, place.tenant, 'owner') : other
      calls.push({ name, acting, isTaken, body: { subOrgId: 'team', ...(await bodyFor(place, target)) } })
    }
    const before = await state(place)
    for (const { name, acting, isTaken, body } of calls) {
      const reply = await send(acting.caller, routeNamed(name), routeNamed(name).path, body)
      expect(reply.status, `${name} ${reply.text}`).toBe(isTaken ? (MADE_UP[name] ?? 200) : 403)
    }
    if (calls.some(({ isTaken }) => isTaken)) return
    expect(await state(place)).toEqual(before)
    expect((await bearing(app, other.session.access_token).get('/v1/members')).status).toBe(200)
    await expectSame()
  })

  test('reading changes nothing, and shows no link', async () => {
    const place = await makePlace()
    const { forRoute } = await actingIn(place)
    const target = await makeTarget(place, { where: 'roster', role: 'owner', status: 'invited' })
    const { token_hash } = await mailedLink(app, target.email, 'invite')
    const acting = new Map<string, Acting>()
    for (const name of READING) acting.set(name, await forRoute(name))
    const before = await state(place)
    for (const [name, { caller }] of acting) {
      const path = routeNamed(name)
        .path.replace('{subOrgId}', place.subOrgId)
        .replace('{membershipId}', target.membershipId)
      const reply = await caller.get(`${path}?subOrgId=${place.subOrgId}`)
      expect([200, 403], `${name} ${reply.text}`).toContain(reply.status)
      expect(reply.text).not.toContain(token_hash)
    }
    expect(await state(place)).toEqual(before)
  })
})

test('a member of the account on a roster counts with both roles', async () => {
  const { tenant, subOrgId, owners } = await makePlace()
  const root = owners.account
  const path = `/v1/organizations/${subOrgId}/members`
  const roster = [{ membershipId: owners.roster.membershipId }]
  succeeded(await tenant.put(path, { members: [...roster, { membershipId: root.membershipId, role: 'member' }] }))
  const admin = await joinedMember(app, tenant, 'admin', { subOrgId })
  const accountAdmin = await joinedMember(app, tenant, 'admin')
  const other = await tenant.organization()
  const everybody = [...roster, { membershipId: admin.membershipId }]
  for (const { session } of [admin, accountAdmin]) {
    const caller = bearing(app, session.access_token)
    for (const reply of [
      await caller.patch(`/v1/members/${root.membershipId}?subOrgId=${subOrgId}`, { newRole: 'developer' }),
      await caller.delete(`/v1/members/${root.membershipId}?subOrgId=${subOrgId}`),
      await caller.put(path, { members: everybody }),
      await caller.put(`/v1/rbac/members/${root.membershipId}/roles`, { subOrgId, roleIds: [] }),
    ])
      expect([403, 404], reply.text).toContain(reply.status)
  }
  const caller = bearing(app, accountAdmin.session.access_token)
  const { membershipId } = await joinedMember(app, tenant, 'owner', { subOrgId: other })
  const brought = await caller.put(`/v1/organizations/${other}/members`, {
    members: [{ membershipId }, { membershipId: root.membershipId, role: 'member' }],
  })
  expect([brought.status, brought.body.code]).toEqual([403, 'privilege_escalation'])
  const joined = await caller.post('/v1/members/invites', { subOrgId: other, email: root.email, role: 'member' })
  expect([joined.status, joined.body.code]).toEqual([403, 'privilege_escalation'])
  expect((await tenant.get(path)).body.members.map(({ role }: { role: string }) => role).toSorted()).toEqual([
    'admin',
    'member',
    'owner',
  ])
  expect((await tenant.get(`/v1/organizations/${other}/members`)).body.members).toMatchObject([{ membershipId }])
})
