import { expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { newUser } from '../people/people.ts'
import { startSecondApp } from '../second-app.ts'

const first = await startApp()
const second = await startSecondApp(first)
const tenant = await first.tenant()
const other = second.as(tenant.key)

const makeRole = async (subOrgId: string, name: string): Promise<string> =>
  (await tenant.post('/v1/rbac/roles', { subOrgId, name, permissions: [] })).body.role.id

test('a role that is deleted while others give it is nobody’s afterwards', async () => {
  const subOrgId = await tenant.organization()
  const people = await Promise.all(Array.from({ length: 6 }, () => newUser(tenant, { subOrgId })))
  const kept = await makeRole(subOrgId, 'Kept')
  for (let round = 0; round < 3; round++) {
    const role = await makeRole(subOrgId, `Role ${round}`)
    const replies = await Promise.all([
      ...people.map(({ id }, i) =>
        (i % 2 ? tenant : other).put(`/v1/rbac/users/${id}/roles`, { subOrgId, roleIds: [kept, role] }),
      ),
      other.delete(`/v1/rbac/roles/${role}?subOrgId=${subOrgId}`),
    ])
    expect(replies.at(-1)?.status).toBe(200)
    for (const { status, body } of replies.slice(0, -1))
      expect(status === 200 || body.code === 'invalid_request').toBe(true)
    const { assignments } = (await tenant.get(`/v1/rbac/roles?subOrgId=${subOrgId}`)).body
    expect(assignments.filter((each: { roleId: string }) => each.roleId === role)).toEqual([])
    const { users } = (await tenant.get(`/v1/users?subOrgId=${subOrgId}`)).body
    expect(users.filter(({ roleIds }: { roleIds: string[] }) => roleIds.includes(role))).toEqual([])
  }
})

test('of roles given at once by two processes one set is there in the end, as the user says', async () => {
  const { subOrgId, id } = await newUser(tenant)
  const sets = await Promise.all(
    ['A', 'B'].map(async (name) =>
      [await makeRole(subOrgId, `${name} 1`), await makeRole(subOrgId, `${name} 2`)].toSorted(),
    ),
  )
  const put = (caller: typeof other, roleIds: string[] = []) =>
    caller.put(`/v1/rbac/users/${id}/roles`, { subOrgId, roleIds })
  for (let round = 0; round < 5; round++) {
    const replies = await Promise.all([
      put(tenant, sets[0]),
      put(other, sets[1]),
      put(tenant, sets[1]),
      put(other, sets[0]),
    ])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { roleIds, assignments } = (await tenant.get(`/v1/rbac/users/${id}/roles`)).body
    expect(sets).toContainEqual(roleIds)
    expect(assignments).toHaveLength(2)
    expect((await tenant.get(`/v1/users/${id}`)).body.user.roleIds).toEqual(roleIds)
  }
})

test('of two roles of one name that are made at once there is one', async () => {
  const subOrgId = await tenant.organization()
  const body = { subOrgId, name: 'Editor', permissions: [] }
  const replies = await Promise.all([tenant, other, tenant, other].map((caller) => caller.post('/v1/rbac/roles', body)))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
})
