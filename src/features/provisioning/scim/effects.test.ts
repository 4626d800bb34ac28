import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { provisioned, type ScimClient } from '../../../../test/people/scim.ts'
import { addUser, answered, patchOf } from '../../../../test/people/scim-answers.ts'

const app = await startApp()
const tenant = await app.tenant()

const newName = () => `${fresh()}@acme.example`
const logsOf = async ({ subOrgId }: ScimClient) =>
  (await tenant.get(`/v1/scim/logs?order=desc&limit=100&subOrgId=${subOrgId}`)).body.logs
const lastOf = async (client: ScimClient) => (await logsOf(client))[0]
const add = (client: ScimClient, more: object = {}) => addUser(client, { userName: newName(), ...more })
const members = (...ids: string[]) => ids.map((value) => ({ value }))

test('an accepted write says what it has changed, and a read and a refusal say nothing', async () => {
  const client = await provisioned(app, tenant)
  const { call } = client
  const effect = async () => (await lastOf(client)).effect
  const users: { id: string; userName: string }[] = []
  for (let n = 0; n < 5; n++) users.push(await add(client))
  expect(await effect()).toBe('1 user provisioned')
  const [a, b, c, d, e] = users.map(({ id }) => id)
  if (!a || !b || !c || !d || !e) throw new Error('No users')
  const group = answered(await call('POST', '/Groups', { displayName: fresh(), members: members(a, b) }), 201)
  expect(await effect()).toBe('1 group created, 2 members added')
  const put = (...ids: string[]) =>
    call('PUT', `/Groups/${group.id}`, { displayName: group.displayName, members: members(...ids) })
  answered(await put(b, c, d, e))
  expect(await effect()).toBe('3 members added, 1 member removed')
  answered(await put(b, c, d, e))
  expect(await effect()).toBe('Nothing changed')
  const patchGroup = async (...operations: object[]) =>
    answered(await call('PATCH', `/Groups/${group.id}`, patchOf(...operations)), 204)
  await patchGroup({ op: 'remove', path: `members[value eq "${a}"]` })
  expect(await effect()).toBe('Nothing changed')
  await patchGroup(
    { op: 'replace', path: 'displayName', value: fresh() },
    { op: 'remove', path: 'members', value: members(b, c) },
  )
  expect(await effect()).toBe('1 group updated, 2 members removed')
  const patchUser = (value: object) => call('PATCH', `/Users/${d}`, patchOf({ op: 'replace', value }))
  await patchUser({ title: 'Engineer' })
  expect(await effect()).toBe('1 user updated')
  await patchUser({ title: 'Engineer' })
  expect(await effect()).toBe('Nothing changed')
  await patchUser({ active: false })
  expect(await effect()).toBe('1 user deprovisioned')
  await call('DELETE', `/Users/${d}`)
  expect(await effect()).toBe('1 user deprovisioned, 1 member removed')
  await call('DELETE', `/Groups/${group.id}`)
  expect(await effect()).toBe('1 group deleted')
  for (const [method, path, body] of [
    ['GET', '/Users', undefined],
    ['POST', '/Users/.search', {}],
    ['POST', '/.search', {}],
    ['GET', `/Users/${a}`, undefined],
    ['POST', '/Users', { userName: users[0]?.userName }],
    ['DELETE', `/Users/${d}`, undefined],
  ] as const) {
    await call(method, path, body)
    expect([path, await effect()]).toEqual([path, null])
  }
})

test('a bulk request counts its operations, without what failed, and so does a replay', async () => {
  const client = await provisioned(app, tenant)
  const { call, subOrgId } = client
  const taken = await add(client)
  const Operations = [
    { method: 'POST', path: '/Users', bulkId: 'u', data: { userName: newName() } },
    { method: 'POST', path: '/Users', bulkId: 'taken', data: { userName: taken.userName } },
    {
      method: 'POST',
      path: '/Groups',
      bulkId: 'g',
      data: { displayName: fresh(), members: members('bulkId:u', taken.id) },
    },
    { method: 'POST', path: '/Groups', bulkId: 'none', data: { displayName: fresh(), members: members('nobody') } },
  ]
  answered(await call('POST', '/Bulk', { Operations }))
  expect((await lastOf(client)).effect).toBe('1 user provisioned, 1 group created, 2 members added')
  await call('POST', '/Users', { userName: taken.userName })
  const refused = await lastOf(client)
  const replay = () => tenant.post(`/v1/scim/logs/${refused.id}/replay`, { subOrgId })
  expect((await replay()).body.log).toMatchObject({ outcome: 'refused', effect: null, warnings: [] })
  await call('DELETE', `/Users/${taken.id}`)
  expect((await replay()).body.log).toMatchObject({ outcome: 'accepted', effect: '1 user provisioned' })
})

