import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { newPendingUser } from '../../../../test/people/people.ts'
import { provisioned, SCIM } from '../../../../test/people/scim.ts'
import { newId } from '../../../platform/ids.ts'

const app = await startApp()
const tenant = await app.tenant()
const client = await provisioned(app, tenant)
const { subOrgId, call } = client
const { db } = app.app.platform

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations })
const newName = () => `ada-${fresh()}@acme.example`

async function add(more: object = {}) {
  const userName = newName()
  const reply = await call('POST', '/Users', { schemas: [USER], userName, externalId: fresh(), ...more })
  expect(reply.status, reply.text).toBe(201)
  return reply.body
}

const readUser = async (id: string) => (await tenant.get(`/v1/users/${id}?subOrgId=${subOrgId}`)).body.user

test('a user is provisioned, with all that the client says', async () => {
  const userName = `Ada-${fresh()}@Acme.example`
  const body = {
    schemas: [USER, ENTERPRISE],
    externalId: `00u-${fresh()}`,
    userName,
    name: { givenName: 'Ada', familyName: 'Lovelace', middleName: 'King' },
    displayName: 'Ada L',
    emails: [{ value: userName, type: 'work', primary: true }],
    phoneNumbers: [{ value: '+14155550123', type: 'work' }],
    title: 'Engineer',
    userType: 'Employee',
    active: true,
    password: 'canary-of-a-password',
    [ENTERPRISE]: { department: 'R&D', employeeNumber: '7', manager: { value: 'm1' } },
    'urn:acme:custom': { badge: 'blue' },
  }
  const reply = await call('POST', '/Users', body)
  expect(reply.status, reply.text).toBe(201)
  const { schemas, password: _, ...said } = body
  const { id, meta } = reply.body
  expect(reply.body).toEqual({ ...said, id, schemas: [schemas[0], 'urn:acme:custom', schemas[1]], meta })
  expect(meta).toEqual({
    resourceType: 'User',
    created: expect.any(String),
    lastModified: expect.any(String),
    version: 'W/"1"',
    location: `http://localhost:4000${SCIM}/Users/${id}`,
  })
  expect([reply.headers.get('location'), reply.headers.get('etag')]).toEqual([meta.location, meta.version])
  expect(reply.headers.get('content-type')).toBe('application/scim+json')
  expect(await readUser(id)).toMatchObject({
    email: userName,
    emailVerified: false,
    displayName: 'Ada L',
    firstName: 'Ada',
    lastName: 'Lovelace',
    phone: '+14155550123',
    jobTitle: 'Engineer',
    department: 'R&D',
    active: true,
    source: 'scim',
    scimManaged: true,
    externalId: null,
  })
  expect((await call('GET', `/Users/${id.toUpperCase()}`)).body).toEqual(reply.body)
  const rows = await app.app.platform.db.selectFrom('scim_users').selectAll().execute()
  expect(JSON.stringify([rows, app.logLines, await app.events({ accountId: tenant.accountId })])).not.toContain(
    'canary',
  )
})

