import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'

const app = await startApp()
const tenant = await app.tenant()
const { call, subOrgId } = await provisioned(app, tenant)
const { db } = app.app.platform

const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patch = (...Operations: object[]) => ({ Operations })

async function addUser(): Promise<{ id: string; userName: string }> {
  return (await call('POST', '/Users', { userName: `ada-${fresh()}@acme.example` })).body
}

async function addGroup(body: object = {}) {
  const reply = await call('POST', '/Groups', { displayName: `Team ${fresh()}`, ...body })
  expect(reply.status, reply.text).toBe(201)
  return reply.body
}

const membersOf = async (id: string): Promise<string[]> =>
  ((await call('GET', `/Groups/${id}`)).body.members ?? []).map(({ value }: { value: string }) => value)

const typesOf = async (id: string) =>
  (await app.events({ accountId: tenant.accountId })).filter((event) => event.target_id === id).map(({ type }) => type)

test('a group is created with members of both types, and shown with them', async () => {
  const [user, inner] = [await addUser(), await addGroup()]
  const displayName = `Team ${fresh()}`
  const reply = await call('POST', '/Groups', {
    schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/Group'],
    displayName,
    externalId: fresh(),
    'urn:acme:group': { cost: 7 },
    members: [
      { value: user.id.toUpperCase(), $ref: null },
      { value: inner.id, type: 'Group' },
    ],
  })
  expect(reply.status, reply.text).toBe(201)
  const { id, meta, members, ...rest } = reply.body
  expect(rest).toMatchObject({ displayName, 'urn:acme:group': { cost: 7 } })
  expect(members).toContainEqual({
    value: user.id,
    display: user.userName,
    type: 'User',
    $ref: `http://localhost:4000/api/os/scim/v2/Users/${user.id}`,
  })
  expect(members).toContainEqual(
    expect.objectContaining({ value: inner.id, type: 'Group', display: inner.displayName }),
  )
  expect(reply.headers.get('location')).toBe(meta.location)
  expect((await call('GET', `/Groups/${id}`)).body).toEqual(reply.body)
  expect('members' in (await call('GET', `/Groups/${id}?excludedAttributes=members`)).body).toBe(false)
  expect((await typesOf(id)).toSorted()).toEqual([
    'scim.group.created',
    'scim.group.member_added',
    'scim.group.member_added',
  ])
})

test('the groups of a user are shown, with those around them, and cannot be set', async () => {
  const user = await addUser()
  const inner = await addGroup({ members: [{ value: user.id }] })
  const outer = await addGroup({ members: [{ value: inner.id }] })
  // The groups contain each other, which must not cause an endless loop.
  await call('PATCH', `/Groups/${inner.id}`, patch({ op: 'add', path: 'members', value: [{ value: outer.id }] }))
  const { groups } = (await call('GET', `/Users/${user.id}`)).body
  expect(groups.map(({ value, type }: { value: string; type: string }) => [value, type])).toEqual([
    [inner.id, 'direct'],
    [outer.id, 'indirect'],
  ])
  const set = await call('PATCH', `/Users/${user.id}`, patch({ op: 'replace', path: 'groups', value: [] }))
  expect([set.status, set.body.scimType]).toEqual([400, 'mutability'])
})

test('members come and go in every form that clients send', async () => {
  const [a, b, c] = [await addUser(), await addUser(), await addUser()]
  const group = await addGroup({ members: [{ value: a.id }] })
  const path = `/Groups/${group.id}`
  const change = async (...operations: object[]) => {
    const reply = await call('PATCH', path, patch(...operations))
    expect([reply.status, reply.text]).toEqual([204, ''])
    return (await membersOf(group.id)).toSorted()
  }
  expect(await change({ op: 'Add', path: 'members', value: [{ value: b.id }, { value: c.id }] })).toEqual([
    a.id,
    b.id,
    c.id,
  ])
  // Entra sends a remove with values, which removes only these members.
  expect(await change({ op: 'Remove', path: 'members', value: [{ value: b.id, $ref: null }] })).toEqual([a.id, c.id])
  expect(await change({ op: 'remove', path: `members[value eq "${a.id.toUpperCase()}"]` })).toEqual([c.id])
  expect(await change({ op: 'remove', path: `members[value eq "${fresh()}"]` })).toEqual([c.id])
  expect(
    await change({ op: 'replace', value: { members: [{ value: a.id }], displayName: group.displayName } }),
  ).toEqual([a.id])
  expect(await change({ op: 'add', value: { members: [{ value: a.id }, { value: b.id }] } })).toEqual([a.id, b.id])
  expect(await change({ op: 'remove', path: 'members' })).toEqual([])
  const asked = await call(
    'PATCH',
    `${path}?attributes=displayName`,
    patch({ op: 'replace', path: 'externalId', value: 'e1' }),
  )
  expect([asked.status, asked.body.displayName, 'members' in asked.body]).toEqual([200, group.displayName, false])
  for (const value of [[{ value: 'nobody' }], [{ value: group.id }], [{ value: subOrgId }], [{ display: 'x' }]]) {
    const reply = await call('PATCH', path, patch({ op: 'add', path: 'members', value }))
    expect([reply.status, reply.body.scimType]).toEqual([400, 'invalidValue'])
  }
})

