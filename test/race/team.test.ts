import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { plantMember } from '../members.ts'
import { startProcesses } from './processes.ts'

// Whoever changes a team sees what others have just changed, on whatever process.

const app = await startApp()
const [first, second] = await startProcesses(app, 2)
if (!first || !second) throw new Error('Two processes were to start')
const ROUNDS = 40

const outcomes = (replies: Reply[]) => replies.map(({ status, body }) => body.code ?? status).sort()

test('of two owners who remove each other one stays, forty times', async () => {
  const { accountId, key } = await app.tenant()
  const [one, two] = [first.as(key), second.as(key)]
  const owner = () => plantMember(app, { accountId, role: 'owner' })
  let left = await owner()
  for (let round = 0; round < ROUNDS; round++) {
    const other = await owner()
    const replies = await Promise.all([one.delete(`/v1/members/${other}`), two.delete(`/v1/members/${left}`)])
    expect(outcomes(replies), `round ${round}`).toEqual([200, 'last_owner'])
    const { members } = (await one.get('/v1/members')).body
    expect(members).toMatchObject([{ role: 'owner' }])
    left = members[0].membershipId
  }
})

test('rosters that are replaced while roles change and members leave are never without an owner', async () => {
  const tenant = await app.tenant()
  const { accountId, key } = tenant
  const subOrgId = await tenant.organization()
  const path = `/v1/organizations/${subOrgId}/members`
  const [one, two] = [first.as(key), second.as(key)]
  const account = await Promise.all([1, 2, 3].map(() => plantMember(app, { accountId, role: 'owner' })))
  const [a = '', b = '', c = ''] = account
  const roster = (ids: string[], role = 'owner') => ids.map((membershipId) => ({ membershipId, role }))
  for (let round = 0; round < 30; round++) {
    await one.put(path, { members: roster([a, b]) })
    const replies = await Promise.all([
      one.put(path, { members: roster([a]) }),
      two.put(path, { members: roster([b, c]) }),
      one.patch(`/v1/members/${a}?subOrgId=${subOrgId}`, { newRole: 'member' }),
      two.patch(`/v1/members/${b}?subOrgId=${subOrgId}`, { newRole: 'member' }),
      one.delete(`/v1/members/${b}?subOrgId=${subOrgId}`),
      two.delete(`/v1/members/${a}?subOrgId=${subOrgId}`),
    ])
    const allowed = [200, 'last_owner', 'member_not_found']
    expect(outcomes(replies).filter((outcome) => !allowed.includes(outcome))).toEqual([])
    const { members } = (await one.get(path)).body
    const owners = members.filter(({ role }: { role: string }) => role === 'owner')
    expect(owners.length, `round ${round}`).toBeGreaterThan(0)
    // Of two rosters one came last, and what came after it changed it: never a mixture of both.
    const ids = members.map(({ membershipId }: { membershipId: string }) => membershipId)
    expect(ids.includes(c) && ids.includes(a)).toBe(false)
  }
})
