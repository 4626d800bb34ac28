import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned, SCIM } from '../../../../test/people/scim.ts'
import {
  addUser,
  answered,
  ENTERPRISE,
  expectRefused,
  list,
  USER,
  withoutMeta,
} from '../../../../test/people/scim-answers.ts'

const app = await startApp()
const client = await provisioned(app, await app.tenant())
const { call } = client

const ADA = {
  schemas: [USER, ENTERPRISE],
  externalId: 'ada-1',
  userName: 'ada@acme.example',
  name: {
    formatted: 'Ms. Ada K Byron',
    familyName: 'Byron',
    givenName: 'Ada',
    middleName: 'K',
    honorificPrefix: 'Ms.',
  },
  displayName: 'Ada',
  nickName: 'A',
  profileUrl: 'https://acme.example/ada',
  title: 'Engineer',
  userType: 'Employee',
  preferredLanguage: 'en-GB',
  locale: 'en-GB',
  timezone: 'Europe/London',
  active: true,
  emails: [
    { value: 'ada@acme.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  phoneNumbers: [{ value: '+442079460000', type: 'work' }],
  ims: [{ value: 'ada', type: 'xmpp' }],
  photos: [{ value: 'https://acme.example/ada.png', type: 'photo' }],
  addresses: [{ type: 'work', streetAddress: '1 Street', locality: 'London', country: 'GB', primary: true }],
  entitlements: [{ value: 'seat' }],
  roles: [{ value: 'engineer' }],
  x509Certificates: [{ value: 'QUJD' }],
  [ENTERPRISE]: {
    employeeNumber: '7',
    costCenter: '4130',
    organization: 'Acme',
    division: 'R',
    department: 'R&D',
    manager: { value: '26118915' },
  },
}

describe('RFC 7644 §3.3: creating resources', () => {
  test('§3.3: 201 with Location, which is meta.location, and the resource as it is kept', async () => {
    const reply = await call('POST', '/Users', ADA)
    const ada = answered(reply, 201)
    expect(reply.headers.get('content-type')).toBe('application/scim+json')
    expect(reply.headers.get('location')).toBe(`http://localhost:4000${SCIM}/Users/${ada.id}`)
    expect(ada.meta).toEqual({
      resourceType: 'User',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      lastModified: ada.meta.created,
      version: reply.headers.get('etag'),
      location: reply.headers.get('location'),
    })
    expect(withoutMeta(ada)).toEqual({ ...ADA, id: expect.any(String) })
    expect(answered(await call('GET', `/Users/${ada.id}`))).toEqual(ada)
  })

  test('§3.3: what is read-only is ignored', async () => {
    const sent = {
      id: randomUUID(),
      meta: { created: '1999-01-01T00:00:00Z', version: 'W/"9"' },
      groups: [{ value: randomUUID() }],
    }
    const user = await addUser(client, sent)
    expect(user.id).not.toBe(sent.id)
    expect(user.meta.created).not.toBe(sent.meta.created)
    expect(user).not.toHaveProperty('groups')
  })

  test('§3.3: nothing but userName is required; schemas may be missing', async () => {
    const user = answered(await call('POST', '/Users', { userName: 'bare@acme.example' }), 201)
    expect(withoutMeta(user)).toEqual({
      schemas: [USER],
      id: user.id,
      userName: 'bare@acme.example',
      active: true,
      emails: [{ value: 'bare@acme.example', type: 'work', primary: true }],
    })
  })

  test('§3.3: a userName in any case that is there already is 409 uniqueness', async () => {
    const { userName } = await addUser(client)
    expectRefused(await call('POST', '/Users', { userName: userName.toUpperCase() }), 409, 'uniqueness')
    const [other] = [await addUser(client, { externalId: 'once' })]
    expect(other.externalId).toBe('once')
    // RFC 7643 §3.1: only the client is responsible for unique externalIds.
    expect((await call('POST', '/Users', { userName: 'x1@acme.example', externalId: 'once' })).status).toBe(201)
  })

  test.each<[string, unknown, string]>([
    ['no userName', { displayName: 'Ada' }, 'invalidValue'],
    ['an empty userName', { userName: '' }, 'invalidValue'],
    ['a number', { userName: 5 }, 'invalidValue'],
    ['a boolean that is none', { userName: 'x@acme.example', active: 'maybe' }, 'invalidValue'],
    ['an object for a list', { userName: 'x@acme.example', emails: 'x@acme.example' }, 'invalidValue'],
    [
      'two primary addresses',
      {
        userName: 'x@acme.example',
        emails: [
          { value: 'a@acme.example', primary: true },
          { value: 'b@acme.example', primary: true },
        ],
      },
      'invalidValue',
    ],
    ['the same name in two cases', { userName: 'x@acme.example', USERNAME: 'y@acme.example' }, 'invalidValue'],
    ['an array', [], 'invalidSyntax'],
    ['a string', '"x"', 'invalidSyntax'],
    ['no JSON', '{', 'invalidSyntax'],
    ['a null character', { userName: 'x@acme.example', title: 'a\0b' }, 'invalidValue'],
    ['half a character', '{"userName":"x@acme.example","title":"\\ud800"}', 'invalidValue'],
  ])('§3.12: %s is 400', async (_, body, scimType) => {
    expectRefused(await call('POST', '/Users', body), 400, scimType)
  })

  test.each(['__proto__', 'constructor'])('a body with %s is 400, and pollutes nothing', async (name) => {
    const inner = name === 'constructor' ? '{"prototype":{"polluted":1}}' : '{"polluted":1}'
    const reply = await call('POST', '/Users', `{"userName":"p@acme.example","x":{"${name}":${inner}}}`)
    expectRefused(reply, 400, reply.body.scimType)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('RFC 7643 §2.1: names of attributes in any case', async () => {
    const user = answered(
      await call('POST', '/Users', { USERNAME: 'case@acme.example', Name: { GivenName: 'Ada' } }),
      201,
    )
    expect(user).toMatchObject({ userName: 'case@acme.example', name: { givenName: 'Ada' } })
  })

  test('RFC 7643 §2.5: null and the empty array are no value', async () => {
    const user = await addUser(client, { title: null, phoneNumbers: [], name: { givenName: null } })
    for (const name of ['title', 'phoneNumbers', 'name']) expect(user).not.toHaveProperty(name)
  })

  test('RFC 7643 §4.1: a password is never returned', async () => {
    const password = 'correct horse battery staple'
    const reply = await call('POST', '/Users', { userName: 'secret@acme.example', password })
    answered(reply, 201)
    const asked = await call('GET', `/Users/${reply.body.id}?attributes=password,userName`)
    expect(reply.text + asked.text).not.toContain('horse')
    expect(asked.body).not.toHaveProperty('password')
  })

  test('unknown attributes and extensions are kept', async () => {
    const more = { shoeSize: 43, badge: { colour: 'red' }, 'urn:acme:params:scim:1.0:User': { floor: 3 } }
    const user = await addUser(client, more)
    expect(user).toMatchObject({ ...more, schemas: [USER, 'urn:acme:params:scim:1.0:User'] })
    expect(answered(await call('GET', `/Users/${user.id}`))).toEqual(user)
  })
})

describe('RFC 7644 §3.4.1: retrieving a known resource', () => {
  test('an id in either case', async () => {
    const user = await addUser(client)
    expect(answered(await call('GET', `/Users/${user.id.toUpperCase()}`))).toEqual(user)
  })

  test.each([randomUUID(), 'nobody', "' or 1=1", '__proto__', 'x'.repeat(500)])(
    '§3.12: there is no %s: 404',
    async (id) => {
      const path = `/Users/${encodeURIComponent(id)}`
      for (const method of ['GET', 'DELETE'] as const) expectRefused(await call(method, path), 404)
      expectRefused(await call('PUT', path, { userName: 'x@acme.example' }), 404)
      const change = { Operations: [{ op: 'replace', path: 'title', value: 'x' }] }
      expectRefused(await call('PATCH', path, change), 404)
    },
  )

  test('a user of another organization is not there, and not found', async () => {
    const stranger = await provisioned(app, await app.tenant())
    const user = await addUser(stranger, { externalId: 'elsewhere' })
    expectRefused(await call('GET', `/Users/${user.id}`), 404)
    expectRefused(await call('DELETE', `/Users/${user.id}`), 404)
    expect((await list(client, { filter: `id eq "${user.id}"` })).totalResults).toBe(0)
    expect((await list(client, { filter: 'externalId eq "elsewhere"' })).totalResults).toBe(0)
    expect((await addUser(client, { externalId: 'elsewhere' })).id).not.toBe(user.id)
  })
})

describe('RFC 7644 §3.5.1: replacing with PUT', () => {
  test('what is not there any more goes', async () => {
    const user = await addUser(client, { title: 'Engineer', shoeSize: 43, name: { givenName: 'Ada', familyName: 'B' } })
    const { userName } = user
    const replaced = answered(
      await call('PUT', `/Users/${user.id}`, { userName, nickName: 'A', name: { givenName: 'Ada' } }),
    )
    expect(replaced).toMatchObject({ id: user.id, userName, nickName: 'A', name: { givenName: 'Ada' } })
    for (const name of ['title', 'shoeSize', 'name.familyName']) expect(replaced).not.toHaveProperty(name)
    expect(answered(await call('GET', `/Users/${user.id}`))).toEqual(replaced)
  })

  test('what is read-only is ignored', async () => {
    const user = await addUser(client)
    const body = {
      userName: user.userName,
      id: randomUUID(),
      meta: { resourceType: 'Group' },
      groups: [{ value: 'x' }],
    }
    const replaced = answered(await call('PUT', `/Users/${user.id}`, body))
    expect([replaced.id, replaced.meta.resourceType, replaced.groups]).toEqual([user.id, 'User', undefined])
  })

  test('the same again changes nothing, nor the version', async () => {
    const user = await addUser(client, { title: 'Engineer' })
    const first = answered(await call('PUT', `/Users/${user.id}`, user))
    expect(withoutMeta(first)).toEqual(withoutMeta(user))
    const again = await call('PUT', `/Users/${user.id}`, first)
    expect(answered(again)).toEqual(first)
    expect(again.headers.get('etag')).toBe(first.meta.version)
  })

  test('without userName it is 400, and another user’s name 409', async () => {
    const [user, other] = [await addUser(client), await addUser(client)]
    expectRefused(await call('PUT', `/Users/${user.id}`, { title: 'x' }), 400, 'invalidValue')
    expectRefused(await call('PUT', `/Users/${user.id}`, { userName: other.userName }), 409, 'uniqueness')
    expect(answered(await call('GET', `/Users/${user.id}`))).toEqual(user)
  })

  test('attributes and excludedAttributes say what is answered', async () => {
    const user = await addUser(client, { title: 'Engineer' })
    const some = answered(await call('PUT', `/Users/${user.id}?attributes=title`, user))
    expect(some).toEqual({ schemas: [USER], id: user.id, title: 'Engineer' })
  })
})

describe('RFC 7644 §3.6: deleting', () => {
  test('204 without a body; afterwards the resource is nowhere', async () => {
    const user = await addUser(client, { externalId: 'gone' })
    const reply = await call('DELETE', `/Users/${user.id}`)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expectRefused(await call('GET', `/Users/${user.id}`), 404)
    expectRefused(await call('DELETE', `/Users/${user.id}`), 404)
    for (const filter of [`userName eq "${user.userName}"`, 'externalId eq "gone"', `id eq "${user.id}"`])
      expect((await list(client, { filter })).Resources).toEqual([])
  })

  test('§3.6: the name is free for another one at once', async () => {
    const user = await addUser(client, { externalId: 'first' })
    answered(await call('DELETE', `/Users/${user.id}`), 204)
    const other = answered(await call('POST', '/Users', { userName: user.userName, externalId: 'second' }), 201)
    expect(other.id).not.toBe(user.id)
    expectRefused(await call('GET', `/Users/${user.id}`), 404)
  })

  test('the same externalId within 30 days is the same person', async () => {
    const user = await addUser(client, { externalId: 'returns' })
    answered(await call('DELETE', `/Users/${user.id}`), 204)
    const back = answered(await call('POST', '/Users', { userName: user.userName, externalId: 'returns' }), 201)
    expect([back.id, back.active]).toEqual([user.id, true])
  })
})
