import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned, SCIM, scimCaller } from '../../../../test/people/scim.ts'
import {
  addUser,
  answered,
  ENTERPRISE,
  expectRefused,
  GROUP,
  list,
  patchOf,
  USER,
} from '../../../../test/people/scim-answers.ts'

const app = await startApp()
const tenant = await app.tenant()
const client = await provisioned(app, tenant)
const { call } = client

const send = async (method: string, path: string, { body = null, ...headers }: Record<string, string | null> = {}) => {
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  )
  const all = [['authorization', `Bearer ${client.token}`] satisfies [string, string], ...given]
  const response = await fetch(`${app.baseUrl}${SCIM}${path}`, {
    method,
    headers: all,
    body: body === null ? null : Buffer.from(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) }
}

describe('RFC 7644 §3.1, §3.8: media types', () => {
  test.each([
    'application/scim+json',
    'application/scim+json; charset=utf-8',
    'APPLICATION/SCIM+JSON',
    'application/json',
    'application/json;charset=UTF-8',
    null,
  ])('§3.1: a body as %s', async (type) => {
    const body = JSON.stringify({ userName: `media${Math.random()}@acme.example` })
    const reply = await send('POST', '/Users', { body, 'content-type': type })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([201, 'application/scim+json'])
  })

  test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/scim+jsonx'])(
    'a body as %s is 415, as SCIM says',
    async (type) => {
      expectRefused(await send('POST', '/Users', { body: '{"userName":"m@acme.example"}', 'content-type': type }), 415)
    },
  )

  test.each(['application/scim+json', 'application/json', '*/*', 'application/*;q=0.5', null])(
    '§3.8: an answer for %s',
    async (accept) => {
      const reply = await send('GET', '/Users?count=1', { accept })
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/scim+json'])
    },
  )

  test('without User-Agent, as Microsoft Entra may', async () => {
    expect((await send('GET', '/Users?count=1', { 'user-agent': '' })).status).toBe(200)
  })
})

describe('RFC 7644 §2, §3.12: who may call', () => {
  test.each([null, '', 'scim_0', `scim_${'A'.repeat(49)}`])(
    '§2: the token %s is 401 with a challenge',
    async (token) => {
      const stranger = scimCaller(app, token)
      for (const [method, path] of [
        ['GET', '/Users'],
        ['POST', '/Users'],
        ['GET', '/Users/x'],
        ['DELETE', '/Users/x'],
      ] as const) {
        const reply = await stranger(method, path, method === 'POST' ? { userName: 'x@acme.example' } : undefined)
        expectRefused(reply, 401)
        expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer realm=/)
      }
    },
  )

  test('1.1 #6: an API key opens nothing, and the token opens nothing else', async () => {
    expectRefused(await scimCaller(app, null)('GET', '/Users', undefined, { 'x-api-key': tenant.key }), 401)
    expectRefused(await scimCaller(app, tenant.key)('GET', '/Users'), 401)
    const elsewhere = await app.as(null).get('/v1/users', { authorization: `Bearer ${client.token}` })
    expect(elsewhere.status).toBe(401)
  })

  test('while provisioning is off it is 403', async () => {
    const other = await provisioned(app, tenant)
    const user = await addUser(other)
    await tenant.patch('/v1/scim/config', { enabled: false, subOrgId: other.subOrgId })
    expectRefused(await other.call('GET', '/Users'), 403)
    expectRefused(await other.call('GET', `/Users/${user.id}`), 403)
    expectRefused(await other.call('POST', '/Users', { userName: 'x@acme.example' }), 403)
  })

  test('§3.12: what is not there is refused as SCIM says', async () => {
    for (const path of ['/Nothing', '/Users/x/y', `/Users/${'x'.repeat(1_000)}`])
      expectRefused(await call('GET', path), 404)
  })

  test('§3.11: /Me is 501', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'POST'] as const)
      expectRefused(await call(method, '/Me', method === 'GET' || method === 'DELETE' ? undefined : {}), 501)
  })
})

