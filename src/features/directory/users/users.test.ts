import { expect, test } from 'vitest'
import { startApp, type Tenant } from '../../../../test/harness.ts'
import { signIn } from '../../../../test/people/sign-in.ts'
import { newId } from '../../../platform/ids.ts'

const service = await startApp()
const { tenant, events, app } = service
const { db } = app.platform

const t = await tenant()
const subOrgId = await t.organization()
const other = await tenant()
const otherOrgId = await other.organization()

let count = 0
async function addUser(fields: Record<string, unknown> = {}, at: Tenant = t, org = subOrgId) {
  const reply = await at.post('/v1/users', { subOrgId: org, email: `person${++count}@example.com`, ...fields })
  expect(reply.status, reply.text).toBe(200)
  return reply.body.user
}

/** Events of users and sessions since the previous call. */
let seen = 0
async function freshEvents() {
  const all = (await events({ accountId: t.accountId })).filter((event) => /^(user|session)\./.test(event.type))
  const fresh = all.slice(seen)
  seen = all.length
  return fresh
}

test('a created user is answered whole, stored and recorded', async () => {
  await freshEvents()
  const fields = {
    email: 'Ada.Lovelace@Example.com',
    displayName: 'Ada L',
    firstName: 'Ada',
    lastName: 'Lovelace',
    phone: '+44 20 7946 0000',
    jobTitle: 'Engineer',
    department: '',
    locale: 'de-at',
    externalId: 'hr-7',
    metadata: { badge: 7, tags: ['a'] },
  }
  const reply = await t.post('/api/v1/users', { subOrgId, ...fields })
  const { user } = reply.body
  expect(user).toEqual({
    ...fields,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    userId: null,
    subOrgId,
    department: null,
    locale: 'de-AT',
    emailVerified: false,
    active: true,
    status: 'active',
    lock: null,
    role: 'member',
    roleIds: [],
    source: 'api',
    scimManaged: false,
    mfaEnrolled: false,
    passkeyCount: 0,
    lastLoginAt: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
    updatedAt: user.createdAt,
    deletedAt: null,
  })
  expect([reply.status, reply.headers.get('etag')]).toEqual([200, 'W/"1"'])
  const row = await db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ email: fields.email, email_norm: 'ada.lovelace@example.com', pending_until: null })
  expect(await freshEvents()).toMatchObject([
    { type: 'user.created', target_id: user.id, organization_id: subOrgId, data: user, previous: null },
  ])
})

test('an address is taken in any case, within one organization only', async () => {
  const email = 'taken@example.com'
  await addUser({ email })
  await freshEvents()
  const again = await t.post('/v1/users', { subOrgId, email: 'TAKEN@example.com' })
  expect([again.status, again.body.code]).toEqual([409, 'email_exists'])
  expect(await freshEvents()).toEqual([])
  await addUser({ email }, t, await t.organization())
  await addUser({ email }, other, otherOrgId)
})

test('a refused form is told in words, not as a regular expression', async () => {
  const reply = await t.post('/v1/users', { subOrgId, email: 'x@example.com', phone: 'call me', lastName: 'a\tb' })
  expect(reply.body.errors).toEqual([
    {
      field: 'lastName',
      code: 'pattern',
      message: 'lastName must be one line of text, without marks that change its direction',
    },
    {
      field: 'phone',
      code: 'pattern',
      message: 'phone must be a phone number of at least four digits, such as +14155550123',
    },
  ])
})

