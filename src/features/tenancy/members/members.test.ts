import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { plantMember } from '../../../../test/people/members.ts'
import { newEmail, plantSession } from '../../../../test/people/people.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { newId } from '../../../platform/ids.ts'
import { teamDirectory } from '../../../platform/tenancy/directory.ts'
import type { TEAM_ROLES } from './team-roles/team-roles.ts'

const app = await startApp()
const { platform } = app.app

type Role = (typeof TEAM_ROLES)[number]

async function newTeam() {
  const tenant = await app.tenant()
  const { accountId } = tenant
  const add = (role: Role, more: { organizationId?: string; status?: 'invited'; email?: string } = {}) =>
    plantMember(app, { accountId, role, ...more })
  const rolesOf = async (query = '') => {
    const { members } = (await tenant.get(`/v1/members${query}`)).body
    return Object.fromEntries(members.map((m: { membershipId: string; role: string }) => [m.membershipId, m.role]))
  }
  return { tenant, accountId, add, rolesOf }
}

/** A member in the console directory, with a session. */
async function signedIn(accountId: string, email: string) {
  const { id: directory_id, environmentId: environment_id } = await teamDirectory(platform, accountId)
  const row = { directory_id, environment_id, id: newId(), email, email_norm: email, source: 'api' }
  await platform.db.insertInto('users').values(row).execute()
  const session = await plantSession(platform.db, row.id)
  const isLive = async () => {
    const { rows } = await platform.db.executeQuery<{ live: boolean }>(
      platform.db
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .select((eb) =>
          eb
            .and([
              eb('sessions.revoked_at', 'is', null),
              eb('users.deleted_at', 'is', null),
              eb('sessions.user_epoch', '=', eb.ref('users.session_epoch')),
            ])
            .as('live'),
        )
        .where('sessions.id', '=', session)
        .compile(),
    )
    return rows[0]?.live ?? false
  }
  return { id: row.id, isLive }
}

