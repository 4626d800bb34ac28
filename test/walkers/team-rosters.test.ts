import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Caller, type Reply, startApp, type Tenant, until } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail } from '../people/people.ts'
import { mailedLink } from '../people/sign-in.ts'
import { joinedMember, PASSWORD } from '../people/team.ts'
import { ofRequests, recordStatements } from '../rules/sql-recorder.ts'
import { snapshot } from '../snapshot.ts'

// What large rosters, and many changes at once, cost the others.

const app = await startApp()

const invite = async (by: Caller, role = 'member'): Promise<string> =>
  succeeded(await by.post('/v1/members/invites', { email: newEmail(), role })).member.membershipId

async function inviteMany(by: Caller, many: number): Promise<string[]> {
  const ids = []
  for (let n = 0; n < many; n++) ids.push(await invite(by))
  return ids
}

/** What the service sends to the database to answer a request. */
async function statementsOf(ask: () => Promise<Reply>): Promise<string[]> {
  return ofRequests(await recordStatements(async () => void succeeded(await ask())))
}

describe('the statements of PUT do not grow with the roster', () => {
  const SIZES = [3, 3, 100]

  /** Each change of a roster by its name, for rosters of each size. The first size warms the caches. */
  async function countChanges(make: (size: number) => Promise<Record<string, () => Promise<Reply>>>) {
    const counts: Record<string, number[]> = {}
    for (const size of SIZES)
      for (const [name, ask] of Object.entries(await make(size)))
        counts[name] = [...(counts[name] ?? []), (await statementsOf(ask)).length]
    return counts
  }

  /** On a slow machine a cache may read one value again: that is one statement, and not one for each of a hundred members. */
  function assertNoGrowth(counts: Record<string, number[]>) {
    for (const [name, [, few = 0, many = 0]] of Object.entries(counts))
      expect(Math.abs(many - few), `${name}: ${few} and ${many}`).toBeLessThanOrEqual(1)
  }

  test('of members of the account', { timeout: 120_000 }, async () => {
    const tenant = await app.tenant()
    const owner = { membershipId: (await joinedMember(app, tenant, 'owner')).membershipId }
    const counts = await countChanges(async (size) => {
      const path = `/v1/organizations/${await tenant.organization()}/members`
      const ids = await inviteMany(tenant, size)
      const put = (role: string, roleOfFirst = role) => {
        const others = ids.map((membershipId, i) => ({ membershipId, role: i === 0 ? roleOfFirst : role }))
        return () => tenant.put(path, { members: [owner, ...others] })
      }
      return {
        bring: put('admin'),
        same: put('admin'),
        lower: put('member'),
        mixed: put('developer', 'owner'),
        leave: () => tenant.put(path, { members: [owner] }),
      }
    })
    assertNoGrowth(counts)
    expect(Object.keys(counts)).toHaveLength(5)
  })

  test('of people of this organization alone', { timeout: 120_000 }, async () => {
    const tenant = await app.tenant()
    const counts = await countChanges(async (size) => {
      const subOrgId = await tenant.organization()
      const owner = { membershipId: (await joinedMember(app, tenant, 'owner', { subOrgId })).membershipId }
      const key = await tenant.withKey({ subOrgId })
      const ids = await inviteMany(key, size)
      const put = (role: string) => () =>
        key.put(`/v1/organizations/${subOrgId}/members`, {
          members: [owner, ...ids.map((membershipId) => ({ membershipId, role }))],
        })
      return { raise: put('admin'), lower: put('developer') }
    })
    assertNoGrowth(counts)
  })
})