describe('RFC 7644 §3.14: versions', () => {
  test('an answer has its version as a weak ETag', async () => {
    const user = await addUser(client)
    const reply = await call('GET', `/Users/${user.id}`)
    expect(reply.headers.get('etag')).toBe(user.meta.version)
    expect(user.meta.version).toMatch(/^W\/"/)
  })

  test('If-None-Match: 304 without a body while nothing changes', async () => {
    const user = await addUser(client)
    const ask = (tag: string) => call('GET', `/Users/${user.id}`, undefined, { 'if-none-match': tag })
    for (const tag of [user.meta.version, user.meta.version.slice(2), `"x", ${user.meta.version}`, '*']) {
      const same = await ask(tag)
      expect([tag, same.status, same.text, same.headers.get('etag')]).toEqual([tag, 304, '', user.meta.version])
    }
    expect((await ask('W/"0"')).status).toBe(200)
    await call('PATCH', `/Users/${user.id}`, patchOf({ op: 'replace', path: 'title', value: 'x' }))
    expect((await ask(user.meta.version)).status).toBe(200)
  })

  test.each(['PUT', 'PATCH', 'DELETE'] as const)(
    'If-Match: %s of another version is 412 and does nothing',
    async (method) => {
      const user = await addUser(client)
      const body = {
        PUT: { ...user, title: 'x' },
        PATCH: patchOf({ op: 'add', path: 'title', value: 'x' }),
        DELETE: undefined,
      }[method]
      const path = `/Users/${user.id}`
      expectRefused(await call(method, path, body, { 'if-match': 'W/"99"' }), 412)
      expect(answered(await call('GET', path))).toEqual(user)
      const reply = await call(method, path, body, { 'if-match': user.meta.version })
      expect(reply.status).toBe(method === 'DELETE' ? 204 : 200)
    },
  )

  test.each(['Users', 'Groups'] as const)(
    'RFC 9110 §13.1.2: If-None-Match with the present version, or *, refuses a change of %s',
    async (type) => {
      for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
        const { body: one } = await call('POST', `/${type}`, {
          userName: `if${Math.random()}@acme.example`,
          displayName: `If ${Math.random()}`,
        })
        const path = `/${type}/${one.id}`
        const patch = patchOf({ op: 'replace', path: 'displayName', value: 'New' })
        const body = { PUT: { ...one, displayName: `Next ${Math.random()}` }, PATCH: patch, DELETE: undefined }[method]
        for (const tag of ['*', one.meta.version, `"x", ${one.meta.version}`])
          expectRefused(await call(method, path, body, { 'if-none-match': tag }), 412)
        expect(answered(await call('GET', path))).toEqual(one)
        expectRefused(await call(method, `/${type}/nobody`, body, { 'if-none-match': '*' }), 404)
        expect((await call(method, path, body, { 'if-none-match': 'W/"99"' })).status).toBeLessThan(300)
      }
    },
  )

  test('of two changes at once with the same version, one is 412', async () => {
    const user = await addUser(client)
    const change = (value: string) =>
      call('PATCH', `/Users/${user.id}`, patchOf({ op: 'add', path: 'title', value }), {
        'if-match': user.meta.version,
      })
    const replies = await Promise.all(['a', 'b', 'c', 'd'].map(change))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412])
  })
})