test('lists the team, a page at a time', async () => {
  const { tenant, add } = await newTeam()
  const email = newEmail()
  const owner = await add('owner', { email })
  const others = [await add('admin'), await add('developer', { status: 'invited' })]
  const { body } = await tenant.get('/v1/members?limit=1&include_total=true')
  expect(body).toEqual({
    members: [
      {
        membershipId: owner,
        id: owner,
        userId: null,
        directoryUserId: null,
        subOrgId: null,
        email,
        displayName: null,
        role: 'owner',
        status: 'active',
        invitedBy: null,
        joinedAt: expect.any(String),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ],
    has_more: true,
    next_cursor: expect.any(String),
    total: 3,
  })
  const next = await tenant.get(`/v1/members?cursor=${body.next_cursor}`)
  expect(next.body.members.map((m: { id: string }) => m.id)).toEqual(others)
})

test('shows the user of the console directory, and lists those of organizations too', async () => {
  const { tenant, accountId, add, rolesOf } = await newTeam()
  const email = newEmail()
  const owner = await add('owner', { email })
  const { id } = await signedIn(accountId, email)
  const organizationId = await tenant.organization()
  const own = await add('member', { organizationId })
  expect((await tenant.get('/v1/members')).body.members[0]).toMatchObject({ directoryUserId: id, userId: null })
  expect(await rolesOf()).toEqual({ [owner]: 'owner', [own]: 'member' })
  expect(await rolesOf(`?subOrgId=${organizationId}`)).toEqual({ [own]: 'member' })
  expect((await tenant.get(`/v1/organizations/${organizationId}`)).body.subOrganization.memberCount).toBe(1)
})

describe('a role', () => {
  test('is changed, recorded once, and takes effect on sessions if it is less', async () => {
    const { tenant, accountId, add } = await newTeam()
    await add('owner')
    const email = newEmail()
    const id = await add('member', { email })
    const { isLive } = await signedIn(accountId, email)
    const change = async (newRole: Role) => {
      const reply = await tenant.patch(`/v1/members/${id}`, { newRole })
      expect([reply.status, reply.body.member?.role], reply.text).toEqual([200, newRole])
    }
    await change('admin')
    await change('admin')
    expect(await isLive()).toBe(true)
    await change('member')
    expect(await isLive()).toBe(false)
    const events = await app.events({ accountId, type: 'member.role_updated' })
    expect(events).toMatchObject([
      { target_id: id, previous: { role: 'member' }, data: { role: 'admin', membershipId: id } },
      { target_id: id, previous: { role: 'admin' }, data: { role: 'member' } },
    ])
  })

  test('is one of four', async () => {
    const { tenant, add } = await newTeam()
    const id = await add('owner')
    for (const body of [{ newRole: 'root' }, { newRole: null }, {}, { role: 'admin' }])
      expect((await tenant.patch(`/v1/members/${id}`, body)).status).toBe(400)
  })
})

test('a member is removed with their access, and gone from rosters', async () => {
  const { tenant, accountId, add, rolesOf } = await newTeam()
  const owner = await add('owner')
  const email = newEmail()
  const id = await add('admin', { email })
  const { isLive } = await signedIn(accountId, email)
  const subOrgId = await tenant.organization()
  const entries = [{ membershipId: owner }, { membershipId: id }]
  expect((await tenant.put(`/v1/organizations/${subOrgId}/members`, { members: entries })).status).toBe(200)
  const reply = await tenant.delete(`/v1/members/${id}`)
  expect([reply.status, reply.body]).toEqual([200, { success: true }])
  expect([await isLive(), await rolesOf(), await rolesOf(`?subOrgId=${subOrgId}`)]).toEqual([
    false,
    { [owner]: 'owner' },
    { [owner]: 'owner' },
  ])
  const events = await app.events({ accountId, type: 'member.removed' })
  expect(events.map((event) => [event.target_id, event.organization_id])).toEqual([
    [id, null],
    [id, subOrgId],
  ])
  expect((await tenant.delete(`/v1/members/${id}`)).body.code).toBe('member_not_found')
})

describe('the last owner', () => {
  test('stays, whatever the others are', async () => {
    const { tenant, add, rolesOf } = await newTeam()
    const owner = await add('owner')
    await add('admin')
    await add('owner', { status: 'invited' })
    await add('owner', { organizationId: await tenant.organization() })
    const before = await rolesOf()
    for (const reply of [
      await tenant.delete(`/v1/members/${owner}`),
      await tenant.patch(`/v1/members/${owner}`, { newRole: 'admin' }),
    ])
      expect([reply.status, reply.body.code]).toEqual([409, 'last_owner'])
    expect(await rolesOf()).toEqual(before)
    const second = await add('owner')
    expect((await tenant.delete(`/v1/members/${owner}`)).status).toBe(200)
    expect((await tenant.delete(`/v1/members/${second}`)).status).toBe(409)
  })

  test('of a roster stays too', async () => {
    const { tenant, add } = await newTeam()
    await add('owner')
    const id = await add('admin')
    const subOrgId = await tenant.organization()
    const path = `/v1/organizations/${subOrgId}/members`
    await tenant.put(path, { members: [{ membershipId: id, role: 'owner' }] })
    for (const reply of [
      await tenant.delete(`/v1/members/${id}`),
      await tenant.delete(`/v1/members/${id}?subOrgId=${subOrgId}`),
      await tenant.patch(`/v1/members/${id}?subOrgId=${subOrgId}`, { newRole: 'admin' }),
    ])
      expect([reply.status, reply.body.code]).toEqual([409, 'last_owner'])
    // In the account, this member is not the last owner, although they are the last owner on the roster.
    expect((await tenant.patch(`/v1/members/${id}`, { newRole: 'member' })).status).toBe(200)
    expect((await tenant.get(path)).body.members).toMatchObject([{ membershipId: id, role: 'owner' }])
  })
})

describe('a key that lacks permissions of a member neither changes nor removes them', () => {
  test.each([['members.*'], ['members.*', 'users.*', 'sub_orgs.*', 'api_keys.*']])('a key of %s', async (...scopes) => {
    const { tenant, add, rolesOf } = await newTeam()
    const owner = await add('owner')
    await add('owner')
    const id = await add('developer')
    const before = await rolesOf()
    const key = await tenant.withKey({ scopes })
    for (const reply of [
      await key.patch(`/v1/members/${id}`, { newRole: 'owner' }),
      await key.patch(`/v1/members/${id}`, { newRole: 'admin' }),
      await key.patch(`/v1/members/${owner}`, { newRole: 'developer' }),
      await key.delete(`/v1/members/${owner}`),
      await key.delete(`/v1/members/${id}`),
    ])
      expect([reply.status, reply.body.code]).toEqual([403, 'privilege_escalation'])
    expect(await rolesOf()).toEqual(before)
  })

  test('a key acts on members whose permissions it has, and gives those', async () => {
    const { tenant, add } = await newTeam()
    await add('owner')
    const id = await add('owner')
    const key = await tenant.withKey({ scopes: ['members.*', 'users.read', 'sub_orgs.read'] })
    const [developer, member] = [await add('developer'), await add('member')]
    expect((await key.patch(`/v1/members/${developer}`, { newRole: 'member' })).body.code).toBe('privilege_escalation')
    expect((await key.delete(`/v1/members/${member}`)).status).toBe(200)
    expect((await tenant.patch(`/v1/members/${id}`, { newRole: 'admin' })).status).toBe(200)
  })
})

describe('whose it is not', () => {
  test('a key of another account, or of one organization, finds no member of the account', async () => {
    const { tenant, add } = await newTeam()
    await add('owner')
    const id = await add('admin')
    const subOrgId = await tenant.organization()
    const scoped = await tenant.withKey({ subOrgId })
    const other = await app.tenant()
    const before = await snapshot(app)
    for (const caller of [scoped, other])
      for (const each of [id, newId(), 'nobody']) {
        const replies = [
          await caller.patch(`/v1/members/${each}`, { newRole: 'member' }),
          await caller.delete(`/v1/members/${each}`),
        ]
        for (const reply of replies) expect([reply.status, reply.body.code]).toEqual([404, 'member_not_found'])
        expect((await caller.get('/v1/members')).body.members).toEqual([])
      }
    expect(await snapshot(app)).toEqual(before)
  })

  test('a key of one organization changes what is on its roster, and there alone', async () => {
    const { tenant, add, rolesOf } = await newTeam()
    const [owner, id] = [await add('owner'), await add('admin')]
    const subOrgId = await tenant.organization()
    const members = [{ membershipId: owner }, { membershipId: id }]
    await tenant.put(`/v1/organizations/${subOrgId}/members`, { members })
    const scoped = await tenant.withKey({ subOrgId })
    expect((await scoped.patch(`/v1/members/${id}`, { newRole: 'developer' })).body.member).toMatchObject({
      membershipId: id,
      subOrgId,
      role: 'developer',
    })
    expect(await rolesOf()).toEqual({ [owner]: 'owner', [id]: 'admin' })
    expect((await scoped.delete(`/v1/members/${id}`)).status).toBe(200)
    expect(await rolesOf(`?subOrgId=${subOrgId}`)).toEqual({ [owner]: 'owner' })
    expect(await rolesOf()).toEqual({ [owner]: 'owner', [id]: 'admin' })
  })
})