test('an externalId that another resource has is accepted with a warning', async () => {
  const client = await provisioned(app, tenant)
  const { call } = client
  const warnings = async () => (await lastOf(client)).warnings
  const first = await add(client, { externalId: 'guest' })
  expect(await warnings()).toEqual([])
  const second = await add(client, { externalId: 'guest' })
  const warning = [expect.stringContaining('Another user has this externalId')]
  expect(await warnings()).toEqual(warning)
  const patch = (path: string, value: string) =>
    call('PATCH', `/Users/${second.id}`, patchOf({ op: 'add', path, value }))
  await patch('title', 'Guest')
  expect(await warnings()).toEqual([])
  await patch('externalId', 'other')
  expect(await warnings()).toEqual([])
  answered(await call('PUT', `/Users/${second.id}`, { userName: second.userName, externalId: 'guest' }))
  expect(await warnings()).toEqual(warning)
  expect((await call('GET', '/Users?filter=externalId eq "guest"')).body.totalResults).toBe(2)
  await call('DELETE', `/Users/${second.id}`)
  // A deleted user is not found, and returns only with their own externalId.
  const back = await add(client, { externalId: 'guest' })
  expect([back.id === second.id, await warnings()]).toEqual([false, warning])
  expect(back.id).not.toBe(first.id)
  const group = (more: object) => call('POST', '/Groups', { displayName: fresh(), externalId: 'g', ...more })
  const { id } = answered(await group({}), 201)
  expect(await warnings()).toEqual([])
  answered(await group({}), 201)
  const ofGroup = [expect.stringContaining('Another group has this externalId')]
  expect(await warnings()).toEqual(ofGroup)
  const change = (value: string) =>
    call('PATCH', `/Groups/${id}`, patchOf({ op: 'replace', path: 'externalId', value }))
  await change('h')
  expect(await warnings()).toEqual([])
  await change('g')
  expect(await warnings()).toEqual(ofGroup)
  expect((await call('GET', '/Groups?filter=externalId eq "g"')).body.totalResults).toBe(2)
  const stranger = await provisioned(app, tenant)
  await add(stranger, { externalId: 'guest' })
  expect((await lastOf(stranger)).warnings).toEqual([])
})

test('effects add up to the members that there are, whatever is asked', async () => {
  const client = await provisioned(app, tenant)
  const { call } = client
  const ids: string[] = []
  for (let n = 0; n < 4; n++) ids.push((await add(client)).id)
  const some = fc.subarray(ids)
  const asked = fc.array(fc.record({ op: fc.constantFrom('add', 'remove', 'replace'), some }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(asked, async (changes) => {
      const { id } = answered(await call('POST', '/Groups', { displayName: fresh() }), 201)
      let before = new Set<string>()
      for (const { op, some } of changes) {
        await call('PATCH', `/Groups/${id}`, patchOf({ op, path: 'members', value: members(...some) }))
        const shown = answered(await call('GET', `/Groups/${id}`)).members
        const after = new Set<string>(shown.map(({ value }: { value: string }) => value))
        const { effect } = (await logsOf(client))[1]
        const count = (word: string) => Number(new RegExp(`(\\d+) members? ${word}`).exec(effect)?.[1] ?? 0)
        const told = [count('added'), count('removed')]
        expect(told).toEqual([after.difference(before).size, before.difference(after).size])
        expect(effect === 'Nothing changed').toBe(told.every((n) => n === 0))
        before = after
      }
    }),
    { numRuns: 10 },
  )
})
