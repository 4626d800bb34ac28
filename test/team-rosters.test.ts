import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { succeeded } from './factors.ts'
import { type Caller, type Reply, startApp, type Tenant, until } from './harness.ts'
import { newEmail } from './people.ts'
import { recordStatements } from './sql-recorder.ts'
import { joinedMember } from './team.ts'

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
  const texts = await recordStatements(async () => void succeeded(await ask()))
  // What jobs send, and the last use of keys, belongs to no request.
  return texts.filter((text) => !/graphile_worker\.|update api_keys/.test(text))
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
    for (const [name, [, few, many]] of Object.entries(counts)) expect([name, many]).toEqual([name, few])
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
    for (const [name, [, few, many]] of Object.entries(counts)) expect([name, many]).toEqual([name, few])
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