test('PUT replaces a group and who is in it; what changes nothing is no new version', async () => {
  const [a, b] = [await addUser(), await addUser()]
  const group = await addGroup({ externalId: fresh(), members: [{ value: a.id }] })
  const body = { displayName: 'Renamed', members: [{ value: b.id }] }
  const put = await call('PUT', `/Groups/${group.id}`, body)
  expect(put.body).toMatchObject({ displayName: 'Renamed', members: [{ value: b.id }] })
  expect('externalId' in put.body).toBe(false)
  expect((await call('PUT', `/Groups/${group.id}`, body)).body).toEqual(put.body)
  const stale = await call('PUT', `/Groups/${group.id}`, body, { 'if-match': group.meta.version })
  expect(stale.status).toBe(412)
  const patched = await call(
    'PATCH',
    `/Groups/${group.id}`,
    patch({ op: 'add', path: 'members', value: [{ value: a.id }] }),
  )
  expect(patched.headers.get('etag')).not.toBe(put.body.meta.version)
  const kept = await call('GET', `/Groups/${group.id}`, undefined, {
    'if-none-match': patched.headers.get('etag') ?? '',
  })
  expect(kept.status).toBe(304)
})

test('names are unique, in any case, and of one organization', async () => {
  const { displayName } = await addGroup()
  const again = await call('POST', '/Groups', { displayName: displayName.toUpperCase() })
  expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness'])
  const other = await addGroup()
  expect((await call('PUT', `/Groups/${other.id}`, { displayName })).status).toBe(409)
  const stranger = await provisioned(app, tenant)
  expect((await stranger.call('POST', '/Groups', { displayName })).status).toBe(201)
  for (const reply of [
    await stranger.call('GET', `/Groups/${other.id}`),
    await stranger.call('PUT', `/Groups/${other.id}`, { displayName: 'x' }),
    await stranger.call('PATCH', `/Groups/${other.id}`, patch({ op: 'remove', path: 'members' })),
    await stranger.call('DELETE', `/Groups/${other.id}`),
  ])
    expect(reply.status).toBe(404)
  const user = await addUser()
  expect((await stranger.call('POST', '/Groups', { displayName: fresh(), members: [{ value: user.id }] })).status).toBe(
    400,
  )
  expect((await call('POST', '/Groups', { members: [] })).body.scimType).toBe('invalidValue')
})

test('groups are listed, and found by name, id and member', async () => {
  const user = await addUser()
  const group = await addGroup({ members: [{ value: user.id }] })
  const find = async (filter: string) => {
    const { body } = await call('GET', `/Groups?${new URLSearchParams({ filter, excludedAttributes: 'members' })}`)
    return body.Resources?.map(({ id }: { id: string }) => id) ?? body.scimType
  }
  expect(await find(`displayName eq "${group.displayName.toUpperCase()}"`)).toEqual([group.id])
  expect(await find(`id eq "${group.id}" and members eq "${user.id}"`)).toEqual([group.id])
  expect(await find(`members[value eq "${user.id}"]`)).toEqual([group.id])
  expect(await find('members.display eq "x"')).toBe('invalidFilter')
  const page = await call('GET', '/Groups?count=1&cursor=')
  expect(page.body.nextCursor).toEqual(expect.any(String))
  const searched = await call('POST', '/Groups/.search', { filter: `id eq "${group.id}"` })
  expect(searched.body.Resources[0].members).toHaveLength(1)
})

test('whoever is deprovisioned leaves every group, and whoever is deactivated stays', async () => {
  const user = await addUser()
  const group = await addGroup({ members: [{ value: user.id }] })
  await call('PATCH', `/Users/${user.id}`, patch({ op: 'replace', path: 'active', value: false }))
  expect(await membersOf(group.id)).toEqual([user.id])
  await call('DELETE', `/Users/${user.id}`)
  expect(await membersOf(group.id)).toEqual([])
  expect((await call('DELETE', `/Groups/${group.id}`)).status).toBe(204)
  expect((await call('GET', `/Groups/${group.id}`)).status).toBe(404)
})

test('one member of a large group is changed without the others being read', async () => {
  const user = await addUser()
  const group = await addGroup()
  await sql`
    insert into scim_group_members (directory_id, group_id, user_id)
    select directory_id, id, gen_random_uuid() from scim_groups, generate_series(1, 10000) where id = ${group.id}`.execute(
    db,
  )
  const reads = async () => {
    const { rows } = await sql<{ reads: number }>`
      select (idx_tup_read)::int as reads from pg_stat_user_indexes where indexrelname = 'scim_group_members_pkey'`.execute(
      db,
    )
    return rows[0]?.reads ?? 0
  }
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const before = await reads()
  for (const op of ['add', 'remove'])
    expect(
      (await call('PATCH', `/Groups/${group.id}`, patch({ op, path: 'members', value: [{ value: user.id }] }))).status,
    ).toBe(204)
  await sql`select pg_stat_force_next_flush()`.execute(db)
  expect((await reads()) - before).toBeLessThan(1000)
})

test('of clients that change a group at once, nobody loses a member', async () => {
  const users = await Promise.all(Array.from({ length: 8 }, addUser))
  const group = await addGroup()
  const add = (id: string) =>
    call('PATCH', `/Groups/${group.id}`, patch({ op: 'add', path: 'members', value: [{ value: id }] }))
  const replies = await Promise.all(users.map(({ id }) => add(id)))
  expect(replies.map(({ status }) => status)).toEqual(users.map(() => 204))
  expect((await membersOf(group.id)).toSorted()).toEqual(users.map(({ id }) => id).toSorted())
})
