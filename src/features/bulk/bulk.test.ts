import { expect, test } from 'vitest'
import { fresh } from '../../../test/fresh.ts'
import { startApp } from '../../../test/harness.ts'
import { provisioned } from '../../../test/scim.ts'

const app = await startApp()
const tenant = await app.tenant()
const { call } = await provisioned(app, tenant)

const bulk = (Operations: object[], more: object = {}) => call('POST', '/Bulk', { ...more, Operations })
const user = (bulkId: string, userName = `${fresh()}@acme.example`) => ({
  method: 'POST',
  path: '/Users',
  bulkId,
  data: { userName },
})
const statuses = (body: { Operations: { status: string }[] }) => body.Operations.map(({ status }) => status)

test('operations are performed each by itself, and refer to one another in any order', async () => {
  const { status, body } = await bulk([
    { method: 'POST', path: '/Groups', bulkId: 'g', data: { displayName: fresh(), members: [{ value: 'bulkId:u' }] } },
    user('u'),
    {
      method: 'PATCH',
      path: '/Users/bulkId:u',
      data: { Operations: [{ op: 'add', path: 'title', value: 'Engineer' }] },
    },
    { method: 'POST', path: '/Users', data: {} },
    { method: 'DELETE', path: '/Users/nobody' },
    { method: 'GET', path: '/Users' },
    { method: 'POST', path: '/Groups', data: { displayName: fresh(), members: [{ value: 'bulkId:unknown' }] } },
  ])
  expect([status, statuses(body)]).toEqual([200, ['201', '201', '200', '400', '404', '400', '400']])
  const [group, made] = body.Operations
  expect(made).toMatchObject({ method: 'POST', bulkId: 'u', version: 'W/"1"' })
  expect(body.Operations[3].response).toMatchObject({ status: '400', scimType: 'invalidValue' })
  const shown = await call('GET', `/Groups/${group.location.split('/').at(-1)}`)
  expect(shown.body.members[0].$ref).toBe(made.location)
  expect((await call('GET', `/Users/${shown.body.members[0].value}`)).body.title).toBe('Engineer')
})

test('groups that are in one another are made, and get their members', async () => {
  const group = (bulkId: string, other: string) => ({
    method: 'POST',
    path: '/Groups',
    bulkId,
    data: { displayName: fresh(), members: [{ type: 'Group', value: `bulkId:${other}` }] },
  })
  const { body } = await bulk([group('a', 'b'), group('b', 'a')])
  expect(statuses(body)).toEqual(['201', '201'])
  const ids = body.Operations.map(({ location }: { location: string }) => location.split('/').at(-1))
  const membersOf = async (id: string) => (await call('GET', `/Groups/${id}`)).body.members[0].value
  expect([await membersOf(ids[0]), await membersOf(ids[1])]).toEqual([ids[1], ids[0]])
})

test('after as many errors as were said, nothing more is done', async () => {
  const userName = `${fresh()}@acme.example`
  const { body } = await bulk([{ method: 'POST', path: '/Users', data: {} }, user('u', userName)], { failOnErrors: 1 })
  expect(statuses(body)).toEqual(['400'])
  expect((await call('GET', `/Users?filter=userName eq "${userName}"`)).body.totalResults).toBe(0)
})

test('what is none, or too much, is refused', async () => {
  expect((await call('POST', '/Bulk', {})).body.scimType).toBe('invalidSyntax')
  expect((await bulk(Array.from({ length: 1001 }, () => ({ method: 'DELETE', path: '/Users/x' })))).status).toBe(413)
})

test('an operation that is nested too deeply is refused, and no other', async () => {
  const data = `{"userName":"ada@acme.example","deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  const operation = `{"method":"POST","path":"/Users","data":${data}}`
  const { status, body } = await call('POST', '/Bulk', `{"Operations":[${operation},${JSON.stringify(user('u'))}]}`)
  expect([status, body.Operations?.map(({ status }: { status: string }) => status)]).toEqual([200, ['400', '201']])
})