describe('a member of the account who was invited before', () => {
  const verdict = (reply: Reply) => [reply.status, reply.body?.code]

  /** An owner of the account, and a member with an invitation of one organization, by its key. */
  async function invitedMember(invited: 'active' | 'invited' = 'active') {
    const tenant = await app.tenant()
    const subOrgId = await tenant.organization()
    const key = await tenant.withKey({ subOrgId })
    const owner = (await joinedMember(app, tenant, 'owner')).membershipId
    const email = newEmail()
    const account =
      invited === 'active'
        ? (await joinedMember(app, tenant, 'admin', { email })).membershipId
        : succeeded(await tenant.post('/v1/members/invites', { email, role: 'admin' })).member.membershipId
    const ofAccount = invited === 'active' ? null : (await mailedLink(app, email, 'invite')).token_hash
    const { member } = succeeded(await key.post('/v1/members/invites', { email, role: 'member' }))
    const { token_hash: token } = await mailedLink(app, email, 'invite')
    const accept = (token: string | null, more: object = {}) =>
      tenant.post('/v1/auth/invite/accept', { subOrgId: 'team', token, ...more })
    const path = `/v1/organizations/${subOrgId}/members`
    const put = (by: Caller, of: object = {}) =>
      by.put(path, { members: [{ membershipId: owner }, { membershipId: account, ...of }] })
    const events = async () =>
      (await app.events({ accountId: tenant.accountId }))
        .filter(({ type, organization_id }) => type.startsWith('member.') && organization_id === subOrgId)
        .map(({ type, target_id }) => [type, target_id])
    return {
      tenant,
      key,
      owner,
      account,
      before: member.membershipId,
      email,
      token,
      ofAccount,
      accept,
      path,
      put,
      events,
    }
  }

  test('joins the roster, and the invitation ends', async () => {
    const { tenant, key, owner, account, before, email, token, accept, path, put, events } = await invitedMember()
    const { members } = succeeded(await put(tenant, { role: 'owner' }))
    const inviter = { type: 'api_key', id: succeeded(await key.get('/v1/api-keys/current')).id }
    expect(members.find((each: { email: string }) => each.email === email)).toMatchObject({
      ...{ membershipId: account, status: 'active', role: 'owner', invitedBy: inviter },
      joinedAt: expect.any(String),
    })
    expect(await events()).toEqual([
      ['member.invited', before],
      ['member.added', account],
      ['member.added', owner],
    ])
    expect(verdict(await accept(token))).toEqual([400, 'token_invalid'])
    // The organization lists them by the membership of the account, and its routes take that id.
    const listed = succeeded(await key.get(path)).members
    expect(listed.map(({ membershipId }: { membershipId: string }) => membershipId).sort()).toEqual(
      [account, owner].sort(),
    )
    expect(verdict(await key.patch(`/v1/members/${before}`, { newRole: 'admin' }))).toEqual([404, 'member_not_found'])
    expect(verdict(await key.delete(`/v1/members/invites/${before}`))).toEqual([404, 'invite_not_found'])
    succeeded(await key.patch(`/v1/members/${account}`, { newRole: 'developer' }))
    expect(succeeded(await key.get('/v1/members/invites')).invites).toEqual([])
  })

  test('counts as an owner of the roster', async () => {
    const { tenant, account, path } = await invitedMember()
    const { members } = succeeded(await tenant.put(path, { members: [{ membershipId: account, role: 'owner' }] }))
    expect(members).toMatchObject([{ membershipId: account, status: 'active', role: 'owner' }])
  })

  test('joins only by a caller that may give the role, and act on the member', async () => {
    const { tenant, owner, path, put } = await invitedMember()
    const invited = succeeded(await tenant.get(path)).members[0].membershipId
    // The owner is on it already: the weak key could not bring them.
    succeeded(await tenant.put(path, { members: [{ membershipId: owner }, { membershipId: invited }] }))
    const weak = await tenant.withKey({ scopes: ['members.*', 'users.read', 'sub_orgs.*'] })
    const bounded = { name: 'Bounded', scopes: ['*'], requestsPerSecond: 50 }
    const limited = app.as(succeeded(await tenant.post('/v1/api-keys', bounded)).key)
    const before = await snapshot(app)
    for (const caller of [weak, limited]) expect(verdict(await put(caller))).toEqual([403, 'privilege_escalation'])
    expect(await snapshot(app)).toEqual(before)
  })

  test('and to the account too, joins with it', async () => {
    const { tenant, account, token, ofAccount, accept, path, put, events } = await invitedMember('invited')
    succeeded(await put(tenant))
    const statuses = async () =>
      succeeded(await tenant.get(path)).members.map((each: { membershipId: string; status: string }) => [
        ...[each.membershipId === account, each.status],
      ])
    expect((await statuses()).sort()).toEqual([
      [false, 'active'],
      [true, 'invited'],
    ])
    expect(verdict(await accept(token, { password: PASSWORD }))).toEqual([400, 'token_invalid'])
    succeeded(await accept(ofAccount, { password: PASSWORD }))
    expect((await statuses()).sort()).toEqual([
      [false, 'active'],
      [true, 'active'],
    ])
    expect((await events()).filter(([, id]) => id === account)).toEqual([['member.added', account]])
  })
})

