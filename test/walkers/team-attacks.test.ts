import { describe, expect, test } from 'vitest'
import { scopes } from '../../src/contract/contract.ts'
import { hashLinkToken } from '../../src/features/sign-in/links/token.ts'
import { teamDirectory } from '../../src/platform/tenancy/directory.ts'
import { routes } from '../../src/wiring/routes.ts'
import { type Caller, type Reply, startApp, type Tenant } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail } from '../people/people.ts'
import { mailedCode, mailedLink, signIn } from '../people/sign-in.ts'
import { joinedMember, PASSWORD, type TeamMember } from '../people/team.ts'
import { startSecondApp } from '../second-app.ts'
import { snapshot } from '../snapshot.ts'
import { bearing } from './own-world.ts'
import { nameOf, sampleOf, sendSample } from './samples.ts'
import { makeWorld } from './world.ts'

// Ways by which a caller would get the power of another member of the team, or end it.

const app = await startApp()
const verdict = (reply: Reply) => [reply.status, reply.body?.code]
const as = ({ session }: Pick<TeamMember, 'session'>) => bearing(app, session.access_token)
const isLive = async (member: Pick<TeamMember, 'session'>) => (await as(member).get('/v1/members')).status === 200

const BOUNDS = [
  { expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
  { allowedIps: ['127.0.0.1'] },
  { requestsPerSecond: 50 },
]
const boundedKey = async (tenant: Tenant, bound: object) =>
  app.as(succeeded(await tenant.post('/v1/api-keys', { name: 'Bounded', scopes: ['*'], ...bound })).key)

describe('a reset link makes no owner', () => {
  const ask = (caller: Caller, email: string, more: object = { deliver: false }) =>
    caller.post('/v1/auth/password/reset/send', { subOrgId: 'team', email, ...more })

  test('no administrator and no key receives it, and the password stays', async () => {
    const tenant = await app.tenant()
    const [owner, admin] = [await joinedMember(app, tenant, 'owner'), await joinedMember(app, tenant, 'admin')]
    const listed = await tenant.withKey({ scopes: [...scopes] })
    const before = await snapshot(app)
    for (const [caller, code] of [
      [as(admin), 'privilege_escalation'],
      [as(owner), 'privilege_escalation'],
      [tenant, 'team_link_withheld'],
      [listed, 'insufficient_scope'],
    ] as const)
      for (const email of [owner.email, newEmail()]) expect(verdict(await ask(caller, email))).toEqual([403, code])
    for (const caller of [as(admin), listed]) {
      expect((await ask(caller, owner.email, {})).status).toBe(403)
      expect((await caller.post('/v1/auth/login/otp/send', { subOrgId: 'team', email: owner.email })).status).toBe(403)
    }
    expect(await snapshot(app)).toEqual(before)
    expect(await isLive(owner)).toBe(true)
    expect(await app.mails(owner.email)).toHaveLength(1)
  })

  test.each(BOUNDS)('a key with * and %j signs no member in and gives no role', async (bound) => {
    const tenant = await app.tenant()
    const owner = await joinedMember(app, tenant, 'owner')
    const key = await boundedKey(tenant, bound)
    const before = await snapshot(app)
    for (const reply of [
      await ask(key, owner.email),
      await ask(key, owner.email, {}),
      await key.post('/v1/auth/login/password', { subOrgId: 'team', email: owner.email, password: PASSWORD }),
      await key.post('/v1/auth/token/refresh', { subOrgId: 'team', refresh_token: owner.session.refresh_token }),
      await key.post('/v1/members/invites', { email: newEmail(), role: 'owner' }),
      await key.post('/v1/members/invites', { email: newEmail(), role: 'member' }),
      await key.post('/v1/api-keys', {
        ...{ name: 'Free', scopes: ['users.read'] },
        ...{ expiresAt: null, allowedIps: null, requestsPerSecond: null },
      }),
    ])
      expect(verdict(reply), reply.text).toEqual([403, 'privilege_escalation'])
    expect(await snapshot(app)).toEqual(before)
  })
})

describe('no response contains a link or code of the team', () => {
  test('on any route, for any caller', { timeout: 240_000 }, async () => {
    const tenant = await app.tenant()
    const world = await makeWorld(app, tenant)
    const owner = await joinedMember(app, tenant, 'owner')
    const admin = await joinedMember(app, tenant, 'admin')
    const limited = await joinedMember(app, tenant, 'owner', { subOrgId: world.ids.organization })
    const directory = await teamDirectory(app.app.platform, tenant.accountId)
    const { db } = app.app.platform
    const secretsIn = async (text: string) => {
      const hashes = (text.match(/[\w-]{40,}/g) ?? []).map((token) => hashLinkToken(app.app.platform, directory, token))
      if (hashes.length === 0) return []
      return db
        .selectFrom('links')
        .select('purpose')
        .where('directory_id', '=', directory.id)
        .where('token_hash', 'in', hashes)
        .execute()
    }
    // The test itself would see one.
    const { url } = await mailedLink(app, owner.email, 'invite')
    expect(await secretsIn(url)).toEqual([{ purpose: 'invite' }])
    succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId: 'team', email: owner.email }))
    const code = await mailedCode(app, owner.email)
    const callers: [string, Caller][] = [
      ['a key with *', tenant],
      ['an administrator', as(admin)],
      ['an owner of the roster', as(limited)],
    ]
    let refused = 0
    for (const route of routes.filter(({ auth, method }) => auth === 'key' && method !== 'DELETE'))
      for (const [who, caller] of callers) {
        const sample = sampleOf(route, world)
        const body = {
          ...sample.body,
          ...('email' in (sample.body ?? {}) ? { email: owner.email } : {}),
          ...(route.body && 'deliver' in route.body.properties ? { deliver: false } : {}),
        }
        const reply = await sendSample(caller, route, { ...sample, query: { ...sample.query, subOrgId: 'team' }, body })
        const what = `${nameOf(route)} by ${who}: ${reply.text}`
        expect(await secretsIn(reply.text), what).toEqual([])
        expect(reply.text, what).not.toContain(code)
        if (reply.body?.code === 'team_link_withheld') refused++
      }
    expect(refused).toBe(1)
  })
})