test.each([
  [{ email: 'nobody' }, 'email'],
  [{ email: 'a@b.example, c@d.example' }, 'email'],
  [{}, 'email'],
  [{ email: 'x@example.com', displayName: 'x'.repeat(201) }, 'displayName'],
  [{ email: 'x@example.com', firstName: 'line\nbreak' }, 'firstName'],
  [{ email: 'x@example.com', lastName: 'next\u0085line' }, 'lastName'],
  [{ email: 'x@example.com', phone: 'call me' }, 'phone'],
  [{ email: 'x@example.com', phone: 5 }, 'phone'],
  [{ email: 'x@example.com', externalId: 'x'.repeat(256) }, 'externalId'],
  [{ email: 'x@example.com', metadata: { text: 'x'.repeat(16_384) } }, 'metadata'],
  [{ email: 'x@example.com', metadata: [] }, 'metadata'],
  [{ email: 'x@example.com', emailVerified: 'yes' }, 'emailVerified'],
  [{ email: 'x@example.com', email_verified: true }, 'email_verified'],
  [{ email: 'x@example.com', role: 'owner' }, 'role'],
  [{ email: 'x@example.com', id: newId() }, 'id'],
  [{ email: 'x@example.com', active: false }, 'active'],
])('%j is refused, naming the field', async (body, field) => {
  await freshEvents()
  const reply = await t.post('/v1/users', { subOrgId, ...body })
  expect([reply.status, reply.body.code, reply.body.errors[0].field]).toEqual([400, 'invalid_request', field])
  expect(await freshEvents()).toEqual([])
})

test('the first sign-in takes no password of an administrator away, whether the address was verified or not', async () => {
  for (const emailVerified of [true, false]) {
    const user = await addUser({ emailVerified })
    expect(user.emailVerified).toBe(emailVerified)
    const password = 'correct horse battery staple'
    await t.put(`/v1/users/${user.id}/password`, { subOrgId, password })
    await freshEvents()
    await signIn(service, t, subOrgId, user.email)
    const types = (await freshEvents()).map(({ type }) => type)
    expect(types.includes('user.email_verified')).toBe(!emailVerified)
    const { status } = await t.post('/v1/auth/login/password', { subOrgId, email: user.email, password })
    expect([emailVerified, status]).toEqual([emailVerified, 200])
  }
})

