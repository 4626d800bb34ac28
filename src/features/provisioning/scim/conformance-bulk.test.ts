import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned, SCIM } from '../../../../test/people/scim.ts'
import { addUser, answered, expectRefused, list, MESSAGES, patchOf } from '../../../../test/people/scim-answers.ts'

const app = await startApp()
const tenant = await app.tenant()
const client = await provisioned(app, tenant)
const { call } = client

const bulk = (operations: object[], more: object = {}) =>
  call('POST', '/Bulk', { schemas: [`${MESSAGES}:BulkRequest`], Operations: operations, ...more })
const done = async (operations: object[], more: object = {}) => {
  const body = answered(await bulk(operations, more))
  expect(body.schemas).toEqual([`${MESSAGES}:BulkResponse`])
  return body.Operations
}
const post = (bulkId: string, data: object = {}) => ({
  method: 'POST',
  path: '/Users',
  bulkId,
  data: { userName: `${bulkId}@acme.example`, ...data },
})
const refused = (status: number, scimType?: string) =>
  expect.objectContaining({
    status: String(status),
    response: expect.objectContaining({
      schemas: [`${MESSAGES}:Error`],
      status: String(status),
      ...(scimType ? { scimType } : {}),
    }),
  })

describe('RFC 7644 §3.7: many operations in one request', () => {
  test('§3.7: each has its answer, in the order asked', async () => {
    const user = await addUser(client)
    const gone = await addUser(client)
    const path = `/Users/${user.id}`
    const operations = await done([
      post('b1'),
      { method: 'PATCH', path, data: patchOf({ op: 'add', path: 'title', value: 'x' }) },
      { method: 'put', path, data: { userName: user.userName, title: 'y' } },
      { method: 'DELETE', path: `/Users/${gone.id}` },
    ])
    const location = (id: string) => `http://localhost:4000${SCIM}/Users/${id}`
    const made = (await list(client, { filter: 'userName eq "b1@acme.example"' })).Resources[0]
    expect(operations).toEqual([
      { method: 'POST', bulkId: 'b1', location: location(made.id), version: made.meta.version, status: '201' },
      { method: 'PATCH', location: location(user.id), version: expect.stringMatching(/^W\//), status: '200' },
      { method: 'PUT', location: location(user.id), version: expect.stringMatching(/^W\//), status: '200' },
      { method: 'DELETE', location: location(gone.id), status: '204' },
    ])
    expect(answered(await call('GET', path)).title).toBe('y')
    expectRefused(await call('GET', `/Users/${gone.id}`), 404)
  })

  test('§3.7.3: an error is told in its place, with the body of an error; others go on', async () => {
    const operations = await done([
      post('c1'),
      post('c2', { active: 'maybe' }),
      post('c3', { userName: 'c1@acme.example' }),
      { method: 'PATCH', path: `/Users/${randomUUID()}`, data: patchOf({ op: 'add', path: 'title', value: 'x' }) },
      { method: 'DELETE', path: '/Users/nobody' },
      { method: 'GET', path: '/Users/nobody' },
      { method: 'POST', path: '/Nothing', bulkId: 'c4', data: {} },
      post('c5'),
    ])
    expect(operations).toEqual([
      expect.objectContaining({ bulkId: 'c1', status: '201' }),
      refused(400, 'invalidValue'),
      refused(409, 'uniqueness'),
      refused(404),
      refused(404),
      refused(400),
      expect.objectContaining({ status: expect.stringMatching(/^4/) }),
      expect.objectContaining({ bulkId: 'c5', status: '201' }),
    ])
  })

  test('§3.7.3: failOnErrors ends it', async () => {
    const operations = await done([post('d1'), post('d2', { active: 'x' }), post('d3')], { failOnErrors: 1 })
    expect(operations).toHaveLength(2)
    expect((await list(client, { filter: 'userName eq "d3@acme.example"' })).totalResults).toBe(0)
    const more = await done([post('e1', { active: 'x' }), post('e2'), post('e3', { active: 'x' }), post('e4')], {
      failOnErrors: 2,
    })
    expect(more.map(({ status }: { status: string }) => status)).toEqual(['400', '201', '400'])
  })

  test('§3.7: what an operation refuses does not undo the others', async () => {
    await done([post('f1'), post('f2', { active: 'x' })])
    expect((await list(client, { filter: 'userName eq "f1@acme.example"' })).totalResults).toBe(1)
  })
})

describe('RFC 7644 §3.7.2: references by bulkId', () => {
  test('§3.7.2: a group of users that the same request makes', async () => {
    const operations = await done([
      post('u1'),
      post('u2'),
      {
        method: 'POST',
        path: '/Groups',
        bulkId: 'g1',
        data: { displayName: 'Bulk', members: [{ type: 'User', value: 'bulkId:u1' }, { value: 'bulkId:u2' }] },
      },
    ])
    const ids = operations.map(({ location }: { location: string }) => location.split('/').at(-1))
    const { members } = answered(await call('GET', `/Groups/${ids[2]}`))
    expect(members.map(({ value }: { value: string }) => value).toSorted()).toEqual([ids[0], ids[1]].toSorted())
  })

  test('§3.7.2: by the path, and in the operations of a PATCH', async () => {
    const operations = await done([
      post('v1'),
      { method: 'POST', path: '/Groups', bulkId: 'h1', data: { displayName: 'Path' } },
      {
        method: 'PATCH',
        path: '/Groups/bulkId:h1',
        data: patchOf({ op: 'add', path: 'members', value: [{ value: 'bulkId:v1' }] }),
      },
      { method: 'PATCH', path: '/Users/bulkId:v1', data: patchOf({ op: 'add', path: 'title', value: 'x' }) },
    ])
    expect(operations.map(({ status }: { status: string }) => status)).toEqual([
      '201',
      '201',
      expect.stringMatching(/^20[04]$/),
      '200',
    ])
    const { Resources } = await list(client, { filter: 'userName eq "v1@acme.example"' })
    expect(Resources[0]).toMatchObject({ title: 'x', groups: [{ display: 'Path' }] })
  })

  test('§3.7.2: of an operation that failed, or is none, it is refused', async () => {
    const group = (displayName: string, value: string) => ({
      method: 'POST',
      path: '/Groups',
      bulkId: displayName,
      data: { displayName, members: [{ value }] },
    })
    const operations = await done([
      post('w1', { active: 'x' }),
      group('Failed', 'bulkId:w1'),
      group('Unknown', 'bulkId:w9'),
    ])
    expect(operations.map(({ status }: { status: string }) => status)).toEqual(['400', '400', '400'])
  })
})

describe('RFC 7644 §3.7.4: limits', () => {
  test('§3.7: a bulkId of two operations is 400 invalidSyntax, and nothing is done', async () => {
    expectRefused(await bulk([post('x1'), { ...post('x2'), bulkId: 'x1' }]), 400, 'invalidSyntax')
    expect((await list(client, { filter: 'userName eq "x1@acme.example"' })).totalResults).toBe(0)
  })

  test('§3.7.4: more than 1 000 operations are 413', async () => {
    expectRefused(await bulk(Array.from({ length: 1_001 }, () => ({ method: 'DELETE', path: '/Users/x' }))), 413)
  })

  test('§3.7.4: more than a MiB is 413', async () => {
    expectRefused(await bulk([post('y1', { title: 'x'.repeat(1024 * 1024) })]), 413)
    expect((await list(client, { filter: 'userName eq "y1@acme.example"' })).totalResults).toBe(0)
  })

  test('a version of an operation is its If-Match', async () => {
    const user = await addUser(client)
    const change = {
      method: 'PATCH',
      path: `/Users/${user.id}`,
      data: patchOf({ op: 'add', path: 'title', value: 'x' }),
    }
    const operations = await done([
      { ...change, version: 'W/"99"' },
      { ...change, version: user.meta.version },
    ])
    expect(operations.map(({ status }: { status: string }) => status)).toEqual(['412', '200'])
  })

  test.each<[string, unknown]>([
    ['without Operations', {}],
    ['of no array', { Operations: {} }],
    ['of no objects', { Operations: ['x'] }],
    ['no object', []],
  ])('§3.12: a body %s is refused', async (_, body) => {
    const reply = await call('POST', '/Bulk', body)
    if (reply.status === 200) expect(reply.body.Operations).toEqual([refused(400)])
    else expectRefused(reply, 400, 'invalidSyntax')
  })

  test('another organization is out of reach', async () => {
    const stranger = await addUser(await provisioned(app, tenant))
    expect(await done([{ method: 'DELETE', path: `/Users/${stranger.id}` }])).toEqual([refused(404)])
  })
})
