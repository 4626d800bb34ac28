import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { newEmail } from '../../../test/people/people.ts'

const app = await startApp()
const tenant = await app.tenant()
const subOrgId = await tenant.organization()
const { slug } = (await tenant.get(`/v1/organizations/${subOrgId}`)).body.subOrganization

const fieldsOf = (reply: { body: { errors?: { field: string; code: string; message: string }[] } }) =>
  reply.body.errors?.map(({ field, code }) => [field, code])

const countUsers = async () => (await tenant.get('/v1/users')).body.users.length

test.each(['sub_org_id', 'suborgid', 'subOrgID', 'subOrgid', 'sub-org-id'])(
  'an organization that is named as %s is told to be missing, with the name that is unknown',
  async (name) => {
    const before = await countUsers()
    const replies = [
      await tenant.post('/v1/users', { [name]: subOrgId, email: newEmail() }),
      await tenant.post(`/v1/users?${name}=${subOrgId}`, { email: newEmail() }),
      await tenant.delete(`/v1/users/0198b6f2-4503-7b31-88cc-4c599ba00e1e?${name}=${subOrgId}`),
    ]
    for (const reply of replies) {
      expect([reply.status, reply.body.code, fieldsOf(reply)]).toEqual([
        400,
        'sub_org_required',
        [[name, 'unknown_property']],
      ])
      expect(reply.body.detail).toContain(`${name} is not a known property: did you mean subOrgId?`)
    }
    expect(await countUsers()).toBe(before)
  },
)

test('so is any other unknown name, and a body that is no object', async () => {
  const other = await tenant.post('/v1/users', { organizationId: subOrgId, email: newEmail() })
  expect([other.body.code, fieldsOf(other)]).toEqual(['sub_org_required', [['organizationId', 'unknown_property']]])
  for (const body of [[{ subOrgId, email: newEmail() }], '"text"', '7', 'null']) {
    const reply = await tenant.post('/v1/users', body)
    expect([body, reply.status, reply.body.code, fieldsOf(reply)]).toEqual([
      body,
      400,
      'sub_org_required',
      [['', 'type']],
    ])
    expect(reply.body.detail).toContain('The body must be an object')
  }
  const plain = await tenant.post('/v1/users', { email: newEmail() })
  expect([plain.body.code, plain.body.errors]).toEqual(['sub_org_required', undefined])
})

test('where a field is missing and another misspelt, the detail is what the name is like', async () => {
  const { body } = await tenant.post('/v1/users', { subOrgId, emial: newEmail() })
  expect([body.detail, fieldsOf({ body })]).toEqual([
    'emial is not a known property: did you mean email?',
    [
      ['email', 'required'],
      ['emial', 'unknown_property'],
    ],
  ])
})

test('an organization that is named by nothing, as by an empty variable of a shell, is told to be empty', async () => {
  const before = await countUsers()
  const scoped = await tenant.withKey({ subOrgId })
  for (const caller of [tenant, scoped])
    for (const reply of [
      await caller.post('/v1/users', { subOrgId: '', email: newEmail() }),
      await caller.post('/v1/users?subOrgId=', { email: newEmail() }),
      await caller.get('/v1/users?subOrgId='),
      await caller.delete('/v1/users/0198b6f2-4503-7b31-88cc-4c599ba00e1e?subOrgId='),
    ])
      expect([reply.status, reply.body]).toEqual([
        400,
        expect.objectContaining({
          code: 'invalid_request',
          detail: 'subOrgId is empty.',
          errors: [{ field: 'subOrgId', code: 'minLength', message: 'subOrgId is empty' }],
        }),
      ])
  const typed = await tenant.post('/v1/users', { subOrgId: 7, email: newEmail() })
  expect([typed.status, typed.body.detail]).toEqual([400, 'subOrgId must be a string.'])
  expect(await countUsers()).toBe(before)
})

test('a slug in place of the id of an organization is told as such', async () => {
  const scoped = await tenant.withKey({ subOrgId })
  const slugs = [
    await tenant.post('/v1/users', { subOrgId: slug, email: newEmail() }),
    await tenant.get(`/v1/users?subOrgId=${slug}`),
    await tenant.get(`/v1/organizations/${slug}`),
    await scoped.get(`/v1/users?subOrgId=${slug}`),
  ]
  const codes = slugs.map(({ status, body }) => [status, body.code])
  expect(codes).toEqual([...Array(3).fill([404, 'organization_not_found']), [403, 'sub_org_mismatch']])
  for (const { body } of slugs)
    expect(body.detail).toBe(
      `subOrgId must be the id of an organization, which is a UUID. ${slug} looks like a slug: GET /v1/organizations?slug=${slug} returns the id.`,
    )
  const [found] = (await tenant.get(`/v1/organizations?slug=${slug}`)).body.subOrganizations
  expect(found.id).toBe(subOrgId)
  // Text that is neither a UUID nor a slug is not repeated in the response. For an unknown UUID, the response does not
  // explain the format.
  for (const text of ['<b>x</b>', 'x'.repeat(64), 'urn:uuid:0198b6f2-4503-7b31-88cc-4c599ba00e1e']) {
    const { body } = await tenant.get(`/v1/users?subOrgId=${encodeURIComponent(text)}`)
    expect(body.detail).toBe('subOrgId must be the id of an organization, which is a UUID.')
  }
  const unknown = await tenant.get('/v1/users?subOrgId=0198b6f2-4503-7b31-88cc-4c599ba00e1e')
  expect([unknown.status, unknown.body.detail.includes('UUID')]).toEqual([404, false])
})

test('a nullable field is told what is wrong with it, once', async () => {
  const reply = await tenant.patch('/v1/auth/settings', { subOrgId, access_token_ttl_seconds: 5 })
  expect([reply.status, fieldsOf(reply)]).toEqual([400, [['access_token_ttl_seconds', 'minimum']]])
  expect(JSON.stringify(reply.body)).not.toContain('null')
  const typed = await tenant.patch('/v1/auth/settings', { subOrgId, access_token_ttl_seconds: 'long' })
  expect(fieldsOf(typed)).toEqual([['access_token_ttl_seconds', 'type']])
})

test.each([
  ['active', true, 'PATCH /v1/users/{userId}'],
  ['password', 'correct horse battery staple', 'PUT /v1/users/{userId}/password'],
])('%s of a new user is told where it is set', async (name, value, where) => {
  const before = await countUsers()
  const reply = await tenant.post('/v1/users', { subOrgId, email: newEmail(), [name]: value })
  expect([reply.status, fieldsOf(reply)]).toEqual([400, [[name, 'unknown_property']]])
  expect(reply.body.detail).toContain(where)
  expect(await countUsers()).toBe(before)
})