test('a user is read by either id, by whoever reaches the organization', async () => {
  const user = await addUser()
  const userId = newId()
  await db.updateTable('users').set({ auth_account_id: userId }).where('id', '=', user.id).execute()
  const scoped = await t.withKey({ subOrgId })
  const reader = await t.withKey({ scopes: ['users.read'] })
  for (const caller of [t, scoped, reader]) {
    for (const id of [user.id, userId, user.id.toUpperCase()]) {
      const reply = await caller.get(`/v1/users/${id}`)
      expect([reply.status, reply.body.user]).toEqual([200, { ...user, userId }])
      expect(reply.headers.get('etag')).toBe('W/"1"')
    }
  }
  const missing = await t.get(`/v1/users/${newId()}`)
  const elsewhere = await t.withKey({ subOrgId: await t.organization() })
  const staging = await t.withKey({ environment: 'staging' })
  for (const caller of [other, elsewhere, staging]) {
    const reply = await caller.get(`/v1/users/${user.id}`)
    expect({ ...reply.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
    expect([reply.status, reply.body.code]).toEqual([404, 'user_not_found'])
  }
})

test('a patch changes what it names, clears nulls and records what was', async () => {
  const user = await addUser({ displayName: 'Before', department: 'R&D', metadata: { a: 1 } })
  await freshEvents()
  const reply = await t.patch(`/v1/users/${user.id}`, {
    subOrgId,
    displayName: 'After',
    department: null,
    metadata: { b: 2 },
  })
  const after = { ...user, displayName: 'After', department: null, metadata: { b: 2 } }
  expect(reply.body.user).toEqual({ ...after, updatedAt: expect.any(String) })
  expect([reply.status, reply.headers.get('etag')]).toEqual([200, 'W/"2"'])
  expect((await t.get(`/v1/users/${user.id}`)).body.user).toEqual(reply.body.user)
  const previous = { displayName: 'Before', department: 'R&D', metadata: { a: 1 } }
  const [event, ...more] = await freshEvents()
  expect(event).toMatchObject({ type: 'user.updated', target_id: user.id, data: reply.body.user, previous })
  expect(more).toEqual([])
})

test('a patch that changes nothing is no change', async () => {
  const user = await addUser({ displayName: 'Same', metadata: { name: 1, id: 2 } })
  await freshEvents()
  for (const body of [
    {},
    { displayName: 'Same', active: true, metadata: { name: 1, id: 2 }, email: user.email, phone: null },
  ]) {
    const reply = await t.patch(`/v1/users/${user.id}`, { subOrgId, ...body })
    expect([reply.status, reply.body.user, reply.headers.get('etag')]).toEqual([200, user, 'W/"1"'])
  }
  expect(await freshEvents()).toEqual([])
})

test('protected fields are no part of a patch', async () => {
  const user = await addUser()
  const fields = [
    'id',
    'userId',
    'emailVerified',
    'role',
    'source',
    'scimManaged',
    'createdAt',
    'status',
    'email_verified',
  ]
  for (const field of fields) {
    const reply = await t.patch(`/v1/users/${user.id}`, { subOrgId, [field]: true })
    expect([reply.status, reply.body.errors], field).toMatchObject([400, [{ field, code: 'unknown_property' }]])
  }
  const misspelt = await t.patch(`/v1/users/${user.id}`, { subOrgId, dispaly_name: 'Ada', password: 'x' })
  expect([misspelt.body.detail, misspelt.body.errors[1].message]).toEqual([
    'dispaly_name is not a known property: did you mean displayName?',
    'password is not a known property: PUT /v1/users/{userId}/password sets it',
  ])
  const nulled = await t.patch(`/v1/users/${user.id}`, { subOrgId, email: null })
  expect([nulled.status, nulled.body.errors[0].field]).toEqual([400, 'email'])
  expect((await t.get(`/v1/users/${user.id}`)).body.user).toEqual(user)
})

test('If-Match guards a change and a deletion', async () => {
  const user = await addUser()
  const path = `/v1/users/${user.id}`
  const stale = await t.patch(path, { subOrgId, firstName: 'A' }, { 'if-match': '"7"' })
  expect([stale.status, stale.body.code]).toEqual([412, 'version_conflict'])
  const current = await t.patch(path, { subOrgId, firstName: 'A' }, { 'if-match': 'W/"9", W/"1"' })
  expect([current.status, current.headers.get('etag')]).toEqual([200, 'W/"2"'])
  const remove = (ifMatch: string) => t.delete(`${path}?subOrgId=${subOrgId}`, { 'if-match': ifMatch })
  for (const other of ['"1"', 'W/"1"', '"22"']) expect((await remove(other)).status, other).toBe(412)
  for (const malformed of ['2', '"2', '*, "2"', '']) {
    const refused = await remove(malformed)
    const [fault] = refused.body.errors
    expect([refused.status, refused.body.code, fault.field], malformed).toEqual([400, 'invalid_request', 'If-Match'])
  }
  expect((await remove('*')).status).toBe(200)
})

test('a write reaches nobody of another organization, environment or account', async () => {
  const user = await addUser()
  const path = `/v1/users/${user.id}`
  const elsewhere = await t.withKey({ subOrgId: await t.organization() })
  const staging = await t.withKey({ subOrgId, environment: 'staging' })
  const foreign = await other.withKey({ subOrgId: otherOrgId })
  await freshEvents()
  for (const caller of [elsewhere, staging, foreign]) {
    const replies = [
      await caller.patch(path, { active: false }),
      await caller.delete(path),
      await caller.delete(`${path}/sessions`),
    ]
    expect(replies.map((reply) => [reply.status, reply.body.code])).toEqual(replies.map(() => [404, 'user_not_found']))
  }
  const foreignOrg = await other.patch(path, { subOrgId, active: false })
  expect([foreignOrg.status, foreignOrg.body.code]).toEqual([404, 'organization_not_found'])
  const unnamed = await t.patch(path, { active: false })
  expect([unnamed.status, unnamed.body.code]).toEqual([400, 'sub_org_required'])
  expect(await freshEvents()).toEqual([])
  expect((await t.get(path)).body.user).toEqual(user)
})