describe('an organization', () => {
  /** Begins with a letter, which has two spellings. */
  const named = () => `m${newEmail()}`

  /** An account, with an owner, and two organizations with an owner each. */
  async function makeAccount() {
    const tenant = await app.tenant()
    const [a, b] = [await tenant.organization(), await tenant.organization()]
    const owner = await joinedMember(app, tenant, 'owner', { email: named() })
    const ofA = await joinedMember(app, tenant, 'owner', { subOrgId: a })
    const ofB = await joinedMember(app, tenant, 'owner', { subOrgId: b, email: named() })
    const [keyA, keyB] = [await tenant.withKey({ subOrgId: a }), await tenant.withKey({ subOrgId: b })]
    return { tenant, a, b, owner, ofA, ofB, keyA, keyB }
  }

  const inviteBy = (caller: Caller, email: string, role = 'member') =>
    caller.post('/v1/members/invites', { email, role })

  /** The parts of an answer that must not tell people apart. */
  const shapeOf = (reply: Reply, email: string) => [
    reply.status,
    reply.text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replaceAll(email, 'address')
      .replaceAll(/"delivery_hint":"[a-z]/g, '"delivery_hint":"x')
      .replaceAll(/"delivery_hint":"[A-Z]/g, '"delivery_hint":"X'),
    Object.fromEntries(
      [...reply.headers].filter(([name]) => !['date', 'x-request-id', 'content-length', 'etag'].includes(name)),
    ),
  ]
  const withoutTime = (shape: unknown) => JSON.stringify(shape).replaceAll(/t=\d+|"x-ratelimit-reset":"\d+"/g, '')

  test('ends no session elsewhere, in 40 rounds of inviting and removing', { timeout: 120_000 }, async () => {
    for (const by of ['key', 'member']) {
      const { owner, ofB, keyA, ofA } = await makeAccount()
      const caller = by === 'key' ? keyA : as(ofA)
      for (const victim of [owner, ofB]) {
        const seen = new Set<number>()
        for (let round = 0; round < 40; round++) {
          const invited = await inviteBy(caller, victim.email)
          seen.add(invited.status)
          if (invited.status === 200) succeeded(await caller.delete(`/v1/members/${invited.body.member.membershipId}`))
          expect(await isLive(victim), `round ${round}`).toBe(true)
        }
        // Beyond the limit of an address it is refused.
        expect([...seen].toSorted()).toEqual([200, 429])
      }
    }
  })

  test('sees in no response whether a person is on the team', async () => {
    const { tenant, owner, ofB, keyA, ofA, a } = await makeAccount()
    for (const caller of [keyA, as(ofA)]) {
      const shapes = []
      for (const email of [owner.email, ofB.email, named()]) {
        // Spelled otherwise than the member spells it.
        const invited = await inviteBy(caller, email.toUpperCase(), 'developer')
        const { membershipId } = invited.body.member
        expect(invited.body.member).toMatchObject({
          status: 'invited',
          userId: null,
          directoryUserId: null,
          joinedAt: null,
        })
        const again = await inviteBy(caller, email, 'member')
        const [members, roster, invites] = [
          await caller.get(`/v1/members`),
          await caller.get(`/v1/organizations/${a}/members`),
          await caller.get('/v1/members/invites'),
        ]
        const listed = [members.body.members, roster.body.members].map((rows: { id: string }[]) =>
          rows.find(({ id }) => id === membershipId),
        )
        for (const row of listed) expect(row).toMatchObject({ userId: null, joinedAt: null, displayName: null })
        const patched = await caller.patch(`/v1/members/${membershipId}`, { newRole: 'admin' })
        const withdrawn = await caller.delete(`/v1/members/invites/${membershipId}`)
        shapes.push(
          JSON.stringify([
            ...[invited, again, patched, withdrawn].map((reply) => withoutTime(shapeOf(reply, email))),
            Object.keys(listed[0] ?? {}),
            invites.body.invites.length,
          ]).replaceAll(email.toUpperCase(), 'address'),
        )
      }
      expect(new Set(shapes).size, shapes.join('\n')).toBe(1)
      await app.advance(61)
    }
    const events = await app.events({ accountId: tenant.accountId, type: 'member.role_updated' })
    expect(events.length).toBeGreaterThan(0)
    for (const { data } of events)
      expect(data).toMatchObject({ status: 'invited', userId: null, directoryUserId: null })
  })

  test('is joined by acceptance alone, which changes nothing else of a member', async () => {
    const { tenant, a, b, ofB, keyA } = await makeAccount()
    const { member } = succeeded(await inviteBy(keyA, ofB.email, 'admin'))
    const roles = async () =>
      (await tenant.get('/v1/members')).body.members
        .filter(({ email }: { email: string }) => email === ofB.email)
        .map((row: { subOrgId: string; role: string; status: string }) => [row.subOrgId, row.role, row.status])
    expect(await roles()).toEqual([
      [b, 'owner', 'active'],
      [a, 'admin', 'invited'],
    ])
    expect(verdict(await as(ofB).get(`/v1/users?subOrgId=${a}`))).toEqual([403, 'sub_org_mismatch'])
    const { token_hash: token } = await mailedLink(app, ofB.email, 'invite')
    const accept = (more: object) => tenant.post('/v1/auth/invite/accept', { subOrgId: 'team', token, ...more })
    expect(verdict(await accept({ password: 'another horse battery staple' }))).toEqual([409, 'credential_exists'])
    expect(succeeded(await accept({}))).toEqual({ session: null, sign_in_required: true })
    expect(await roles()).toEqual([
      [b, 'owner', 'active'],
      [a, 'admin', 'active'],
    ])
    expect(await isLive(ofB)).toBe(true)
    expect((await as(ofB).get(`/v1/users?subOrgId=${a}`)).status).toBe(200)
    const password = (value: string) =>
      tenant.post('/v1/auth/login/password', { subOrgId: 'team', email: ofB.email, password: value })
    expect((await password(PASSWORD)).status).toBe(200)
    expect(verdict(await accept({}))).toEqual([400, 'token_invalid'])
    // Off the roster again, they keep what they have elsewhere.
    succeeded(await keyA.delete(`/v1/members/${member.membershipId}`))
    expect([await isLive(ofB), await roles()]).toEqual([true, [[b, 'owner', 'active']]])
  })

  test('is joined by a button on the page; another organization’s link joins that one alone', async () => {
    const { tenant, a, b, owner, keyA, keyB } = await makeAccount()
    succeeded(await inviteBy(keyA, owner.email))
    const first = await mailedLink(app, owner.email, 'invite')
    succeeded(await inviteBy(keyB, owner.email, 'developer'))
    const second = await mailedLink(app, owner.email, 'invite')
    expect(first.url).not.toBe(second.url)
    const page = await (await fetch(first.url.replace('http://localhost:4000', app.baseUrl))).text()
    expect([page.includes('<form'), page.includes('type="password"')]).toEqual([true, false])
    const submit = async ({ token_hash, email, type }: typeof first) =>
      (
        await fetch(`${app.baseUrl}/auth/link`, {
          method: 'POST',
          body: new URLSearchParams({ token_hash, email, type, password: 'another horse battery staple' }),
        })
      ).status
    const statuses = async () =>
      Object.fromEntries(
        (await tenant.get('/v1/members')).body.members
          .filter((row: { email: string; subOrgId: string | null }) => row.email === owner.email && row.subOrgId)
          .map((row: { subOrgId: string; status: string }) => [row.subOrgId, row.status]),
      )
    expect(await submit(first)).toBe(200)
    expect(await statuses()).toEqual({ [a]: 'active', [b]: 'invited' })
    expect(await submit(first)).toBe(400)
    expect(await submit(second)).toBe(200)
    expect(await statuses()).toEqual({ [a]: 'active', [b]: 'active' })
    expect(await isLive(owner)).toBe(true)
    const login = { subOrgId: 'team', email: owner.email, password: PASSWORD }
    expect((await tenant.post('/v1/auth/login/password', login)).status).toBe(200)
  })

  test('a withdrawn or replaced invitation cannot be accepted', async () => {
    const { tenant, ofB, keyA, a } = await makeAccount()
    const accept = async (token: string) =>
      verdict(await tenant.post('/v1/auth/invite/accept', { subOrgId: 'team', token }))
    const { member } = succeeded(await inviteBy(keyA, ofB.email))
    const old = (await mailedLink(app, ofB.email, 'invite')).token_hash
    succeeded(await inviteBy(keyA, ofB.email, 'developer'))
    const { token_hash } = await mailedLink(app, ofB.email, 'invite')
    expect(await accept(old)).toEqual([400, 'token_invalid'])
    succeeded(await keyA.delete(`/v1/members/invites/${member.membershipId}`))
    expect(await accept(token_hash)).toEqual([400, 'token_invalid'])
    expect(verdict(await as(ofB).get(`/v1/users?subOrgId=${a}`))).toEqual([403, 'sub_org_mismatch'])
    expect(await isLive(ofB)).toBe(true)
  })

  test('an org-wide key adds a member at once, and one person is invited a limited number of times', async () => {
    const { tenant, a, ofB } = await makeAccount()
    const { member, invite } = succeeded(
      await tenant.post('/v1/members/invites', { subOrgId: a, email: ofB.email, role: 'member' }),
    )
    expect([member.status, member.subOrgId, invite]).toEqual(['active', a, null])
    const statuses = new Set<number>()
    for (let n = 0; n < 12; n++) statuses.add((await inviteBy(tenant, 'grace@example.com')).status)
    expect([...statuses]).toEqual([200, 429])
  })

  test('invites a limited number of people an hour', { timeout: 120_000 }, async () => {
    const { keyA, ofA, keyB } = await makeAccount()
    for (let n = 0; n < 200; n++) expect((await inviteBy(keyA, newEmail())).status, String(n)).toBe(200)
    for (const caller of [keyA, as(ofA)])
      expect(verdict(await inviteBy(caller, newEmail()))).toEqual([429, 'rate_limited'])
    expect((await inviteBy(keyB, newEmail())).status).toBe(200)
    await app.advance(3601)
    expect((await inviteBy(keyA, newEmail())).status).toBe(200)
  })
})

describe('a roster', () => {
  /** A person on a roster, as it is put, changed or left. */
  async function makeRoster(where: 'alone' | 'elsewhere') {
    const tenant = await app.tenant()
    const subOrgId = await tenant.organization()
    const owner = await joinedMember(app, tenant, 'owner', { subOrgId })
    const one = await joinedMember(app, tenant, 'admin', { subOrgId })
    if (where === 'elsewhere') {
      const at = { subOrgId: await tenant.organization(), email: one.email, role: 'developer' }
      succeeded(await tenant.post('/v1/members/invites', at))
    }
    const put = (members: object[]) =>
      tenant.put(`/v1/organizations/${subOrgId}/members`, {
        members: [{ membershipId: owner.membershipId }, ...members],
      })
    return { tenant, subOrgId, one, put }
  }
  type Roster = Awaited<ReturnType<typeof makeRoster>>

  const CHANGES: [string, (roster: Roster) => Promise<Reply>][] = [
    ['taken off by PUT', ({ put }) => put([])],
    ['demoted by PUT', ({ put, one }) => put([{ membershipId: one.membershipId, role: 'member' }])],
    ['removed', ({ tenant, subOrgId, one }) => tenant.delete(`/v1/members/${one.membershipId}?subOrgId=${subOrgId}`)],
    ['removed by the list of all', ({ tenant, one }) => tenant.delete(`/v1/members/${one.membershipId}`)],
    ['demoted', ({ tenant, one }) => tenant.patch(`/v1/members/${one.membershipId}`, { newRole: 'member' })],
  ]

  test.each(CHANGES)('%s: the session of a member of this roster alone ends', async (_, change) => {
    const roster = await makeRoster('alone')
    expect(await isLive(roster.one)).toBe(true)
    succeeded(await change(roster))
    expect((await as(roster.one).get('/v1/members')).status).toBe(401)
  })

  test.each(CHANGES)(
    '%s: the session of a member with another membership continues, without the permissions of the roster',
    async (name, change) => {
      const roster = await makeRoster('elsewhere')
      const { one, subOrgId } = roster
      const write = () => as(one).post(`/v1/users?subOrgId=${subOrgId}`, { email: newEmail() })
      expect((await write()).status).toBe(200)
      succeeded(await change(roster))
      expect((await write()).status).toBe(403)
      const left = name.startsWith('demoted') ? '/v1/members' : '/v1/api-keys'
      const at = name.startsWith('demoted') ? `?subOrgId=${subOrgId}` : ''
      expect((await as(one).get(`${left}${at}`)).status).toBe(200)
      const { refresh_token } = one.session
      expect((await roster.tenant.post('/v1/auth/token/refresh', { subOrgId: 'team', refresh_token })).status).toBe(200)
    },
  )

  test('a change of a membership of the account ends all sessions of the member', async () => {
    for (const change of ['patch', 'delete'] as const) {
      const tenant = await app.tenant()
      await joinedMember(app, tenant, 'owner')
      const one = await joinedMember(app, tenant, 'admin')
      const at = { subOrgId: await tenant.organization(), email: one.email, role: 'owner' }
      succeeded(await tenant.post('/v1/members/invites', at))
      const path = `/v1/members/${one.membershipId}`
      succeeded(change === 'patch' ? await tenant.patch(path, { newRole: 'member' }) : await tenant.delete(path))
      expect((await as(one).get('/v1/members')).status).toBe(401)
    }
  })

  test('a person without any membership is removed from the directory of the team', async () => {
    const { tenant, one, put } = await makeRoster('alone')
    succeeded(await put([]))
    const login = { subOrgId: 'team', email: one.email, password: PASSWORD }
    expect(verdict(await tenant.post('/v1/auth/login/password', login))).toEqual([401, 'invalid_credentials'])
    const directory = await teamDirectory(app.app.platform, tenant.accountId)
    const users = await app.app.platform.db
      .selectFrom('users')
      .select('email')
      .where('directory_id', '=', directory.id)
      .where('deleted_at', 'is', null)
      .execute()
    expect(users.map(({ email }) => email)).not.toContain(one.email)
  })

  test('a pending invitation elsewhere keeps no session', async () => {
    const { tenant, one, put } = await makeRoster('alone')
    const keyB = await tenant.withKey({ subOrgId: await tenant.organization() })
    succeeded(await keyB.post('/v1/members/invites', { email: one.email, role: 'member' }))
    succeeded(await put([]))
    expect((await as(one).get('/v1/members')).status).toBe(401)
    const token = one.session.access_token
    const { active } = succeeded(await tenant.post('/v1/auth/token/introspect', { subOrgId: 'team', token }))
    expect(active).toBe(false)
  })

  test('an invitation to the account that is withdrawn ends no session', async () => {
    const { tenant, subOrgId } = await makeRoster('alone')
    const email = newEmail()
    const { member } = succeeded(await tenant.post('/v1/members/invites', { email, role: 'admin' }))
    const one = await joinedMember(app, tenant, 'developer', { subOrgId, email })
    succeeded(await tenant.delete(`/v1/members/invites/${member.membershipId}`))
    expect((await as(one).get('/v1/api-keys')).status).toBe(200)
  })

  test('is replaced by an org-wide key that names the organization, in the body or the query', async () => {
    const tenant = await app.tenant()
    const owner = await joinedMember(app, tenant, 'owner')
    const { membershipId } = owner
    const another = await joinedMember(app, tenant, 'member')
    for (const [at, more, caller] of [
      ['', {}, tenant],
      ['query', {}, tenant],
      ['', { named: true }, tenant],
      ['query', {}, as(owner)],
      ['', { named: true }, as(owner)],
    ] as const) {
      const subOrgId = await tenant.organization()
      const path = `/v1/organizations/${subOrgId}/members${at === 'query' ? `?subOrgId=${subOrgId}` : ''}`
      const body = { members: [{ membershipId }], ...('named' in more ? { subOrgId } : {}) }
      const reply = await caller.put(path, body)
      expect([reply.status, reply.body.members?.[0]?.membershipId], reply.text).toEqual([200, membershipId])
      // On the roster by now, they still act as a member of the account.
      const members = [...body.members, { membershipId: another.membershipId }]
      expect((await caller.put(path, { ...body, members })).status).toBe(200)
    }
  })

  test('a member invited to the account, and put on it, joins it with the account', async () => {
    const tenant = await app.tenant()
    const subOrgId = await tenant.organization()
    const owner = await joinedMember(app, tenant, 'owner')
    const email = newEmail()
    const { member } = succeeded(await tenant.post('/v1/members/invites', { email, role: 'developer' }))
    const path = `/v1/organizations/${subOrgId}/members`
    const members = [{ membershipId: owner.membershipId }, { membershipId: member.membershipId }]
    succeeded(await tenant.put(path, { members }))
    const { invites } = (await tenant.get(`/v1/members/invites?subOrgId=${subOrgId}`)).body
    expect(invites).toMatchObject([{ id: member.membershipId }])
    const { token_hash: token } = await mailedLink(app, email, 'invite')
    succeeded(await tenant.post('/v1/auth/invite/accept', { subOrgId: 'team', token, password: PASSWORD }))
    const listed = (await tenant.get(path)).body.members
    expect(listed.map(({ status }: { status: string }) => status)).toEqual(['active', 'active'])
    // By the id that the list of invitations shows.
    const other = succeeded(await tenant.post('/v1/members/invites', { email: newEmail(), role: 'member' })).member
    succeeded(await tenant.put(path, { members: [...members, { membershipId: other.membershipId }] }))
    succeeded(await tenant.delete(`/v1/members/invites/${other.membershipId}?subOrgId=${subOrgId}`))
    expect((await tenant.get(path)).body.members).toHaveLength(2)
  })
})

test('roles of a member of the account are read and set by the id that lists show', async () => {
  const tenant = await app.tenant()
  const [a, b] = [await tenant.organization(), await tenant.organization()]
  const { membershipId } = await joinedMember(app, tenant, 'owner')
  for (const subOrgId of [a, b])
    succeeded(await tenant.put(`/v1/organizations/${subOrgId}/members`, { members: [{ membershipId }] }))
  const roleIn = async (subOrgId: string): Promise<string> =>
    succeeded(await tenant.post('/v1/rbac/roles', { subOrgId, name: 'Editor', permissions: [] })).role.id
  const [ofA, ofB] = [await roleIn(a), await roleIn(b)]
  const path = `/v1/rbac/members/${membershipId}/roles`
  const set = succeeded(await tenant.put(path, { subOrgId: a, roleIds: [ofA] }))
  expect(set).toMatchObject({ roleIds: [ofA], assignments: [{ membershipId }] })
  const [keyA, keyB] = [await tenant.withKey({ subOrgId: a }), await tenant.withKey({ subOrgId: b })]
  expect(succeeded(await keyB.put(path, { roleIds: [ofB] })).roleIds).toEqual([ofB])
  const read = async (caller: Caller, at = '') => succeeded(await caller.get(`${path}${at}`)).roleIds.toSorted()
  expect(await read(tenant, `?subOrgId=${a}`)).toEqual([ofA])
  expect(await read(keyA)).toEqual([ofA])
  expect(await read(keyB)).toEqual([ofB])
  expect(await read(tenant)).toEqual([ofA, ofB].toSorted())
  const { assignments } = succeeded(await keyA.get('/v1/rbac/roles'))
  expect(assignments).toMatchObject([{ membershipId, roleId: ofA }])
  const events = await app.events({ accountId: tenant.accountId, type: 'role.assigned' })
  expect(events.map(({ data }) => data)).toMatchObject([{ membershipId }, { membershipId }])
  expect(succeeded(await keyA.put(path, { roleIds: [] })).roleIds).toEqual([])
  expect(await read(tenant)).toEqual([ofB])
  const outside = await tenant.withKey({ subOrgId: await tenant.organization() })
  for (const reply of [await outside.get(path), await outside.put(path, { roleIds: [] })])
    expect(verdict(reply)).toEqual([404, 'role_member_not_found'])
})

test('a role that a roster takes away counts at the next request, on every process', async () => {
  const second = await startSecondApp(app)
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  await joinedMember(app, tenant, 'owner', { subOrgId })
  const one = await joinedMember(app, tenant, 'developer')
  succeeded(await tenant.post('/v1/members/invites', { subOrgId, email: one.email, role: 'admin' }))
  const session = await signIn(app, tenant, 'team', one.email)
  const headers = { authorization: `Bearer ${session.access_token}` }
  const read = async () => (await second.as(null).get(`/v1/users?subOrgId=${subOrgId}`, headers)).status
  expect(await read()).toBe(200)
  const { members } = (await tenant.get(`/v1/organizations/${subOrgId}/members`)).body
  const { membershipId } = members.find(({ email }: { email: string }) => email === one.email)
  succeeded(await tenant.delete(`/v1/members/${membershipId}?subOrgId=${subOrgId}`))
  expect(await read()).toBe(403)
  expect((await second.as(null).get('/v1/api-keys', headers)).status).toBe(200)
})
