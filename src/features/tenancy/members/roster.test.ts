import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { plantMember } from '../../../../test/people/members.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { newId } from '../../../platform/ids.ts'

const app = await startApp()

type Listed = { membershipId: string; role: string }

async function newRoster() {
  const tenant = await app.tenant()
  const { accountId } = tenant
  const organizationId = await tenant.organization()
  const path = `/v1/organizations/${organizationId}/members`
  const owner = await plantMember(app, { accountId, role: 'owner' })
  const admin = await plantMember(app, { accountId, role: 'admin' })
  const own = await plantMember(app, { accountId, role: 'member', organizationId })
  const put = (members: object[], as: Pick<typeof tenant, 'put'> = tenant) => as.put(path, { members })
  const roles = async () => {
    const { members } = (await tenant.get(path)).body
    return Object.fromEntries(members.map(({ membershipId, role }: Listed) => [membershipId, role]))
  }
  return { tenant, accountId, organizationId, owner, admin, own, put, roles, path }
}

test('a roster is what was put, in the same words again, and records what changed', async () => {
  const { accountId, organizationId, owner, admin, own, put, roles } = await newRoster()
  const reply = await put([{ membershipId: owner }, { membershipId: admin, role: 'developer' }])
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.members).toMatchObject([
    { membershipId: owner, id: owner, role: 'owner', subOrgId: organizationId, status: 'active' },
    { membershipId: admin, role: 'developer', subOrgId: organizationId },
  ])
  expect(await roles()).toEqual({ [owner]: 'owner', [admin]: 'developer' })
  const types = async () =>
    (await app.events({ accountId }))
      .filter(({ type }) => type.startsWith('member.'))
      .map((event) => [event.type, event.target_id, event.organization_id])
  const first = [
    ['member.removed', own, organizationId],
    ['member.added', owner, organizationId],
    ['member.added', admin, organizationId],
  ]
  expect(await types()).toEqual(first)
  expect((await put([{ membershipId: admin }, { membershipId: owner }])).status).toBe(200)
  expect(await types()).toEqual(first)
  await put([{ membershipId: owner }, { membershipId: admin, role: 'owner' }])
  expect(await types()).toEqual([...first, ['member.role_updated', admin, organizationId]])
  await put([{ membershipId: admin }])
  expect(await roles()).toEqual({ [admin]: 'owner' })
})

test('is refused whole: without an owner, for a membership that is unknown or named twice', async () => {
  const { tenant, accountId, owner, admin, own, put, roles } = await newRoster()
  await put([{ membershipId: owner }, { membershipId: own }])
  const stranger = await plantMember(app, { accountId: (await app.tenant()).accountId, role: 'owner' })
  const elsewhere = await plantMember(app, { accountId, role: 'owner', organizationId: await tenant.organization() })
  const invited = await plantMember(app, { accountId, role: 'owner', status: 'invited' })
  const before = await snapshot(app)
  const cases: [object[], number, string][] = [
    [[], 409, 'last_owner'],
    [[{ membershipId: owner, role: 'admin' }], 409, 'last_owner'],
    [[{ membershipId: admin }, { membershipId: own }], 409, 'last_owner'],
    [[{ membershipId: invited }], 409, 'last_owner'],
    [[{ membershipId: owner }, { membershipId: newId() }], 400, 'unknown'],
    [[{ membershipId: owner }, { membershipId: stranger, role: 'owner' }], 400, 'unknown'],
    [[{ membershipId: owner }, { membershipId: elsewhere, role: 'owner' }], 400, 'unknown'],
    [[{ membershipId: owner }, { membershipId: 'nobody' }], 400, 'unknown'],
    [[{ membershipId: owner }, { membershipId: admin }, { membershipId: owner.toUpperCase() }], 400, 'duplicate'],
    [[{ membershipId: owner, role: 'root' }], 400, 'enum'],
    [[{ membershipId: owner, name: 'x' }], 400, 'unknown_property'],
    [[{ role: 'owner' }], 400, 'required'],
  ]
  for (const [members, status, code] of cases) {
    const { body } = await put(members)
    const said = [members, body.status, status === 409 ? body.code : typeof body.errors?.[0]?.code]
    expect(said).toEqual([members, status, status === 409 ? code : 'string'])
    if (['unknown', 'duplicate'].includes(code))
      expect(body.errors).toEqual([
        { field: `members.${members.length - 1}.membershipId`, code, message: expect.any(String) },
      ])
  }
  expect(await snapshot(app)).toEqual(before)
  expect(await roles()).toEqual({ [owner]: 'owner', [own]: 'member' })
})

test('a person is on a roster once, under the membership of the account', async () => {
  const { tenant, accountId, organizationId, owner, put, roles } = await newRoster()
  const email = newEmail()
  const alone = await plantMember(app, { accountId, role: 'developer', organizationId, email })
  const both = await plantMember(app, { accountId, role: 'member', email })
  expect((await put([{ membershipId: owner }, { membershipId: alone }, { membershipId: both }])).body).toMatchObject({
    errors: [{ field: 'members.2.membershipId', code: 'duplicate' }],
  })
  expect((await put([{ membershipId: owner }, { membershipId: both }])).status).toBe(200)
  expect(await roles()).toEqual({ [owner]: 'owner', [both]: 'developer' })
  expect((await tenant.get(`/v1/organizations/${organizationId}`)).body.subOrganization.memberCount).toBe(2)
})

test('a key of one organization replaces its own roster, of whom is on it', async () => {
  const { tenant, accountId, organizationId, owner, admin, own, put, roles, path } = await newRoster()
  await put([{ membershipId: owner }, { membershipId: own }])
  const scoped = await tenant.withKey({ subOrgId: organizationId })
  expect((await put([{ membershipId: owner }, { membershipId: own, role: 'admin' }], scoped)).status).toBe(200)
  expect(await roles()).toEqual({ [owner]: 'owner', [own]: 'admin' })
  // A key of the organization does not see members of the account who are not on the roster.
  expect((await put([{ membershipId: owner }, { membershipId: admin }], scoped)).body.errors).toMatchObject([
    { field: 'members.1.membershipId', code: 'unknown' },
  ])
  const other = await tenant.withKey({ subOrgId: await tenant.organization() })
  for (const reply of [await put([{ membershipId: owner }], other), await other.get(path)])
    expect([reply.status, reply.body.code]).toEqual([404, 'organization_not_found'])
  const weak = await tenant.withKey({ subOrgId: organizationId, scopes: ['sub_orgs.*'] })
  for (const members of [
    [{ membershipId: own, role: 'owner' }],
    [{ membershipId: owner }, { membershipId: own, role: 'owner' }],
  ])
    expect((await put(members, weak)).body.code).toBe('privilege_escalation')
  expect(await roles()).toEqual({ [owner]: 'owner', [own]: 'admin' })
  // There are two owners, and the request would remove one of them.
  await put([{ membershipId: owner }, { membershipId: own, role: 'owner' }])
  expect((await put([{ membershipId: own }], weak)).body.code).toBe('privilege_escalation')
  expect(await roles()).toEqual({ [owner]: 'owner', [own]: 'owner' })
  expect((await app.events({ accountId, type: 'member.role_updated' })).length).toBe(2)
})