describe('changes of a team take turns', () => {
  /** Holds what every change of the account's team waits for, and counts the transactions that wait for it. */
  async function holdTeam({ accountId }: Tenant) {
    const [client, watcher] = [0, 1].map(() => new pg.Client({ connectionString: app.databaseUrl }))
    if (!client || !watcher) throw new Error('no clients')
    for (const each of [client, watcher]) {
      await each.connect()
      onTestFinished(() => each.end())
    }
    await client.query('begin')
    await client.query('select from accounts where id = $1 for no key update', [accountId])
    const waiting = async () => {
      const { rows } = await watcher.query(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%"accounts"%'`,
      )
      return rows[0].count as number
    }
    const release = () => client.query('rollback')
    return { waiting, release }
  }

  async function roster(tenant: Tenant) {
    const subOrgId = await tenant.organization()
    const owner = await joinedMember(app, tenant, 'owner', { subOrgId })
    const key = await tenant.withKey({ subOrgId })
    const colleague = await joinedMember(app, tenant, 'member', { subOrgId })
    const invited = await invite(key)
    const members = [{ membershipId: owner.membershipId }, { membershipId: colleague.membershipId, role: 'developer' }]
    const changes: Record<string, () => Promise<Reply>> = {
      put: () => key.put(`/v1/organizations/${subOrgId}/members`, { members }),
      patch: () => key.patch(`/v1/members/${colleague.membershipId}`, { newRole: 'admin' }),
      remove: () => key.delete(`/v1/members/${colleague.membershipId}`),
      invite: () => key.post('/v1/members/invites', { email: newEmail(), role: 'member' }),
      withdraw: () => key.delete(`/v1/members/invites/${invited}`),
    }
    return changes
  }

  const several = (many: number, ask: (() => Promise<Reply>) | undefined) =>
    Array.from({ length: many }, () => (ask ? ask() : Promise.reject(new Error('no such change'))))

  test.each(['put', 'patch', 'remove', 'invite', 'withdraw'])('%s, and others are served meanwhile', async (name) => {
    const [tenant, other] = [await app.tenant(), await app.tenant()]
    const [a, b, c] = [await roster(tenant), await roster(tenant), await roster(tenant)]
    const subOrgId = await other.organization()
    const { waiting, release } = await holdTeam(tenant)
    const replies = several(14, a[name])
    await until(async () => (await waiting()) > 0)
    expect((await other.post('/v1/users', { subOrgId, email: newEmail() })).status).toBe(200)
    expect((await other.post('/v1/members/invites', { email: newEmail(), role: 'member' })).status).toBe(200)
    expect(await waiting()).toBe(1)
    // Another organization of the account has a place, and a third one none.
    replies.push(...several(14, b[name]))
    await until(async () => (await waiting()) > 1)
    replies.push(...several(1, c[name]))
    expect((await other.get(`/v1/users?subOrgId=${subOrgId}`)).status).toBe(200)
    expect(await waiting()).toBe(2)
    await release()
    const answers = await Promise.all(replies)
    expect(answers.filter(({ status }) => ![200, 404].includes(status)).map(({ text }) => text)).toEqual([])
    expect(answers.some(({ status }) => status === 200)).toBe(true)
  })
})
