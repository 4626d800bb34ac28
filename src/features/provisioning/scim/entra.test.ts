import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import {
  addUser,
  answered,
  ENTERPRISE,
  expectRefused,
  list,
  MESSAGES,
  USER,
} from '../../../../test/people/scim-answers.ts'

// The requests that Microsoft Entra's provisioning service sends, one test for each peculiarity. The flag is on the
// base URL of an application that sets it, so every request has it.
const FLAG = 'aadOptscim062020'

const app = await startApp()
const client = await provisioned(app, await app.tenant())
const { call } = client
const patch = (path: string, ...Operations: object[]) =>
  call('PATCH', path, { schemas: [`${MESSAGES}:PatchOp`], Operations })

describe('users', () => {
  test('the probe for a random user is 200 with an empty list', async () => {
    const filter = 'userName eq "3d5c1a5e-5d6f-4a0b-9a3a-3ad2b4a4e0c1"'
    expect(await list(client, { filter })).toMatchObject({ totalResults: 0, Resources: [] })
  })

  test('the flag on the base URL changes nothing', async () => {
    const user = answered(await call('POST', `/Users?${FLAG}`, { userName: 'flag@acme.example' }), 201)
    expect((await call('GET', `/Users?${FLAG}&filter=userName+eq+%22flag%40acme.example%22`)).body.totalResults).toBe(1)
    expect(answered(await call('GET', `/Users/${user.id}?${FLAG}`))).toEqual(user)
    expect(
      (await call('PATCH', `/Users/${user.id}?${FLAG}`, { Operations: [{ op: 'Add', path: 'title', value: 'x' }] }))
        .status,
    ).toBe(200)
    expect((await call('DELETE', `/Users/${user.id}?${FLAG}`)).status).toBe(204)
  })

  test('a user as it creates one', async () => {
    const body = {
      schemas: [USER, ENTERPRISE],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee@acme.example',
      active: true,
      addresses: [{ type: 'work', formatted: 'Redmond', primary: false }],
      displayName: 'Ryan Leenay',
      emails: [{ primary: true, type: 'work', value: 'test_user_ab6490ee@acme.example' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Ryan Leenay', familyName: 'Leenay', givenName: 'Ryan' },
      phoneNumbers: [{ type: 'work', value: '+1 425 555 0100' }],
      preferredLanguage: null,
      roles: [],
      [ENTERPRISE]: { department: 'Sales', employeeNumber: null, manager: '26118915-6090-4610-87e4-49d8ca9f808d' },
    }
    const user = answered(await call('POST', '/Users', body), 201)
    expect(user).toMatchObject({
      userName: body.userName,
      externalId: body.externalId,
      displayName: 'Ryan Leenay',
      active: true,
    })
    expect(user[ENTERPRISE]).toEqual({
      department: 'Sales',
      manager: { value: '26118915-6090-4610-87e4-49d8ca9f808d' },
    })
    expect((await list(client, { filter: `userName eq "${body.userName}"` })).Resources).toEqual([user])
    expect((await list(client, { filter: `externalId eq "${body.externalId}"` })).Resources).toEqual([user])
  })

  test('matching by two attributes with "and", and by an address', async () => {
    const user = await addUser(client, {
      externalId: 'match',
      emails: [{ value: 'match@acme.example', type: 'work', primary: true }],
    })
    const both = `externalId eq "match" and userName eq "${user.userName}"`
    expect((await list(client, { filter: both })).totalResults).toBe(1)
    expect((await list(client, { filter: 'emails[type eq "work"].value eq "match@acme.example"' })).totalResults).toBe(
      1,
    )
  })

  test.each(['Add', 'Replace'])('op as %s', async (op) => {
    const user = await addUser(client)
    expect(answered(await patch(`/Users/${user.id}`, { op, path: 'displayName', value: 'Ryan' })).displayName).toBe(
      'Ryan',
    )
    expect(answered(await patch(`/Users/${user.id}`, { op: 'Remove', path: 'displayName' }))).not.toHaveProperty(
      'displayName',
    )
  })

  test('active as "False" and "True", with a path and without', async () => {
    const user = await addUser(client)
    const at = `/Users/${user.id}`
    expect(answered(await patch(at, { op: 'Replace', path: 'active', value: 'False' })).active).toBe(false)
    expect(answered(await patch(at, { op: 'Replace', path: 'active', value: 'True' })).active).toBe(true)
    expect(answered(await patch(at, { op: 'Replace', value: { active: 'False' } })).active).toBe(false)
    expect(answered(await patch(at, { op: 'Replace', value: { active: true } })).active).toBe(true)
  })

  test('words for booleans elsewhere are refused', async () => {
    const user = await addUser(client)
    const reply = await patch(`/Users/${user.id}`, {
      op: 'Replace',
      path: 'emails[type eq "work"].primary',
      value: 'True',
    })
    expectRefused(reply, 400, 'invalidValue')
  })

  test('dotted names and URNs without a path', async () => {
    const user = await addUser(client)
    const value = {
      'name.givenName': 'Ryan',
      'name.familyName': 'Leenay',
      'emails[type eq "other"].value': 'other@acme.example',
      [`${ENTERPRISE}:department`]: 'Sales',
      [`${ENTERPRISE}:manager`]: 'm1',
      displayName: 'Ryan Leenay',
    }
    const changed = answered(await patch(`/Users/${user.id}`, { op: 'Add', value }))
    expect(changed).toMatchObject({
      name: { givenName: 'Ryan', familyName: 'Leenay' },
      displayName: 'Ryan Leenay',
      [ENTERPRISE]: { department: 'Sales', manager: { value: 'm1' } },
    })
    expect(changed.emails).toContainEqual({ type: 'other', value: 'other@acme.example' })
    expect(changed).not.toHaveProperty('name.givenName.x')
    expect(Object.keys(changed)).not.toContain('name.givenName')
  })

  test('a value of a type that is not there yet is created', async () => {
    const user = await addUser(client)
    const operations = [
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 425 555 0101' },
      { op: 'Replace', path: 'addresses[type eq "work"].country', value: 'US' },
      { op: 'Add', path: 'roles[primary eq "True"].value', value: 'admin' },
    ]
    expect(answered(await patch(`/Users/${user.id}`, ...operations))).toMatchObject({
      phoneNumbers: [{ type: 'mobile', value: '+1 425 555 0101' }],
      addresses: [{ type: 'work', country: 'US' }],
      roles: [{ primary: true, value: 'admin' }],
    })
  })

  test('a missing emails[type eq "work"] is created, and is the address', async () => {
    const user = await addUser(client, { emails: [{ value: 'home@acme.example', type: 'home' }] })
    const changed = answered(
      await patch(`/Users/${user.id}`, {
        op: 'Add',
        path: 'emails[type eq "work"].value',
        value: 'new-work@acme.example',
      }),
    )
    expect(changed.emails).toContainEqual(expect.objectContaining({ value: 'new-work@acme.example', type: 'work' }))
  })

  test('a manager as a string, with $ref: null, and taken away', async () => {
    const user = await addUser(client)
    const [at, path] = [`/Users/${user.id}`, `${ENTERPRISE}:manager`]
    expect(answered(await patch(at, { op: 'Add', path, value: 'm1' }))[ENTERPRISE].manager).toMatchObject({
      value: 'm1',
    })
    const value = { $ref: null, value: 'm2' }
    expect(answered(await patch(at, { op: 'Replace', path, value }))[ENTERPRISE].manager).toMatchObject({ value: 'm2' })
    expect(answered(await patch(at, { op: 'Remove', path }))).not.toHaveProperty([ENTERPRISE])
  })

  test('a user that was deactivated is still returned', async () => {
    const user = await addUser(client)
    answered(await patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value: 'False' }))
    expect((await list(client, { filter: `userName eq "${user.userName}"` })).Resources).toMatchObject([
      { id: user.id, active: false },
    ])
    expect(answered(await call('GET', `/Users/${user.id}`)).active).toBe(false)
  })

  test('a name in other letters is the same user', async () => {
    const user = await addUser(client)
    expect((await list(client, { filter: `userName eq "${user.userName.toUpperCase()}"` })).totalResults).toBe(1)
    expect(
      answered(
        await patch(`/Users/${user.id}`, { op: 'Replace', path: 'userName', value: user.userName.toUpperCase() }),
      ).userName,
    ).toBe(user.userName.toUpperCase())
  })

  test('a user that is there already is 409, and one that is gone is 404', async () => {
    const user = await addUser(client)
    expectRefused(await call('POST', '/Users', { userName: user.userName }), 409, 'uniqueness')
    answered(await call('DELETE', `/Users/${user.id}`), 204)
    expectRefused(await patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value: 'False' }), 404)
  })
})