describe('RFC 7644 §4: what the service can do', () => {
  const read = scimCaller(app, null)

  test('RFC 7643 §6: the types of resources', async () => {
    const types = answered(await read('GET', '/ResourceTypes'))
    expect(types.Resources).toMatchObject([
      {
        id: 'User',
        name: 'User',
        endpoint: '/Users',
        schema: USER,
        schemaExtensions: [{ schema: ENTERPRISE, required: false }],
      },
      { id: 'Group', name: 'Group', endpoint: '/Groups', schema: GROUP },
    ])
  })

  test('RFC 7643 §7: the schemas, each by its URN in any case', async () => {
    const schemas = answered(await read('GET', '/Schemas'))
    expect(schemas.Resources.map(({ id }: { id: string }) => id)).toEqual([USER, GROUP, ENTERPRISE])
    expect(schemas.totalResults).toBe(3)
    for (const schema of schemas.Resources) {
      expect(schema.schemas).toEqual(['urn:ietf:params:scim:schemas:core:2.0:Schema'])
      expect(schema.meta).toEqual({
        resourceType: 'Schema',
        location: `http://localhost:4000${SCIM}/Schemas/${schema.id}`,
      })
      expect(answered(await read('GET', `/Schemas/${schema.id}`))).toEqual(schema)
      expect(answered(await read('GET', `/Schemas/${schema.id.toUpperCase()}`))).toEqual(schema)
      for (const attribute of schema.attributes)
        expect(attribute).toMatchObject({
          name: expect.any(String),
          type: expect.stringMatching(/^(string|boolean|decimal|integer|dateTime|binary|reference|complex)$/),
          multiValued: expect.any(Boolean),
          description: expect.any(String),
          required: expect.any(Boolean),
          mutability: expect.stringMatching(/^(readOnly|readWrite|immutable|writeOnly)$/),
          returned: expect.stringMatching(/^(always|never|default|request)$/),
        })
    }
    expectRefused(await read('GET', '/Schemas/urn:nothing'), 404)
  })

  test('RFC 7643 §4.1, §7: no password, and uniqueness where it is enforced', async () => {
    type Attribute = { name: string; uniqueness: string; description: string }
    const attributesOf = async (urn: string): Promise<Attribute[]> =>
      answered(await read('GET', `/Schemas/${urn}`)).attributes
    const [user, group] = [await attributesOf(USER), await attributesOf(GROUP)]
    expect(user.map(({ name }) => name)).not.toContain('password')
    const isUnique = ({ uniqueness }: Attribute) => uniqueness !== 'none'
    expect([...user, ...group].filter(isUnique).map(({ name, uniqueness }) => [name, uniqueness])).toEqual([
      ['userName', 'server'],
      ['displayName', 'server'],
    ])
    const emails = user.find(({ name }) => name === 'emails')
    const subAttributes: Attribute[] = Object(emails).subAttributes
    expect(subAttributes.filter(isUnique).map(({ name }) => name)).toEqual(['value'])
    // A client that sends no addresses learns here that it must send one.
    for (const attribute of [emails, user.find(({ name }) => name === 'userName')])
      expect(attribute?.description).toMatch(/email address|is an address/i)
    expectRefused(await call('POST', '/Users', { userName: 'jdoe' }), 400, 'invalidValue')
  })

  test.each(['password', 'PassWord', `${USER}:password`])('a client that sends %s is served', async (name) => {
    const user = await addUser(client, { [name]: 'correct horse' })
    const { text, body } = await call('PUT', `/Users/${user.id}`, { userName: user.userName, [name]: 'correct horse' })
    expect(body).toEqual(user)
    const Operations = [{ op: 'add', path: name, value: 'correct horse' }]
    const patched = await call('PATCH', `/Users/${user.id}`, { Operations })
    expect([patched.status, text + patched.text]).toEqual([200, expect.not.stringContaining('horse')])
  })

  test('every attribute of a user is of a schema', async () => {
    const user = await addUser(client, { title: 'x', [ENTERPRISE]: { department: 'R&D' } })
    const { Resources } = answered(await read('GET', '/Schemas'))
    const known = Resources.flatMap((schema: { id: string; attributes: { name: string }[] }) => [
      schema.id,
      ...schema.attributes.map(({ name }) => name),
    ])
    const common = ['schemas', 'id', 'externalId', 'meta']
    expect(Object.keys(user).filter((name) => !known.includes(name) && !common.includes(name))).toEqual([])
  })

  test('§4: a filter there is 403', async () => {
    for (const path of [
      '/ServiceProviderConfig',
      '/ResourceTypes',
      '/Schemas',
      '/ResourceTypes/User',
      `/Schemas/${USER}`,
    ])
      expectRefused(await read('GET', `${path}?filter=id%20pr`), 403)
  })

  test('RFC 7643 §5, RFC 9865 §4: what is announced is so', async () => {
    const config = answered(await read('GET', '/ServiceProviderConfig'))
    expect(config).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      pagination: { cursor: true, index: true, defaultPaginationMethod: 'index' },
    })
    const page = await list(client, { count: String(config.filter.maxResults + 1) })
    expect(page.itemsPerPage).toBeLessThanOrEqual(config.filter.maxResults)
  })
})