test('what the contract shows suffices: no schemas, no type of the body, a plain one', async () => {
  const userName = newName()
  const one = await call('POST', '/Users', JSON.stringify({ userName, displayName: 'Ada', active: 'True' }), {
    'content-type': 'application/json',
  })
  expect([one.status, one.body.active, one.body.emails]).toEqual([
    201,
    true,
    [{ value: userName, type: 'work', primary: true }],
  ])
  const bytes = new TextEncoder().encode(JSON.stringify({ userName: newName(), active: 'False' }))
  const two = await fetch(`${app.baseUrl}${SCIM}/Users?aadOptscim062020`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.token}` },
    body: bytes,
  })
  expect([two.status, Reflect.get(Object(await two.json()), 'active')]).toEqual([201, false])
})

test('what is missing or wrong is told as SCIM has it', async () => {
  const cases: [unknown, number, string][] = [
    [{}, 400, 'invalidValue'],
    [{ userName: 'nobody' }, 400, 'invalidValue'],
    [{ userName: newName(), active: 'maybe' }, 400, 'invalidValue'],
    ['{', 400, 'invalidSyntax'],
    [{ userName: newName(), note: 'x'.repeat(70_000) }, 400, 'invalidValue'],
  ]
  for (const [body, status, scimType] of cases) {
    const reply = await call('POST', '/Users', body)
    expect([reply.status, reply.body.scimType, reply.body.status]).toEqual([status, scimType, String(status)])
  }
  expect((await call('POST', '/Users', `{"userName":"a@b.example","__proto__":{"a":1}}`)).status).toBe(400)
  expect(Reflect.get({}, 'a')).toBeUndefined()
})

test('userName and address are unique in any case, and an externalId is not', async () => {
  const { userName, externalId } = await add()
  const taken: object[] = [{ userName: userName.toUpperCase() }, { userName: newName(), emails: [{ value: userName }] }]
  for (const body of taken) {
    const reply = await call('POST', '/Users', body)
    expect([reply.status, reply.body.scimType]).toEqual([409, 'uniqueness'])
  }
  const other = await add()
  expect((await call('PUT', `/Users/${other.id}`, { userName })).status).toBe(409)
  // RFC 7643 §3.1
  await add({ externalId })
  const same = patch({ op: 'replace', path: 'externalId', value: externalId })
  expect((await call('PATCH', `/Users/${other.id}`, same)).status).toBe(200)
  expect((await call('GET', `/Users?filter=externalId eq "${externalId}"`)).body.totalResults).toBe(3)
})

test('PUT replaces, PATCH changes a part, and neither does anything where nothing changes', async () => {
  const made = await add({ title: 'Engineer', name: { givenName: 'Ada' }, nickName: 'A' })
  const put = await call('PUT', `/Users/${made.id}`, {
    userName: made.userName,
    externalId: made.externalId,
    nickName: 'B',
  })
  expect(put.body).toMatchObject({ nickName: 'B', active: true, meta: { version: 'W/"2"' } })
  expect('title' in put.body || 'name' in put.body).toBe(false)
  expect((await readUser(made.id)).jobTitle).toBeNull()
  const again = await call('PUT', `/Users/${made.id}`, {
    userName: made.userName,
    externalId: made.externalId,
    nickName: 'B',
  })
  expect(again.body).toEqual(put.body)
  const patched = await call(
    'PATCH',
    `/Users/${made.id}`,
    patch(
      { op: 'Add', value: { 'name.givenName': 'Grace', title: 'Admiral', [`${ENTERPRISE}:department`]: 'Navy' } },
      { op: 'Replace', path: 'emails[type eq "home"].value', value: 'grace@home.example' },
      { op: 'remove', path: 'nickName' },
    ),
  )
  expect(patched.status, patched.text).toBe(200)
  expect(patched.body).toMatchObject({
    name: { givenName: 'Grace' },
    title: 'Admiral',
    [ENTERPRISE]: { department: 'Navy' },
  })
  expect(await readUser(made.id)).toMatchObject({ firstName: 'Grace', jobTitle: 'Admiral', department: 'Navy' })
  expect('nickName' in patched.body).toBe(false)
  expect(
    (await call('PATCH', `/Users/${made.id}`, patch({ op: 'replace', path: 'id', value: 'x' }))).body.scimType,
  ).toBe('mutability')
  const failed = await call(
    'PATCH',
    `/Users/${made.id}`,
    patch({ op: 'add', path: 'title', value: 'x' }, { op: 'remove', path: 'members[' }),
  )
  expect([failed.status, (await readUser(made.id)).jobTitle]).toEqual([400, 'Admiral'])
})

test('a version that is not the present one changes nothing, and one that is spares the answer', async () => {
  const { id, meta } = await add()
  const path = `/Users/${id}`
  const change = patch({ op: 'replace', path: 'title', value: 'Engineer' })
  for (const headers of [{ 'if-match': 'W/"7"' }, { 'if-match': '"7"' }])
    for (const reply of [
      await call('PATCH', path, change, headers),
      await call('PUT', path, { userName: newName() }, headers),
      await call('DELETE', path, undefined, headers),
    ])
      expect([reply.status, reply.body.status]).toEqual([412, '412'])
  expect((await call('GET', path, undefined, { 'if-none-match': meta.version })).status).toBe(304)
  const changed = await call('PATCH', path, change, { 'if-match': meta.version })
  expect([changed.status, changed.headers.get('etag')]).toEqual([200, 'W/"2"'])
  expect((await call('GET', path, undefined, { 'if-none-match': meta.version })).status).toBe(200)
})

test('only what is asked for is answered', async () => {
  const made = await add({ displayName: 'Ada', title: 'Engineer' })
  const some = await call('GET', `/Users/${made.id}?attributes=userName,name.givenName`)
  expect(some.body).toEqual({ schemas: made.schemas, id: made.id, userName: made.userName })
  const most = await call('GET', `/Users/${made.id}?excludedAttributes=title,meta,emails`)
  expect(Object.keys(most.body).toSorted()).toEqual([
    'active',
    'displayName',
    'externalId',
    'id',
    'schemas',
    'userName',
  ])
  const listed = await call('GET', `/Users?filter=${encodeURIComponent(`id eq "${made.id}"`)}&attributes=displayName`)
  expect(listed.body.Resources).toEqual([{ schemas: made.schemas, id: made.id, displayName: 'Ada' }])
})

test.each([
  ['a new address', () => newName()],
  ['the address of a sign-up', async () => (await newPendingUser(db, tenant, { subOrgId, email: newName() })).email],
])('what provisioning has set at %s is changed elsewhere only by force', async (_, nameOf) => {
  const made = await add({ displayName: 'Ada', title: 'Engineer', userName: await nameOf() })
  expect(await readUser(made.id)).toMatchObject({ source: 'scim', scimManaged: true })
  const change = (body: object) => tenant.patch(`/v1/users/${made.id}`, { subOrgId, ...body })
  for (const body of [{ displayName: 'B' }, { active: false }, { email: newName() }, { jobTitle: null }]) {
    const reply = await change(body)
    expect([reply.status, reply.body.code]).toEqual([409, 'scim_managed'])
  }
  for (const body of [{ metadata: { a: 1 } }, { externalId: fresh() }, { displayName: 'Ada' }])
    expect((await change(body)).status).toBe(200)
  const forced = await change({ displayName: 'Forced', force: true })
  expect(forced.body.user).toMatchObject({ displayName: 'Forced', scimManaged: true })
  expect((await call('GET', `/Users/${made.id}`)).body).toMatchObject({ displayName: 'Forced', title: 'Engineer' })
})

test('nobody else is seen or touched: not those of others, nor those whom nobody provisions', async () => {
  const other = await provisioned(app, tenant)
  const made = await add()
  const unmanaged = (await tenant.post('/v1/users', { subOrgId, email: newName() })).body.user
  const authAccount = newId()
  await db.updateTable('users').set({ auth_account_id: authAccount }).where('id', '=', made.id).execute()
  for (const [caller, id] of [
    [other.call, made.id],
    [call, unmanaged.id],
    // The user has another id elsewhere.
    [call, authAccount],
    [call, fresh()],
  ] as const) {
    const replies = [
      await caller('GET', `/Users/${id}`),
      await caller('PUT', `/Users/${id}`, { userName: newName() }),
      await caller('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false })),
      await caller('DELETE', `/Users/${id}`),
    ]
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  }
  expect((await other.call('GET', '/Users')).body.totalResults).toBe(0)
  expect(await readUser(made.id)).toMatchObject({ active: true })
})
